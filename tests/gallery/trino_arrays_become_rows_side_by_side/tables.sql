CREATE TABLE baskets (id BIGINT, skus ARRAY<STRING>, counts ARRAY<INT>, parts ARRAY<STRUCT<name:STRING,weight:DOUBLE>>);
