"""The real stack under kills, pauses, lies and hostile input, judged from outside: ``make chaos``.

``lint-imports`` checks that nothing here imports the engine: the DDL alone says what the engine should
have published.
"""
