SELECT t1.`Key`, t1.`Name` FROM `default`.`w` AS t1 WHERE (t1.`Key` > 3L)
