SELECT t1.`id`, t2.`c0` AS `place`, t2.`c1` AS `item` FROM `default`.`orders` AS t1 LATERAL VIEW posexplode(t1.`items`) t2 AS `c0`, `c1`
