CREATE TABLE orders (id BIGINT NOT NULL, customer STRING, cents INT NOT NULL, day DATE) USING delta;
CREATE TABLE rates (currency STRING NOT NULL, rate DECIMAL(10,4)) USING delta;
CREATE FUNCTION in_units(cents INT, per_unit INT DEFAULT 100) RETURNS DECIMAL(12,2)
  COMMENT 'whole units of a currency' RETURN cents / per_unit;
CREATE FUNCTION in_currency(amount DECIMAL(12,2), code STRING) RETURNS DOUBLE
  RETURN (SELECT max(amount * rate) FROM rates WHERE currency = code);
CREATE FUNCTION since(first DATE) RETURNS TABLE (id BIGINT, customer STRING, units DECIMAL(12,2))
  RETURN SELECT id, customer, in_units(cents) FROM orders WHERE day >= first;
