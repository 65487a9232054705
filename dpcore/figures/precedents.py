"""What others chose, every mark with its unit and its period beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Final, Literal

from dpcore.figures.theme import (
    NEUTRAL,
    PUBLIC,
    TRUTH,
    LineStyle,
    Picture,
    axis,
    log_axis,
    whole_decades,
)
from dpcore.figures.traces import dot, line, note, points
from dpcore.studies.meaning.precedents import CONFIRMED, Model, Precedent

Notion = Literal["epsilon", "rho"]

YOURS: Final = "yours"
_SYMBOLS: Final = {"epsilon": "ε", "rho": "ρ"}
_MARKS: Final = {
    Model.CENTRAL: ("noise added in the center", dot(PUBLIC, 11, "circle")),
    Model.LOCAL: ("noise added on each device", dot("#D55E00", 11, "square-open")),
    Model.VARIES: ("both", dot("#8C510A", 11, "diamond-open")),
    YOURS: (YOURS, TRUTH),
}
_LINE = 16  # pixels of a line of words
_GAP = 30  # pixels for the mark below them
_WIDEST = 48  # letters that fit on a phone
_EDGES = 120  # pixels above and below all rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A mark with its words; ``place`` is how far below the top it lies, in pixels."""

    number: float
    name: str
    guarantee: str
    kind: str
    place: float = 0.0

    @property
    def words(self) -> list[str]:
        return [
            *[f"<b>{part}</b>" for part in wrap(self.name, _WIDEST)],
            *wrap(self.guarantee, _WIDEST),
        ]


def precedents_picture(
    those: Sequence[Precedent], *, notion: Notion = "epsilon", own: tuple[float, str] | None = None
) -> Picture:
    """Return what real uses chose, from the least, as one mark a line.

    No mark stands without its guarantee: what is given away, of whom, and how soon again.
    The local model and the central one have different marks. What has no such number is
    left to the twins. ``own`` is the reader's own number with its guarantee.
    """
    known = [
        _Row(number=number, name=one.name, guarantee=one.guarantee, kind=one.model)
        for one in those
        if (number := one.epsilon if notion == "epsilon" else one.rho) is not None
    ]
    title = _title(sorted(known, key=lambda row: row.number), _SYMBOLS[notion])
    if own is not None:
        mine = _Row(number=own[0], name="Yours", guarantee=own[1], kind=YOURS)
        known.append(mine)
    rows, height = _placed(sorted(known, key=lambda row: row.number))
    ends = whole_decades(rows[0].number, rows[-1].number)
    traces = []
    for kind, (name, marker) in _MARKS.items():
        of = [row for row in rows if row.kind == kind]
        if of:
            traces.append(
                points(
                    [row.number for row in of],
                    [row.place for row in of],
                    name,
                    marker,
                    hover="%{customdata}",
                    customdata=[row.guarantee for row in of],
                    cliponaxis=False,
                )
            )
    return Picture.of(
        title,
        [
            {
                "name": one.name,
                "curator": one.curator,
                "year": str(one.published),
                "privacy loss": one.loss,
                "protects": one.unit,
                "period": one.period,
                "model": str(one.model),
                "easily misread": one.note,
                "source": one.source,
            }
            for one in those
        ],
        drawn=f"Real uses in order of their {_SYMBOLS[notion]}, each with its unit and "
        f"period, {CONFIRMED}",
        traces=[
            *[
                line(
                    [ends[0], row.number],
                    [row.place, row.place],
                    "",
                    LineStyle(color=NEUTRAL, dash="dot", width=1),
                    hover="",
                    showlegend=False,
                )
                for row in rows
            ],
            *traces,
        ],
        height=height + _EDGES,
        xaxis=log_axis(f"{_SYMBOLS[notion]}", *ends),
        yaxis=axis(range=[height, 0], showticklabels=False, showgrid=False),
        annotations=[
            note(
                "<br>".join(row.words),
                0,
                row.place - _GAP * 0.2,
                xref="paper",
                xanchor="left",
                yanchor="bottom",
                align="left",
                font={"size": 12},
            )
            for row in rows
        ],
        margin={"l": 16, "r": 16, "t": 40, "b": 60},
    )


def _placed(rows: Sequence[_Row]) -> tuple[list[_Row], int]:
    """Return the rows with their places, and how far they reach."""
    placed, used = [], 0
    for row in rows:
        used += _LINE * len(row.words) + _GAP
        placed.append(replace(row, place=used - _GAP * 0.7))
    return placed, used


def _title(known: Sequence[_Row], symbol: str) -> str:
    if not known:
        return f"None of these has a recorded {symbol}"
    first, last = known[0], known[-1]
    if len(known) == 1:
        return f"One use has a recorded {symbol}: {first.guarantee}"
    return f"{len(known)} real uses, from {first.guarantee}, to {last.guarantee}"
