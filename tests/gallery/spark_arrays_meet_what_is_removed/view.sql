-- dialect: spark
CREATE VIEW v AS SELECT array_remove(array(price, price), id) AS prices, array_remove(weights, id) AS weights, nanvl(weights[0], weights[1]) AS weight, nanvl(weights[0], 0) AS other FROM t;
