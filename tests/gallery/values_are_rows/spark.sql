SELECT t1.`c0` AS `id`, t1.`c1` AS `word` FROM VALUES (1, 'a'), (2, CAST(NULL AS STRING)) AS t1(`c0`, `c1`)
