CREATE VIEW v AS SELECT to_date(since) AS day, year(since) AS y, datediff(since, '2020-01-01') AS days, date_add(to_date(since), 1) AS next FROM customers;
