SELECT t1.`Id`, t1.`Name`, t1.`Born`, CAST(t1.`Home` AS STRUCT<`Street`: STRING, `Zip`: INT>) AS `Home`, t1.`Mails` FROM `default`.`people` AS t1 WHERE ((t1.`Id` > 10L) AND (t1.`Name` LIKE 'a%'))
