"""Sources of hints: the metastore's notification log, a Kafka topic, a watched folder."""
