CREATE VIEW v AS SELECT id, prices AS by_year, prices[2020] AS latest, prices[2020].net AS net, map(1, id) AS made, size(prices) AS many, places FROM orders;
