"""The users affected by a plan.

They come from lock files, download counts and a query log, which are untrusted.
"""
