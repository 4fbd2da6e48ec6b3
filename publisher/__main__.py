"""Runs ``schema-publisher`` for ``python -m publisher``."""

from publisher.commands.cli import main

main()
