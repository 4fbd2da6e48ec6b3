SELECT t1.`items`.`sku` AS `skus`, t1.`items`[0].`count` AS `first_count` FROM `default`.`orders` AS t1
