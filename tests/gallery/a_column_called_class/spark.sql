SELECT t1.`class`, t1.`select`, t1.`from` AS `where` FROM `default`.`t` AS t1
