-- dialect: spark
CREATE VIEW v AS SELECT born, explode(collect_list(home)) AS home, count(*) AS people FROM people GROUP BY born;
