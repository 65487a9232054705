"""The controls, as every page shows them: cells of a `row`, or right `HERE`.

Whoever adds a box for a number calls the method that says what it is: `delta`, `seed`,
`draw`, `numbers` (several in one line), else `number`, with `EPSILON_HELP` where it is
an ε; for what a release or a budget is charged by, `charged_epsilon`, `charged_delta`,
else `charged`. A whole number starts from an ``int`` and any other from a ``float``;
so do its limits. The words beside a question mark are called ``note``.

What one decides is where the setting is kept. A public setting is part of the address,
so that a link shows what its sender saw. A setting of a question or of the terms begins
anew with another ``table``. What describes the table in use (its key has
the generation of the session in it, or names a column) stays out of addresses, and is
kept for the ``session``. What leads to a single person, or waits for a button of its
own, is forgotten with the ``page``.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dpcore.errors import ParameterError
from dpcore.figures.attackers import belief_text, surest
from dpcore.formatting import in_full
from ui import session
from ui.text import sentence_of

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

Kept = Literal["address", "table", "session", "page"]
_N = TypeVar("_N", int, float)
_T = TypeVar("_T")
KEPT: dict[Kept, dict[str, Any]] = {
    "address": {"bind": "query-params"},
    # In the address, too, and begun anew with another table (``begin``).
    "table": {"bind": "query-params"},
    "session": {"persist_state": "session"},
    "page": {},
}
EPSILON_HELP = (
    "How much one privacy unit can change the odds of any answer. At 0.1 hardly, at 1 "
    f"{belief_text(1.0)}, at 5 up to {surest(5.0)}."
)
_PARTS = (1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9)
EPSILONS = (*(round(part * at, 3) for at in (0.01, 0.1, 1.0) for part in _PARTS), 10.0)
"""What a slider of ε stops at: round numbers that are nearly as far apart as their logarithms."""
DELTA_HELP = (
    "The chance that the guarantee fails for a person. Keep it far below one in the "
    "number of people; 0 for all Laplace mechanisms."
)


_FIRST_TABLE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A number to be charged, as it stands in its box, whatever was typed.

    A box with limits of its own keeps a number outside them to itself, and hands out
    the one before: what is charged would not be what is on screen.
    """

    label: str
    number: float
    least: float
    most: float

    @property
    def inside(self) -> float:
        """Return the number.

        Raises:
            ParameterError: It is outside the limits, so that nothing can be asked for.

        """
        if not self.least <= self.number <= self.most:
            least, most, number = map(in_full, (self.least, self.most, self.number))
            raise ParameterError(
                f"{self.label}: choose a number from {least} to {most}. With {number} "
                "nothing is charged or agreed."
            )
        return self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A place on the page, with a method for each kind of control that stands there."""

    place: DeltaGenerator

    def number(
        self,
        label: str,
        value: _N,
        within: tuple[_N | None, _N | None] | tuple[_N, _N, _N] = (None, None),
        *,
        key: str | None = None,
        kept: Kept = "address",
        note: str | None = None,
    ) -> _N:
        """Show a box for a number and return what is in it.

        Args:
            label: Its name, in plain words.
            value: What it starts from, or the nearest number within the limits.
            within: The least and the most that it takes, ``None`` for no limit; then,
                where it is not the usual one, the step of its buttons.
            key: Its name in the address and in the session. None in a form that is sent
                as a whole.
            kept: Where its value is kept.
            note: What it means, beside its question mark.

        """
        least, most, *step = within
        value = _nearest(value, least, most)
        _begin(kept, key, value)
        show: Callable[..., _N] = self.place.number_input
        return show(
            label,
            least,
            most,
            value,
            *step,
            format=None if isinstance(value, int) else "%g",
            key=key,
            help=note,
            **KEPT[kept],
        )

    def mirrored(
        self, label: str, number: float | None, use: Callable[[Any], None], *, key: str, **more: Any
    ) -> None:
        """Show a box for a number that is kept elsewhere, and hand a new one to ``use``.

        It has no limits of its own: a number that is refused does not stay on screen.
        """
        session.set_public(key, number)
        show: Callable[..., object] = self.place.number_input
        kind = {"step": 1} if isinstance(number, int) else {"format": "%g"}
        show(label, key=key, on_change=lambda: use(session.public(key)), **kind, **more)

    def epsilon_slider(self, *, key: str) -> None:
        """Show a slider for the ε in the box with a key: both always have the same number."""
        slider, number = slider_of(key), cast("float", session.public(key))
        moved = session.public(slider) != number
        if moved:  # else it would jump back while it is dragged
            session.set_public(slider, number)
        self.place.select_slider(
            "ε (log scale)",
            stops(number),
            # Where the run that set it was cut short, the browser begins here.
            None if moved else number,
            format_func=in_full,
            key=slider,
            on_change=lambda: session.set_public(key, session.public(slider)),
        )

    def day(self, label: str, value: dt.date | None, *, key: str) -> dt.date | None:
        """Show a box for a public date; ``None`` while it is empty.

        It is kept for the session: which dates a table is about is no public setting.
        """
        show: Callable[..., dt.date | None] = self.place.date_input
        return show(
            label,
            value,
            min_value=dt.date.min,
            max_value=dt.date.max,
            key=key,
            format="YYYY-MM-DD",
            **KEPT["session"],
        )

    def delta(
        self,
        label: str = "δ",
        value: float = 1e-6,
        within: tuple[float, float] = (1e-15, 0.1),
        *,
        key: str,
        note: str = DELTA_HELP,
    ) -> float:
        """Show a box for a privacy parameter δ."""
        return self.number(label, value, within, key=key, note=note)

    def seed(
        self,
        label: str = "Seed",
        value: int = 1,
        *,
        key: str,
        note: str | None = "Another seed, another run of luck.",
    ) -> int:
        """Show a box for the seed of a simulation."""
        return self.number(label, value, (0, 10**6), key=key, note=note)

    def checkbox(
        self,
        label: str,
        *,
        value: bool = False,
        kept: Kept = "address",
        note: str | None = None,
        key: str,
    ) -> bool:
        """Show a box to be ticked."""
        _begin(kept, key, value)
        show: Callable[..., bool] = self.place.checkbox
        return show(label, value, key=key, help=note, **KEPT[kept])

    def draw(self, label: str, note: str, *, key: str, most: int = 1000) -> int:
        """Show a box for the number of a draw: another number, another draw."""
        return self.number(label, 1, (1, most), key=key, note=note)

    def numbers(
        self, label: str, value: str, *, key: str, kept: Kept = "address", note: str
    ) -> str:
        """Show a box for several numbers; `listed` reads them once all stand."""
        _begin(kept, key, value)
        show: Callable[..., str] = self.place.text_input
        return show(label, value, key=key, help=note, **KEPT[kept])

    def charged(
        self,
        label: str,
        value: float,
        within: tuple[float, float] | tuple[float, float, float],
        *,
        key: str,
        kept: Kept = "address",
        note: str,
    ) -> Typed:
        """Show a box for a number that is charged; take it once all controls stand."""
        least, most, *step = within
        said = f"{note} From {in_full(least)} to {in_full(most)}."
        open_ended: Any = (None, None, *step)
        found = self.number(label, value, open_ended, key=key, kept=kept, note=said)
        return Typed(label=label, number=found, least=least, most=most)

    def charged_epsilon(
        self,
        label: str,
        value: float,
        within: tuple[float, float] | tuple[float, float, float],
        *,
        key: str,
        kept: Kept = "address",
        more: str = "",
    ) -> Typed:
        """Show a box for an ε that is charged; ``more`` follows what ε means."""
        note = f"{EPSILON_HELP} {more}".strip()
        return self.charged(label, value, within, key=key, kept=kept, note=note)

    def charged_delta(
        self,
        label: str = "δ for this release",
        value: float = 1e-6,
        within: tuple[float, float] = (1e-15, 0.1),
        *,
        key: str,
        kept: Kept = "address",
    ) -> Typed:
        """Show a box for a δ that is charged."""
        return self.charged(label, value, within, key=key, kept=kept, note=DELTA_HELP)

    def selectbox(
        self,
        label: str,
        options: Sequence[_T],
        *,
        kept: Kept = "address",
        note: str | None = None,
        **more: Any,
    ) -> _T:
        """Show a box that one of some options is chosen in."""
        if kept == "table":
            begin(more["key"], options[more.get("index", 0)])
        show: Callable[..., _T] = self.place.selectbox
        return show(label, options, help=note, **KEPT[kept], **more)

    def radio(
        self,
        label: str,
        options: Sequence[_T],
        *,
        kept: Kept = "address",
        note: str | None = None,
        horizontal: bool = True,
        declared: object = None,
        **more: Any,
    ) -> _T:
        """Show some options side by side, one of which is chosen.

        Long ones stand below each other, if ``horizontal`` is not so. What is ``declared``
        of the table may be what the control begins with: it begins anew where that changes.
        """
        if kept == "table":
            begin(more["key"], options[more.get("index", 0)], declared)
        show: Callable[..., _T] = self.place.radio
        return show(label, options, horizontal=horizontal, help=note, **KEPT[kept], **more)

    def segmented(
        self,
        label: str,
        options: Mapping[_T, str],
        start: _T,
        *,
        key: str,
        kept: Kept = "address",
        note: str | None = None,
    ) -> _T:
        """Show a few options in one bar, one of which is chosen."""
        _begin(kept, key, start)
        show: Callable[..., _T] = self.place.segmented_control
        return show(
            label,
            [*options],
            default=start,
            required=True,
            format_func=options.__getitem__,
            key=key,
            help=note,
            **KEPT[kept],
        )

    def slider(
        self,
        label: str,
        value: _N,
        within: tuple[_N, _N] | tuple[_N, _N, _N],
        *,
        kept: Kept = "address",
        note: str | None = None,
        **more: Any,
    ) -> _N:
        """Show a slider of numbers, from the nearest one; ``within`` may end with its step."""
        least, most, *step = within
        value = _nearest(value, least, most)
        _begin(kept, more.get("key"), value)
        show: Callable[..., _N] = self.place.slider
        return show(label, least, most, value, *step, help=note, **KEPT[kept], **more)


def _nearest(value: _N, least: _N | None, most: _N | None) -> _N:
    """Return the number within limits that is nearest to a value; ``None`` is no limit."""
    value = value if least is None else max(value, least)
    return value if most is None else min(value, most)


def _begin(kept: Kept, key: str | None, start: object) -> None:
    if kept == "table" and key is not None:
        begin(key, start)


def slider_of(key: str) -> str:
    """Return the key of the slider beside the box of an ε."""
    return f"{key}-slider"


def stops(epsilon: float) -> tuple[float, ...]:
    """Return what a slider stops at, with an ε that was typed: it is not rounded."""
    return tuple(sorted({*EPSILONS, epsilon}))


# The module has all that a place has.
HERE = Cell(place=cast("DeltaGenerator", st))


def row(
    spec: int | Sequence[float], *, vertical_alignment: Literal["top", "bottom"] = "top"
) -> list[Cell]:
    """Return the cells of a row from left to right: so many, or so wide."""
    places = st.columns(spec, vertical_alignment=vertical_alignment)
    return [Cell(place=place) for place in places]


@contextmanager
def valid(*, ends: bool = True) -> Iterator[None]:
    """Ask for settings, and say so where they do not go together.

    That ends the page, or only what stands in the block.
    """
    try:
        yield
    except ParameterError as error:
        st.info(sentence_of(error), icon="✏️")
        if ends:
            session.end_page()


def listed(text: str, kind: type[_N], what: str) -> tuple[_N, ...]:
    """Return the numbers of a list with commas, semicolons or spaces.

    Raises:
        ParameterError: There is something else in it.

    """
    try:
        return tuple(kind(part) for part in text.replace(";", " ").replace(",", " ").split())
    except ValueError:
        which = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"the {what} must be {which}, separated by commas.") from None


def drop_infinite() -> None:
    """Take numbers beyond all floats out of the address, and run anew without them.

    Streamlit fails to make whole numbers of them.
    """
    found = [key for key, text in st.query_params.items() if _is_infinite(text)]
    dropped = [key for key in found if _drop(key)]
    if dropped:
        st.rerun()


def begin(key: str, start: object, declared: object = None) -> None:
    """Let the control of a setting begin at ``start`` where the table is another one.

    So it does where what is ``declared`` of the table is another.

    What was set for one table is not taken over to the next. The address names the
    settings of the first table that a link opens.
    """
    noted = f"_table-of-{key}"
    now = session.generation(), declared
    before = session.public(noted) or (_FIRST_TABLE, declared)
    session.set_public(noted, now)
    if before == now or session.generation() < _FIRST_TABLE:
        return
    session.set_public(key, start)
    if key in st.query_params and _drop(key):
        # From another page, the address would win over what is set here. Where the
        # control is on screen, Streamlit keeps its setting, and the address follows.
        st.rerun()


def read_older(key: str, words: Mapping[str, object]) -> None:
    """Take over a setting that an older address, or an earlier run, calls by another name."""
    before = session.public(key)
    text = st.query_params.get(key) if before is None else before
    if isinstance(text, str) and words.get(text, text) != text:
        session.set_public(key, words[text])


def _drop(key: str) -> bool:
    try:
        del st.query_params[key]
    except StreamlitAPIException:
        # A control of the page wrote it there: a text, which the page reads itself.
        return False
    return True


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
