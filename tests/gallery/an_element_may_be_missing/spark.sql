SELECT t1.`Mails`[0] AS `mail`, t1.`Home`.`Street`, CAST(size(t1.`Mails`) AS INT) AS `n` FROM `default`.`people` AS t1
