SELECT t1.`Id` AS `MemberId`, t1.`Name` FROM `default`.`member` AS t1
