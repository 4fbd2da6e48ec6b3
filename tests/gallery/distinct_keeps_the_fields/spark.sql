SELECT DISTINCT t1.`Name`, t1.`Born` FROM `default`.`people` AS t1
