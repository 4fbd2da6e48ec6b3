CREATE VIEW v AS SELECT mails[0] AS mail, home.street, size(mails) AS n FROM people;
