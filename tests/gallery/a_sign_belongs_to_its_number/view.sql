-- dialect: spark
CREATE VIEW v AS SELECT d + -2 AS less, -1.50 AS owed, -2147483648 AS least, -(2147483648) AS negated, -9223372036854775808 AS lowest FROM t;
