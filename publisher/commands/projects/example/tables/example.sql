CREATE DATABASE example;

CREATE TABLE example.member (id BIGINT, name STRING, companyid BIGINT, position STRING);

CREATE TABLE example.company (id BIGINT, name STRING);
