SELECT t1.`id` AS `id`, t1.`name` AS `name`, count(1) AS `n` FROM `default`.`people` AS t1 GROUP BY t1.`id`, t1.`name` GROUPING SETS ((t1.`id`), (t1.`name`), (t1.`id`, t1.`name`))
