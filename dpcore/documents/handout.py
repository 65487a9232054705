"""What a class takes along from a path of lessons, and the key to its questions.

>>> from dpcore.lessons.paths import PATHS
>>> board = PATHS["board"]
>>> "Takeaway" in handout(board), "Takeaway" in answer_key(board)
(False, True)
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from dpcore.documents.rendering import Numerals, render
from dpcore.lessons.paths import Path

_LETTERS: Final = "ABCDEFGH"


def handout(path: Path) -> str:
    """Return the situations and questions of a path, to answer on paper."""
    return _page("handout", path)


def answer_key(path: Path) -> str:
    """Return right answers with their reasons, and notes for the teacher."""
    return _page("answers", path, mark="For the teacher: hand it out afterwards.")


def _page(template: str, path: Path, *, mark: str = "") -> str:
    begins = accumulate((minutes for _, minutes in path.stops), initial=0)
    schedule = [
        (path.lessons[key], begun, minutes)
        for (key, minutes), begun in zip(path.stops, begins, strict=False)
    ]
    return render(
        f"{template}.html",
        Numerals.POINT,
        path=path,
        schedule=schedule,
        letters=_LETTERS,
        mark=mark,
    )
