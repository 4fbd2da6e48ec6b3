CREATE VIEW v AS SELECT name, collect_list(born) AS births, collect_set(id) AS ids FROM people GROUP BY name;
