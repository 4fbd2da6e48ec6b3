CREATE VIEW v AS
SELECT s.home AS shop_home, c.home AS client_home, c.office AS client_office, c.kind
FROM shop s JOIN client c ON s.id = c.id;
