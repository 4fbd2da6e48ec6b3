SELECT t1.`Name`, t2.`country` FROM `default`.`people` AS t1 CROSS JOIN `default`.`customers` AS t2
