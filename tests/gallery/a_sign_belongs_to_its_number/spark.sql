SELECT (t1.`d` + -2) AS `less`, CAST(-1.50BD AS DECIMAL(3,2)) AS `owed`, -2147483648 AS `least`, (- 2147483648L) AS `negated`, -9223372036854775808L AS `lowest` FROM `default`.`t` AS t1
