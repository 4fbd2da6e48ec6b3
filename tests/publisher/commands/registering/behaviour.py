"""The behaviour of every server for the statements of ``register``, fake or real."""

from __future__ import annotations

import pytest

from publisher.commands.registering.registration import Server, StatementRefused

_CREATE = 'CREATE{} VIEW "{}"."{}"."v v" COMMENT {} AS SELECT 1 AS "a"'


class ServerBehaviour:
    """A subclass has the fixtures ``server`` and ``catalog``."""

    def test_a_schema_that_is_not_there_has_no_comments(self, server: Server, catalog: str) -> None:
        assert server.comments(catalog, "nowhere") is None

    def test_a_view_has_the_comment_that_it_was_last_given(
        self, server: Server, catalog: str
    ) -> None:
        server.run(f'CREATE SCHEMA "{catalog}"."made"')
        assert server.comments(catalog, "made") == {}

        server.run(_CREATE.format("", catalog, "made", "'it''s'"))
        assert server.comments(catalog, "made") == {"v v": "it's"}

        server.run(f"""COMMENT ON COLUMN "{catalog}"."made"."v v"."a" IS 'one'""")
        server.run(f"""COMMENT ON VIEW "{catalog}"."made"."v v" IS U&'two\\000alines'""")
        assert server.comments(catalog, "made") == {"v v": "two\nlines"}

    def test_a_view_is_replaced_only_if_that_is_said(self, server: Server, catalog: str) -> None:
        server.run(f'CREATE SCHEMA "{catalog}"."again"')
        server.run(_CREATE.format("", catalog, "again", "'one'"))

        with pytest.raises(StatementRefused):
            server.run(_CREATE.format("", catalog, "again", "'two'"))
        server.run(_CREATE.format(" OR REPLACE", catalog, "again", "'two'"))

        assert server.comments(catalog, "again") == {"v v": "two"}

    def test_a_statement_that_is_none_and_an_unknown_catalog_are_refused(
        self, server: Server
    ) -> None:
        with pytest.raises(StatementRefused):
            server.run("MAKE VIEW")
        with pytest.raises(StatementRefused):
            server.comments("nocatalog", "s")
