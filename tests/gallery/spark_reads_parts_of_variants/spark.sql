SELECT t1.`Id`, variant_get(parse_json(t1.`Name`), '$.mail', 'string') AS `mail`, parse_json(t1.`Name`) AS `whole` FROM `default`.`people` AS t1
