SELECT t1.`id`, t1.`name` FROM `default`.`people` AS t1 ORDER BY CAST(concat(t1.`name`, ' LIMIT ') AS STRING) ASC NULLS LAST LIMIT 10
