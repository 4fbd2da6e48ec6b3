SELECT t1.`Address`.`State`, t1.`Address`.`StreetName` AS `Street` FROM `default`.`company` AS t1 WHERE (NOT (t1.`Address` IS NULL))
