-- dialect: spark
CREATE VIEW v AS SELECT id, rank() OVER w AS place, first_value(born) OVER w AS first_born FROM people WINDOW w AS (PARTITION BY name ORDER BY id);
