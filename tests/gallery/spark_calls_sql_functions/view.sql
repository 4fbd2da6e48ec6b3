-- dialect: spark
CREATE VIEW v AS
SELECT s.id, upper(s.customer) AS customer, s.units,
  in_currency(code => 'EUR', amount => s.units) AS euros,
  in_units(o.cents, 1000) AS thousands
FROM orders o, LATERAL since(o.day) s;
