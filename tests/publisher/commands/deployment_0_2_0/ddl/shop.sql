CREATE TABLE Shop.Orders (Id BIGINT, place STRUCT<street: STRING, unit: STRING>, note STRING);
CREATE TABLE shop.`order-lines` (id BIGINT);
CREATE VIEW shop.places AS SELECT Id, place FROM shop.orders;
CREATE VIEW shop.wrong AS SELECT nothing FROM shop.orders;
