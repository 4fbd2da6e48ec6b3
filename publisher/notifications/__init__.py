"""Notifies people and programs of major versions, broken relations and held deletions."""
