-- dialect: spark
CREATE VIEW v AS SELECT shiftleft(i, 1) AS i, shiftright(b, 2) AS b, d << 1 AS d, shiftleft(s, 3) AS s FROM t;
