CREATE VIEW v AS SELECT year, sum(volume) / sum(total) AS share FROM orders GROUP BY year HAVING count(*) > 1;
