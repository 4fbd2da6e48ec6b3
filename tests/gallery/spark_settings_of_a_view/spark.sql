SELECT t1.`id`, (t1.`price` / t1.`share`) AS `ratio`, CAST(t1.`note` AS TIMESTAMP_NTZ) AS `noted` FROM `default`.`trips` AS t1
