"""Parses statements of many dialects into raw trees."""
