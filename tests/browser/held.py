"""The app, with long work that can be held after its first pieces, and let go.

Whoever looks at its progress, or presses "Stop", is never too late, however slow the
machine is. It is started like Streamlit itself: ``python -m tests.browser.held run``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from streamlit.web import cli

from ui.work import Work

FEW = 2
_whole = Work.go_on


def gate(home: Path) -> Path:
    """Return the file whose presence holds the work of a server."""
    return home.parent / "hold"


def _go_on(work: Work[object], seconds: float) -> None:
    if len(work.pieces) < FEW:
        _whole(work, 0.0)
    elif gate(Path(os.environ["EPSILON_STUDIO_HOME"])).exists():
        time.sleep(seconds)
    else:
        _whole(work, seconds)


if __name__ == "__main__":
    Work.go_on = _go_on  # type: ignore[method-assign]
    cli.main()
