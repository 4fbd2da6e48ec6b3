SELECT t1.`id`, CAST((t1.`id` + 1) AS INT) AS `_c1`, t1.`s`.`b`.`c`, CAST(count(1) OVER () AS BIGINT) AS `count_window_0` FROM `default`.`t` AS t1
