-- dialect: spark
CREATE VIEW v AS SELECT id, place.*, struct(*) AS whole FROM (SELECT * EXCEPT (total, place.zip) FROM orders);
