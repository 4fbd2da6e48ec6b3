SELECT shiftleft(CAST(t1.`i` AS INT), 1) AS `i`, shiftright(t1.`b`, 2) AS `b`, (CAST(t1.`d` AS INT) << 1) AS `d`, shiftleft(CAST(t1.`s` AS INT), 3) AS `s` FROM `default`.`t` AS t1
