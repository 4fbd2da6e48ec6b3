SELECT t1.`id`, t2.`c0`.`sku`, t3.`c0` AS `tag` FROM `default`.`orders` AS t1 LATERAL VIEW explode(t1.`items`) t2 AS `c0` LATERAL VIEW OUTER explode(coalesce(map_keys(t1.`tags`), array())) t3 AS `c0`
