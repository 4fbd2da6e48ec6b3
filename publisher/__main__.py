"""``python -m publisher`` is ``schema-publisher``."""

from publisher.commands.cli import main

main()
