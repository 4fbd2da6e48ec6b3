SELECT CAST(coalesce(t1.`id`, t2.`id`) AS INT) AS `id`, t1.`name`, t2.`label` FROM `default`.`t` AS t1 FULL JOIN `default`.`u` AS t2 ON (t1.`id` = t2.`id`)
