SELECT t1.`name`, t2.`c0` AS `kind`, t2.`c1` AS `amount` FROM `default`.`customers` AS t1 LATERAL VIEW stack(2, 'score', t1.`score`, 'none', 0.0D) t2 AS `c0`, `c1`
