"""Translates a dbt project, whose models are written for one engine, to models for another."""
