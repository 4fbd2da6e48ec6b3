"""Avro schemas as values: parse, print, canonical form, fingerprints, compatibility."""
