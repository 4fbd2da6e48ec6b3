SELECT t1.`Id`, t1.`Name`, t1.`Born`, t1.`Home`, t1.`Mails` FROM `default`.`people` AS t1 WHERE ((t1.`Id` > CAST(10 AS BIGINT)) AND (t1.`Name` LIKE 'a%'))
