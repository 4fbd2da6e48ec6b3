-- dialect: spark
CREATE VIEW v AS SELECT id, to_time(name) AS at, TIME '18:00:00' - to_time(name) AS left_over, hour(to_time(name)) AS hour FROM people;
