-- dialect: spark
CREATE VIEW v AS SELECT born, listagg(name, ', ') WITHIN GROUP (ORDER BY id DESC) FILTER (WHERE id > 0) AS names, percentile_cont(0.5) WITHIN GROUP (ORDER BY id) AS middle, mode() WITHIN GROUP (ORDER BY name) AS usual, collect_list(home) RESPECT NULLS AS homes FROM people GROUP BY born;
