"""A ledger on a disk that is full, or that cannot be written to."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess

import pytest

from dpcore.errors import LedgerError
from dpcore.ledger.ledger import Ledger
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from tests.releases.sample_releases import spend

FULL = r"disk .* is full\. Nothing was charged\. Make room"
NO_WRITING = r"cannot be written to\. Nothing was charged"
# In steps of 4 kB, up to where there is room for all.
ROOMS = range(0, 96, 4)


def open_account(ledger):
    ledger.open_account("table", PrivacyBudget.of(epsilon=5.0), NeighboringRelation.SUBSTITUTION)


@pytest.fixture
def disk(tmp_path):
    """A disk of 600 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    try:
        system("mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", disk)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root of a Linux machine can mount a disk")
    yield disk
    system("umount", disk)


def system(program, *arguments):
    command = [shutil.which(program) or program, *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True)


def fill(disk, *, room):
    """Fill the disk, but for that many kilobytes."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    filling = disk / "filling"
    filling.write_bytes(bytes(max(0, free - room * 1024)))
    return filling


def attempt(action, *arguments):
    """Return whether there was room."""
    try:
        action(*arguments)
    except LedgerError as error:
        with pytest.raises(LedgerError, match=FULL):
            raise error from None
        return False
    return True


def test_a_release_on_a_full_disk_is_charged_and_answered_or_neither(disk):
    path = disk / "home" / "ledger.sqlite3"
    ledger = Ledger.at(path)
    open_account(ledger)
    paid = set()
    for room in ROOMS:
        filling = fill(disk, room=room)
        if attempt(spend, Ledger.at(path), f"a-{room}"):
            paid.add(room)
        filling.unlink()
        assert ledger.account("table").releases == len(ledger.releases("table"))
        assert ledger.account("table").releases == len(paid)
    assert 0 not in paid
    assert max(ROOMS) in paid
    ledger.verify()
    spend(ledger, "afterwards")


def test_a_new_ledger_on_a_full_disk_can_be_made_later(disk):
    made = []
    for room in ROOMS:
        path = disk / str(room) / "ledger.sqlite3"
        filling = fill(disk, room=room)
        made.append(attempt(open_account, Ledger.at(path)))
        filling.unlink()
        open_account(Ledger.at(path))
        spend(Ledger.at(path), "a")
        Ledger.at(path).verify()
        shutil.rmtree(path.parent)
    assert (made[0], made[-1]) == (False, True)


def test_a_disk_for_reading_only_can_be_looked_at_and_not_charged(disk):
    path = disk / "home" / "ledger.sqlite3"
    open_account(Ledger.at(path))
    spend(Ledger.at(path), "a")
    system("mount", "-o", "remount,ro", disk)
    assert Ledger.at(path).account("table").releases == 1
    with pytest.raises(LedgerError, match=NO_WRITING):
        spend(Ledger.at(path), "b")
    with pytest.raises(LedgerError, match=NO_WRITING):
        open_account(Ledger.at(disk / "new" / "ledger.sqlite3"))
    system("mount", "-o", "remount,rw", disk)
    spend(Ledger.at(path), "b")
    Ledger.at(path).verify()


@pytest.mark.parametrize(
    ("number", "told"), [(errno.ENOSPC, FULL), (errno.EDQUOT, FULL), (errno.EROFS, NO_WRITING)]
)
def test_a_file_that_cannot_be_written_is_explained(tmp_path, monkeypatch, number, told):
    path = tmp_path / "home" / "ledger.sqlite3"

    def refused(_):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refused)
        with pytest.raises(LedgerError, match=told):
            open_account(Ledger.at(path))
    open_account(Ledger.at(path))
    spend(Ledger.at(path), "a")
    Ledger.at(path).verify()
