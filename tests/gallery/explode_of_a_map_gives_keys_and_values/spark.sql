SELECT t1.`id`, t2.`c0` AS `tag`, t2.`c1` AS `word` FROM `default`.`orders` AS t1 LATERAL VIEW explode(t1.`tags`) t2 AS `c0`, `c1`
