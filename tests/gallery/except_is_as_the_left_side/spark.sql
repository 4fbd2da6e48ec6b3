SELECT t3.`c0` AS `name` FROM ((SELECT t1.`Name` AS `c0` FROM `default`.`people` AS t1) EXCEPT (SELECT t2.`name` AS `c0` FROM `default`.`customers` AS t2)) AS t3
