"""The tables in ``docs/`` equal the declarations of the program and of ``benchmarks.json``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from docs.figures import PREFIX, figures
from docs.reference import (
    COMMANDS,
    METRICS,
    PAGES,
    command_names,
    regenerated,
    sections,
    tables_of,
)
from publisher.commands.examples import EXAMPLES
from publisher.daemon.metrics import COUNTER_HELP, GAUGE_HELP, HISTOGRAM_HELP, REQUEST_HELP
from publisher.settings.meanings import meanings

DOCS = Path(__file__).parents[1] / "docs"
MODELS = sorted({model for models in sections().values() for model in models}, key=str)


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_tables_are_current(page: str) -> None:
    text = text_of(page)

    assert text == regenerated(text), f"docs/{page} is out of date: run `make reference`"


def test_every_section_of_the_settings_has_one_table_and_so_have_metrics_and_commands() -> None:
    shown = [name for page in PAGES for name in tables_of(text_of(page))]
    assert shown.count(METRICS) == shown.count(COMMANDS) == 1
    of_settings = [name for name in shown if name not in {METRICS, COMMANDS}]

    named = [name for name in of_settings if not name.startswith(PREFIX)]
    models = [model for name in named for model in sections()[name]]

    assert sorted(models, key=str) == MODELS


@pytest.mark.parametrize("model", MODELS)
def test_every_setting_says_what_it_means(model: type[BaseModel]) -> None:
    said = meanings(model)

    assert [name for name in model.model_fields if not said.get(name)] == []


def test_a_row_has_all_that_is_declared_of_a_setting() -> None:
    rows = re.findall(r"(?m)^\| `workers` \|.*$", regenerated(marked("engine")))

    assert rows == [
        "| `workers` | whole number, 1 to 64 | `2` | The number of threads. Each has a process for derivations. |"
    ]


def test_a_section_of_several_kinds_has_a_table_of_each() -> None:
    made = regenerated(marked("catalog"))

    kinds = re.findall(r'(?m)^### `kind = "(\w+)"`$', made)
    assert kinds == ["hive", "ddl", "spark", "iceberg"]
    assert made.count("| `max_connections` |") == 3
    assert made.count("| `dialect` |") == 1


def test_the_metrics_are_all_there_with_their_types() -> None:
    made = regenerated(marked(METRICS))

    rows = re.findall(r"(?m)^\| `schema_publisher_(\w+)` \| (\w+) \|", made)
    assert len(rows) == len(COUNTER_HELP) + len(REQUEST_HELP) + len(GAUGE_HELP) + len(
        HISTOGRAM_HELP
    )
    assert ("published_total", "counter") in rows
    assert ("work", "gauge") in rows
    assert ("event_to_installable_seconds", "histogram") in rows


def test_every_table_of_figures_is_shown_once() -> None:
    shown = [name for name in tables_of(text_of("benchmarks.md")) if name.startswith(PREFIX)]

    assert sorted(shown) == sorted({PREFIX + figure.table for figure in figures()})


def test_the_page_says_how_each_figure_is_measured() -> None:
    commands = set(re.findall(r"`make ([\w-]+)", text_of("benchmarks.md")))

    assert {figure.benchmark for figure in figures()} <= commands


def test_a_figure_has_the_ratio_that_was_measured_or_that_of_its_values() -> None:
    rows = regenerated(marked(f"{PREFIX}speed"))

    assert "| 1.4 | sqlglot: parse, qualify, annotate |  | 0.93 | ms of CPU |" in rows
    assert "| 1.22 | sqlglot, without indirect lineage | 4.31 | 0.28 | ms |" in rows


def test_every_command_has_a_row_and_a_heading() -> None:
    made = regenerated(marked(COMMANDS))

    assert re.findall(r"(?m)^## (.+)$", made) == command_names()
    assert re.findall(r"(?m)^\| \[`([\w -]+)`\]", made) == command_names()


def test_a_command_has_its_help_its_options_and_its_examples() -> None:
    made = regenerated(marked(COMMANDS))

    _, _, explain = made.partition("\n## explain\n")
    explain, _, _ = explain.partition("\n## ")

    assert "| `RELATION` | database.table, such as shop.orders |" in explain
    assert "| `--config, -c` | Settings file;" in explain
    assert explain.rstrip().endswith("```sh\nschema-publisher explain shop.orders\n```")


def test_examples_begin_with_the_program_or_feed_it() -> None:
    made = regenerated(marked(COMMANDS))

    shown = [
        line
        for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", made)
        for line in block.splitlines()
    ]

    assert len(shown) == sum(map(len, EXAMPLES.values()))
    assert not [line for line in shown if not re.search(r"(^|\| )schema-publisher ", line)]


def test_what_stands_around_a_table_stays() -> None:
    page = f"before | `key`\n\n{marked('state')}\nafter"

    made = regenerated(page)

    assert made.startswith("before | `key`\n\n<!-- generated")
    assert made.endswith("<!-- end -->\nafter")
    assert "stale" in page
    assert "stale" not in made


@pytest.mark.parametrize("name", ["no-such-section", f"{PREFIX}no-such-table"])
def test_a_marker_that_names_nothing_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        regenerated(marked(name))


def marked(name: str) -> str:
    return f"<!-- generated by make reference: {name} -->\n| `stale` | |\n<!-- end -->"
