"""Parses statements of many dialects into syntax trees."""
