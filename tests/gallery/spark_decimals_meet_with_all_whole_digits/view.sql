-- dialect: spark
CREATE VIEW v AS SELECT if(n > 0, price, total) AS either, array(price, small) AS both, coalesce(total, n) AS one FROM t;
