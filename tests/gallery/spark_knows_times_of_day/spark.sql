SELECT t1.`Id` AS `id`, to_time(t1.`Name`) AS `at`, (TIME '18:00:00' - to_time(t1.`Name`)) AS `left_over`, hour(to_time(t1.`Name`)) AS `hour` FROM `default`.`people` AS t1
