SELECT t1.`c`, t1.`v`, CAST(concat(t1.`c`, t1.`v`) AS STRING) AS `joined`, CAST(coalesce(t1.`c`, t1.`v`) AS STRING) AS `one` FROM `default`.`t` AS t1
