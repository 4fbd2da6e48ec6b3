CREATE VIEW v AS SELECT address.state, address.streetname AS Street FROM company WHERE address IS NOT NULL;
