SELECT CAST(sum(t1.`Id`) AS BIGINT) AS `total`, CAST(avg(t1.`Id`) AS DOUBLE) AS `mean`, CAST(min(t1.`Name`) AS STRING) AS `first_name` FROM `default`.`people` AS t1
