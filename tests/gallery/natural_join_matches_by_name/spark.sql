SELECT t1.`name`, t1.`country`, t1.`since`, t1.`score`, t1.`active`, t2.`page` FROM `default`.`customers` AS t1 INNER JOIN `default`.`visits` AS t2 ON (t1.`name` = t2.`name`)
