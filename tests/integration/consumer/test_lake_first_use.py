"""A newcomer's server first uses the packages of a lake from many threads at once."""

from __future__ import annotations

from typing import Final

import pytest

from tests.integration.consumer.lake import RELATIONS
from tests.integration.consumer.lake_installed import Lake

_PROGRAM: Final = """\
import json, threading
sys.setswitchinterval(1e-6)
for p in packages:
    R, outcomes, start = p.RECORD, [], threading.Barrier(16)
    {before}
    def act():
        return {act}
    def work():
        start.wait()
        try:
            outcomes.append(act())
        except BaseException as error:
            outcomes.append(repr(error))
    threads = [threading.Thread(target=work) for _ in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    expected = act()
    assert len(outcomes) == 16 and all(each == expected for each in outcomes), (p.RELATION, outcomes)
    assert {true}, p.RELATION
    print(p.RELATION)
"""


def used_first_by_threads(
    lake: Lake, act: str, true: str, before: str = "r = R.example(3)"
) -> None:
    """Sixteen threads of a fresh process, of each package in turn, all have what one has later."""
    said = lake.ran(_PROGRAM.format(act=act, true=true, before=before))

    assert said.split() == [str(relation) for relation in RELATIONS]


def test_threads_write_json_first(lake: Lake) -> None:
    used_first_by_threads(lake, "r.to_json()", "R.from_json(expected) == r")


def test_threads_read_json_first(lake: Lake) -> None:
    text = "r = R.example(3); text = json.dumps(R.from_json(r.to_json()).to_dict(mode='json'))"
    # Written by one thread; the readers are made anew by importing the package again.
    again = (
        f"{text}\n"
        "    names = [n for n in sys.modules if n == p.__name__ or n.startswith(p.__name__ + '.')]\n"
        "    for n in names: del sys.modules[n]\n"
        "    p = importlib.import_module(p.__name__); R = p.RECORD; r = R.example(3)"
    )

    used_first_by_threads(lake, "R.from_json(text)", "expected == r", again)


def test_threads_write_avros_json_first(lake: Lake) -> None:
    true = "R.from_json(expected, form='avro') == r"
    used_first_by_threads(lake, "r.to_json(form='avro')", true)


def test_threads_encode_and_decode_first(lake: Lake) -> None:
    used_first_by_threads(lake, "R.from_avro(r.to_avro())", "expected == r")


def test_threads_make_plain_values_first(lake: Lake) -> None:
    used_first_by_threads(lake, "R.from_dict(r.to_dict())", "expected == r")


def test_threads_make_examples_first(lake: Lake) -> None:
    used_first_by_threads(lake, "R.example(3)", "expected.validate() is expected", "pass")


def test_threads_resolve_another_writers_schema_first(lake: Lake) -> None:
    before = (
        "r = R.example(3); data = r.to_avro()\n"
        "    s = json.loads(p.SCHEMA); s['doc'] = 'another'; writer = json.dumps(s)"
    )

    used_first_by_threads(lake, "R.from_avro(data, writer)", "expected == r", before)


def test_threads_ask_for_fields_and_schemas_first(lake: Lake) -> None:
    before = "import dataclasses, inspect"
    act = "([f.name for f in dataclasses.fields(R)], R.SCHEMA, str(inspect.signature(R)))"

    used_first_by_threads(
        lake, act, "len(expected[0]) == len(json.loads(R.SCHEMA)['fields'])", before
    )


def test_threads_replace_validate_and_compare_first(lake: Lake) -> None:
    act = "(r.replace() == r, r.validate() is r, p.diff(r, R.example(3)), repr(r))"

    used_first_by_threads(lake, act, "expected[:3] == (True, True, [])")


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_worker_processes_exchange_records(lake: Lake, method: str) -> None:
    program = """\
import multiprocessing
from acme_schemas.shop.orders import RECORD
if __name__ == "__main__":
    records = [RECORD.example(seed) for seed in range(4)]
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(RECORD.to_avro, records) == [record.to_avro() for record in records])
"""
    assert lake.ran(program, method) == "True\n"
