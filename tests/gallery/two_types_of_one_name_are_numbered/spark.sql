SELECT t1.`home` AS `shop_home`, t2.`home` AS `client_home`, t2.`office` AS `client_office`, t2.`kind` FROM `default`.`shop` AS t1 INNER JOIN `default`.`client` AS t2 ON (t1.`id` = t2.`id`)
