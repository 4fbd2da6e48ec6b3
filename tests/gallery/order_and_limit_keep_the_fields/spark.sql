SELECT t1.`Id`, t1.`Name` FROM `default`.`people` AS t1 ORDER BY t1.`Born` DESC NULLS FIRST LIMIT 10
