import sqlite3

import pytest

from casmopolitan.study.storage.write_ahead import on_local_disk, write_ahead

MOUNTS = """overlay / overlay rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sda1 /home/local ext4 rw 0 0
gcs /data\\040sets fuse.gcsfuse rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "local"),
    [("/tmp/a.db", True), ("/home/a.db", False), ("/home/local/a.db", True), ("/data sets/a.db", False), ("/homes/a.db", True)],
)
def test_a_shared_file_system_is_told_from_a_disk(path, local, tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert on_local_disk(type(tmp_path)(path), mounts) is local


def test_where_nothing_is_known_of_file_systems_none_is_local(tmp_path):
    assert not on_local_disk(tmp_path / "a.db", tmp_path / "no such file")


def test_a_file_on_a_disk_is_written_ahead(tmp_path):
    database = str(tmp_path / "a.db")
    done = write_ahead(database)
    with sqlite3.connect(database) as connection:
        assert done == (connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal")
    connection.close()


@pytest.mark.parametrize("database", [None, "", ":memory:", "file:a?mode=memory", "/no/such/folder/a.db"])
def test_what_is_no_file_is_left_alone(database):
    assert write_ahead(database) is False
