SELECT t1.`id` AS `Number`, t1.`name` AS `Title` FROM `default`.`t` AS t1
