"""Where hints come from: the metastore's notification log, a Kafka topic, a watched folder."""
