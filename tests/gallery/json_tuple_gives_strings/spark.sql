SELECT t2.`c0` AS `a`, t2.`c1` AS `b` FROM `default`.`customers` AS t1 LATERAL VIEW json_tuple(t1.`name`, 'a', 'b') t2 AS `c0`, `c1`
