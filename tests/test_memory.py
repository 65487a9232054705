"""What a process keeps of the memory that it no longer uses."""

import platform
import subprocess
import sys

import pytest

from dpcore import memory

_FAULTS = """
import resource
import numpy as np
from dpcore import memory

def faults(numbers):
    for _ in range(2):  # the first time, there is nothing at hand
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(50):
            np.ones(numbers)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    return (after - before) / 50

memory.give_back_columns()
print(faults(1 << 20))
with memory.some_at_hand():
    print(faults(1 << 16))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="settings of glibc")
def test_blocks_stay_at_hand_and_columns_go_back():
    run = [sys.executable, "-c", _FAULTS]
    told = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    column, block = map(float, told.split())
    assert block < 1
    assert column >= 1


def test_memory_at_hand_is_given_back_even_where_a_file_cannot_be_read(monkeypatch):
    done = []
    monkeypatch.setattr(memory, "_set", lambda _, size: done.append(size))
    monkeypatch.setattr(memory, "give_back", lambda: done.append("back"))

    @memory.some_at_hand()
    def read() -> None:
        assert len(done) == 3
        raise ValueError("no table")

    with pytest.raises(ValueError, match="no table"):
        read()
    _, kept, taken, left, nothing, last = done
    assert kept > left
    assert taken > nothing == 0
    assert last == "back"
