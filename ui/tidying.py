"""What the process holds in memory, and how long the interpreter looks through it.

After every run of a page Streamlit collects garbage, which visits every object that
there is: hundreds of thousands belong to imported packages, and while they are visited
no answer reaches the browser. They are set aside. Everything is looked through again
where a tab's table has gone, so that nothing of it stays.
"""

from __future__ import annotations

import gc

from starlette.formparsers import MultiPartParser


def tidy() -> None:
    """Collect all garbage, and set what is left aside."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def keep_uploads(largest: int) -> None:
    """Receive files of up to that many bytes in memory.

    Left alone, what is larger than 1 MB passes through a file on disk, where nothing
    confidential belongs, and a thread for every 64 kB of it.
    """
    MultiPartParser.spool_max_size = largest
