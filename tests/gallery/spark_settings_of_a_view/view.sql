-- dialect: spark
CREATE VIEW v TBLPROPERTIES (
  'view.sqlConfig.spark.sql.ansi.enabled' = 'true',
  'view.sqlConfig.spark.sql.ansi.doubleQuotedIdentifiers' = 'true',
  'view.sqlConfig.spark.sql.decimalOperations.allowPrecisionLoss' = 'false',
  'view.sqlConfig.spark.sql.timestampType' = 'TIMESTAMP_NTZ',
  'view.sqlConfig.spark.sql.session.timeZone' = 'Europe/Berlin'
) AS SELECT "id", price / share AS ratio, CAST(note AS TIMESTAMP) AS noted FROM trips;
