CREATE VIEW v AS SELECT m.id, c.id AS CompanyId, c.address FROM member m LEFT JOIN company c ON m.companyid = c.id;
