"""Something that falls as people join, on two log axes."""

from __future__ import annotations

from collections.abc import Sequence

from dpcore.arrays import FloatArray
from dpcore.figures.marks import dot, line, points
from dpcore.figures.theme import PUBLIC, STROKES, Picture, Stroke, log_axis, plain

_MARKED = "#D55E00"


def falling_picture(
    title: str,
    people: FloatArray,
    heights: FloatArray,
    *,
    what: str,
    ends: tuple[float, float],
    marked: Sequence[tuple[str, float, float]] = (),
) -> Picture:
    """Return a line over the number of people, both shape ``(m,)``.

    Args:
        title: The takeaway.
        people: How many there are.
        heights: What falls.
        what: What that is, with its unit.
        ends: Of the axis of heights.
        marked: Names of single dots, with their people and height.

    """
    return Picture.of(
        title,
        {"people": people, what: heights},
        drawn="A straight line that falls as people join"
        + "".join(f"; {name}: {height:.3g}" for name, _, height in marked),
        traces=[
            line(
                people,
                heights,
                stroke=Stroke(color=STROKES["laplace"].color),
                hover="%{x:.4g} people: %{y:.3g}",
                showlegend=False,
            ),
            points(
                [at for _, at, _ in marked],
                [height for _, _, height in marked],
                marker=dot(_MARKED if marked else PUBLIC, 10),
                hover="%{text}: %{y:.3g}",
                text=[plain(name) for name, _, _ in marked],
                textposition="top right",
                cliponaxis=False,
                showlegend=False,
            ),
        ],
        xaxis=log_axis("people", float(people[0]), float(people[-1])),
        yaxis=log_axis(what, *ends),
    )
