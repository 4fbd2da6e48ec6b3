SELECT t1.`id`, t2.`c0` AS `sku`, t2.`c1` AS `cost` FROM `default`.`t` AS t1 LATERAL VIEW inline(t1.`items`) t2 AS `c0`, `c1`
