SELECT t3.`c0` AS `State` FROM ((SELECT t1.`Address`.`State` AS `c0` FROM `default`.`west` AS t1) UNION ALL (SELECT t2.`Address`.`State` AS `c0` FROM `default`.`east` AS t2)) AS t3
