"""Policies on tables and views: their rules, which rules apply, and how values are masked."""
