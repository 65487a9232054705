"""A simulation that a button starts, with its progress and a button to stop it.

What is on screen is always the latest run: settings that were changed since wait for
the button.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import streamlit as st

from dpcore.studies.covariances.covariance_verdicts import Verdict
from ui import session
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dpcore.studies.covariances.covariance_verdicts import Finding

_S = TypeVar("_S")
_T = TypeVar("_T")
_AT_FIRST, _PATIENCE = 1.0, 0.4
_PAUSE = 0.1
MARKS: dict[str, str] = {
    Verdict.HOLDS: ":material/check:",
    Verdict.FAILS: ":material/close:",
    Verdict.DEPENDS: ":material/rule:",
    Verdict.TUNED: ":material/tune:",
    Verdict.UNSEEN: ":material/visibility_off:",
}
"""Signs of verdicts, by their words."""


@dataclass(slots=True, kw_only=True)
class Simulation(Generic[_S, _T]):
    """A run that may still be going on.

    Attributes:
        slot: Which simulation of the app it is of.
        number: Which run of this tab it is.
        asked: The settings that it runs.
        total: How many pieces there are.
        pieces: What it has given so far.

    """

    slot: str
    number: int
    asked: _S
    total: int
    pieces: list[_T] = field(default_factory=list)
    _pending: Iterator[_T]

    @property
    def share(self) -> float:
        """Return how much of the run is done."""
        return len(self.pieces) / self.total

    @property
    def over(self) -> bool:
        """Tell whether it is finished or was stopped."""
        return self.share == 1 or _noted(self.slot, "stopped") == self.number

    def go_on(self, seconds: float) -> None:
        """Compute pieces for about that long."""
        end = time.monotonic() + seconds
        while self.share < 1 and time.monotonic() < end:
            self.pieces.append(next(self._pending))


def latest(
    slot: str,
    asked: _S,
    *,
    total: int,
    begin: Callable[[], Iterator[_T]],
    button: str,
    pieces: str,
) -> Simulation[_S, _T]:
    """Return the latest run once it is finished or stopped; show how far it is.

    While it goes on, the page ends here. A run proceeds in parts of a part of a second
    each, between which the button to stop it is heard.

    Args:
        slot: Which simulation of the app it is.
        asked: The settings on screen, to run at the next press.
        total: How many pieces they make.
        begin: Starts them.
        button: Words on the button.
        pieces: What one piece is called, in the plural.

    """
    st.button(button, type="primary", on_click=_again, args=(slot,), key=f"{slot}-run")
    number = _noted(slot, "run")
    current = session.remember(
        slot,
        str(number),
        lambda: Simulation(
            slot=slot, number=number, asked=asked, total=total, _pending=begin()
        ),
    )
    if not current.pieces:
        with st.spinner(f"Simulating {total} {pieces} …"):
            current.go_on(_AT_FIRST)
    if not current.over:
        st.fragment(_go_on, run_every=_PAUSE)(current, pieces)
        st.stop()
    if current.share < 1:
        st.warning(
            f"Stopped after {len(current.pieces)} of {current.total} {pieces}. What is "
            "shown below is theirs."
        )
    # Always there: an element more would move all others, to be drawn anew.
    hint = st.empty()
    if asked != current.asked:
        hint.info(f"The settings have changed since this run. “{button}” shows them.")
    return current


def verdicts(found: Sequence[Finding]) -> None:
    """Hold what a source says against a run."""
    st.markdown(
        "\n".join(
            f"- {MARKS[one.verdict]} **{one.verdict}.** "
            f"{literal(one.claim)} {literal(one.evidence)}"
            for one in found
        )
    )


def _go_on(current: Simulation[Any, Any], pieces: str) -> None:
    """Show how far the run is, and take it a piece further."""
    done = len(current.pieces)
    st.progress(current.share, text=f"{done} of {current.total} {pieces} done")
    st.button("Stop", on_click=_stop, args=(current,), key=f"{current.slot}-stop")
    if not current.over:
        current.go_on(_PATIENCE)
    if current.over:
        st.rerun()


def _again(slot: str) -> None:
    session.set_public(f"_{slot}_run", _noted(slot, "run") + 1)


def _stop(current: Simulation[Any, Any]) -> None:
    session.set_public(f"_{current.slot}_stopped", current.number)


def _noted(slot: str, what: str) -> int:
    number = session.public(f"_{slot}_{what}")
    # Runs are counted from 0, and none has been stopped yet.
    return number if isinstance(number, int) else -(what == "stopped")
