import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.detached_stack import StackOptions, down, up
from deploy.errors import StackConflict
from deploy.server_process import ProcessIdentity, end_processes
from deploy.stack_record import FILE_NAME, ServerRecord, StackRecord, read_record, write_record

SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]


def record_of(process: ProcessIdentity) -> StackRecord:
    server = ServerRecord(process, "kafka.log", {"bootstrap_servers": "127.0.0.1:1"})
    return StackRecord({"kafka": server}, keeps_data=False)


def test_a_record_reads_back_as_itself(tmp_path: Path) -> None:
    record = record_of(ProcessIdentity(4242, "17 a-boot"))

    write_record(tmp_path, record)

    assert read_record(tmp_path) == record


def test_a_record_is_for_its_owner_only(tmp_path: Path) -> None:
    write_record(tmp_path, record_of(ProcessIdentity(4242, "17")))

    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0


def test_a_directory_without_a_record_holds_no_stack(tmp_path: Path) -> None:
    assert read_record(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"servers": {"kafka": 1}}', '{"servers": []}'])
def test_a_file_that_is_not_a_record_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)

    with pytest.raises(StackConflict, match=FILE_NAME):
        down(tmp_path, keep_data=False)

    assert (tmp_path / FILE_NAME).read_text() == text


def test_a_stack_whose_process_lives_is_running(tmp_path: Path) -> None:
    itself = ProcessIdentity.of(os.getpid())
    assert itself is not None

    assert record_of(itself).is_running()


def test_another_process_with_the_recorded_id_is_not_the_stack(tmp_path: Path) -> None:
    assert not record_of(ProcessIdentity(os.getpid(), "another start")).is_running()


def test_a_process_that_has_ended_and_waits_for_its_parent_is_not_alive() -> None:
    child = subprocess.Popen(SLEEPS)
    identity = ProcessIdentity.of(child.pid)
    assert identity is not None
    child.kill()

    end_processes([identity])

    assert not identity.is_alive()
    child.wait()


def test_ending_spares_a_process_that_only_has_the_recorded_id() -> None:
    with subprocess.Popen(SLEEPS) as child:
        end_processes([ProcessIdentity(child.pid, "another start")])

        assert child.poll() is None
        child.kill()


def test_down_ends_what_the_record_names_and_removes_only_our_files(tmp_path: Path) -> None:
    with subprocess.Popen(SLEEPS) as child:
        identity = ProcessIdentity.of(child.pid)
        assert identity is not None
        (tmp_path / "kafka").mkdir()
        (tmp_path / "notes.txt").write_text("mine")
        write_record(tmp_path, record_of(identity))

        down(tmp_path, keep_data=False)

        assert child.wait(10) != 0
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_up_refuses_a_directory_whose_files_it_may_not_own(tmp_path: Path) -> None:
    (tmp_path / "kafka").mkdir()

    with pytest.raises(StackConflict, match="kafka exists"):
        up(tmp_path, StackOptions(servers=("kafka",)))


def test_up_refuses_other_servers_than_those_that_run(tmp_path: Path) -> None:
    itself = ProcessIdentity.of(os.getpid())
    assert itself is not None
    write_record(tmp_path, record_of(itself))

    with pytest.raises(StackConflict, match="another stack"):
        up(tmp_path, StackOptions(servers=("pypiserver",)))


def test_up_finds_the_stack_that_runs_already(tmp_path: Path) -> None:
    itself = ProcessIdentity.of(os.getpid())
    assert itself is not None
    write_record(tmp_path, record_of(itself))

    found = up(tmp_path, StackOptions(servers=("kafka",)))

    assert json.loads((tmp_path / FILE_NAME).read_text())["servers"].keys() == found.servers.keys()
