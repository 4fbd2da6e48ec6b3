CREATE VIEW v AS SELECT id AS MemberId, Name FROM member;
