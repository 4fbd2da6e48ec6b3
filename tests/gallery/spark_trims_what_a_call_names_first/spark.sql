SELECT trim('x', t1.`s`) AS `a`, trim('x', t1.`s`) AS `b`, ltrim('x', t1.`s`) AS `c`, rtrim('x', t1.`s`) AS `d`, btrim(t1.`s`, 'x') AS `e` FROM `default`.`t` AS t1
