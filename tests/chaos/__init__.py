"""The real stack under kills, pauses, lies and hostile input, judged from outside: ``make chaos``.

Nothing here imports the engine, as ``lint-imports`` checks: what it should have published is known from
the DDL that was issued.
"""
