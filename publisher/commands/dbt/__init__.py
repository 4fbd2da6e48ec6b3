"""A dbt project whose models are written once, for one engine → the same models for another."""
