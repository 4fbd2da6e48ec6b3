CREATE VIEW v AS SELECT address.state AS State FROM west UNION ALL SELECT address.state FROM east;
