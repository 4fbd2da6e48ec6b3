SELECT t1.`id`, t2.`c0`.`sku`, t2.`c0`.`count` AS `pieces` FROM `default`.`orders` AS t1 LATERAL VIEW explode(t1.`items`) t2 AS `c0`
