SELECT t1.`Name` AS `Name`, CAST(collect_list(t1.`Born`) AS ARRAY<DATE>) AS `births`, CAST(collect_set(t1.`Id`) AS ARRAY<BIGINT>) AS `ids` FROM `default`.`people` AS t1 GROUP BY t1.`Name`
