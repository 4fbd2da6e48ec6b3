SELECT 1 AS `one`, 'x' AS `letter`, CAST(1.50BD AS DECIMAL(2,1)) AS `decimal_number`, true AS `yes`, NULL AS `nothing`, DATE '2020-02-29' AS `day` FROM `default`.`t` AS t1
