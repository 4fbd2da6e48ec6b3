"""Statements of many dialects: text → raw trees."""
