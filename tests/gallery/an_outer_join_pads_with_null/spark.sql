SELECT t1.`Id`, t2.`Id` AS `CompanyId`, t2.`Address` FROM `default`.`member` AS t1 LEFT JOIN `default`.`company` AS t2 ON (t1.`CompanyId` = t2.`Id`)
