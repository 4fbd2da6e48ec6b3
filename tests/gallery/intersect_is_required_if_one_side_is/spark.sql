SELECT t3.`c0` AS `name` FROM ((SELECT t1.`name` AS `c0` FROM `default`.`customers` AS t1) INTERSECT (SELECT t2.`Name` AS `c0` FROM `default`.`people` AS t2)) AS t3
