"""Contour maps of the errors of bounded mechanisms, and the borders between winners."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import Mark, border, line, note, points, regions, ring
from dpcore.figures.theme import (
    DOTTED,
    NEUTRAL,
    PLATE,
    STROKES,
    Picture,
    Stroke,
    axis,
    log_axis,
    plain,
)
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.comparing.error_curves import Fairness
from dpcore.studies.comparing.error_maps import (
    CLEARLY,
    FLIP_AT_BOUND,
    FLIP_ONE_SIDED,
    ErrorMaps,
    MapQuantity,
)
from dpcore.wording import percent, significant

_TIE = "no difference (under 1 %)"
_LEVELS = tuple(digit * 10.0**power for power in range(-6, 2) for digit in (1, 2, 5))
_MOST_LINES = 8
_STEEP = 0.2
_LABEL_AT = 0.3
_VISIBLE_SHARE = 0.02
_FLIP_REACH = 0.16


def map_picture(maps: ErrorMaps, key: str, *, here: tuple[float, float]) -> Picture:
    """Return the map of one mechanism on the ground of who has the lowest one.

    The level lines are those of ``key``, and ``here`` is the place and the Laplace
    scale that the page is set to.
    """
    flips = maps.quantity is MapQuantity.MSE and maps.fairness is Fairness.NOMINAL
    notes = [*_region_names(maps), *(_flip_notes() if flips else ())]
    title = _takeaway(maps)
    shares = ", ".join(
        f"{CATALOG[name].label} {percent(maps.share(index))}"
        for index, name in enumerate(maps.keys)
    )
    return Picture.of(
        title,
        _table(maps),
        alt=f"A map over position and scale, with level lines of the {maps.quantity} "
        f"of {CATALOG[key].label}. Lowest on: {shares}; no difference on "
        f"{percent(maps.share(len(maps.keys)))}. {title}.",
        height=420,
        traces=[
            regions(
                maps.place,
                maps.scale,
                maps.best.astype(np.uint8),
                [*(STROKES[key].color for key in maps.keys), NEUTRAL],
                opacity=0.35,
            ),
            *_borders(maps),
            *(_flip_lines() if flips else ()),
            *_level_lines(maps, key),
            points(
                [here[0]],
                [here[1]],
                marker=ring("black"),
                hover="the page is set here",
                cliponaxis=False,
            ),
        ],
        xaxis=axis("where the value lies (0 and 1 are the bounds)", range=[0, 1]),
        yaxis=log_axis(
            "Laplace scale / range",
            range=[np.log10(maps.scale[0]), np.log10(maps.scale[-1])],
            tickvals=[0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
        ),
        annotations=notes,
        showlegend=False,
    )


def _borders(maps: ErrorMaps) -> list[Mark]:
    """Draw the outline of every winner's region, where it wins by 1 % or more."""
    return [
        border(
            maps.place,
            maps.scale,
            np.clip(maps.lead[index], -_STEEP, _STEEP).astype(np.float32),
            CLEARLY,
            STROKES[key].color,
        )
        for index, key in enumerate(maps.keys)
        if 0 < maps.share(index) < 1
    ]


def _region_names(maps: ErrorMaps) -> list[Mark]:
    labels = [*(f"{CATALOG[key].label} wins" for key in maps.keys), _TIE]
    notes = []
    for index, label in enumerate(labels):
        if maps.share(index) < _VISIBLE_SHARE:
            continue
        row, column = _heart(maps.best == index)
        place, scale = maps.place[column], maps.scale[row]
        side = _anchor(float(place))
        notes.append(note(plain(label), place, np.log10(scale), xanchor=side, **PLATE))
    return notes


def _anchor(place: float) -> str:
    """Return which side of a label lies there, so that it stays on a narrow map."""
    near = "left" if place < _LABEL_AT else "center"
    return "right" if place > 1 - _LABEL_AT else near


def _heart(inside: FloatArray) -> tuple[int, int]:
    """Return the cell with the most room around it, the middle one of several."""
    depth = np.zeros(inside.shape, dtype=np.intp)
    left = np.pad(inside.astype(bool), 1)
    while left.any():
        depth += left[1:-1, 1:-1]
        core = left[1:-1, 1:-1] & left[:-2, 1:-1] & left[2:, 1:-1]
        left = np.pad(core & left[1:-1, :-2] & left[1:-1, 2:], 1)
    deepest = np.argwhere(depth == depth.max())
    row, column = deepest[len(deepest) // 2]
    return int(row), int(column)


def _level_lines(maps: ErrorMaps, key: str) -> list[Mark]:
    heights = maps.heights[maps.keys.index(key)]
    levels = [level for level in _LEVELS if heights.min() < level < heights.max()]
    step = -(-len(levels) // _MOST_LINES)
    unit = "" if maps.quantity is MapQuantity.BIAS else "²"
    lines = []
    for level in levels[::-1][:: max(step, 1)]:
        scale = maps.level_line(key, level)
        drawn = np.flatnonzero(~np.isnan(scale))
        if len(drawn) == 0:
            continue
        text = np.full(scale.shape, "", dtype=object)
        nearest = drawn[np.argmin(np.abs(maps.place[drawn] - _LABEL_AT))]
        text[nearest] = f"{level:g}"
        side = "right" if maps.place[nearest] < _LABEL_AT / 2 else "center"
        lines.append(
            line(
                maps.place,
                scale,
                stroke=Stroke(color=NEUTRAL, width=1.5),
                hover=f"{maps.quantity} {level:g} range{unit}: value %{{x:.2f}}, scale %{{y:.3g}}",
                text=text,
                textposition=f"top {side}",
            )
        )
    return lines


def _takeaway(maps: ErrorMaps) -> str:
    shares = sorted(((maps.share(index), key) for index, key in enumerate(maps.keys)), reverse=True)
    won = [
        f"{CATALOG[key].label} on {percent(share)}"
        for share, key in shares
        if share >= _VISIBLE_SHARE
    ]
    bounded = " of the bounded ones" if maps.quantity is MapQuantity.BIAS else ""
    return (
        f"At the {maps.fairness}, the least {maps.quantity}{bounded}: {', '.join(won)} of the map"
    )


def _table(maps: ErrorMaps) -> dict[str, FloatArray]:
    names = np.array([*(CATALOG[key].label for key in maps.keys), _TIE])
    columns = {
        "scale / range": np.repeat(maps.scale, len(maps.place)),
        "value": np.tile(maps.place, len(maps.scale)),
        "least": names[maps.best].ravel(),
    }
    for key, values in zip(maps.keys, maps.heights, strict=True):
        columns[f"{maps.quantity}, {CATALOG[key].label}"] = values.ravel()
    return columns


def _flip_lines() -> list[Mark]:
    """Return the lines along which truncation and BIT change order near a bound."""
    away = np.linspace(0.03, _FLIP_REACH, 20)
    hover = "distance / scale = 1.148"
    return [line(x, away / FLIP_ONE_SIDED, stroke=DOTTED, hover=hover) for x in (away, 1 - away)]


def _flip_notes() -> list[Mark]:
    """Return the labels of both flips."""
    arrow = {"arrowcolor": NEUTRAL, **PLATE}
    bound, near = (float(np.log10(x)) for x in (1 / FLIP_AT_BOUND, 0.06 / FLIP_ONE_SIDED))
    on, by = ("on a bound: range / scale = 1.127", "near one: distance / scale = 1.148")
    return [note(on, 0, bound, ax=90, ay=-8, **arrow), note(by, 0.06, near, ax=110, ay=4, **arrow)]


def flip_sentence() -> str:
    """Return the two places at which truncation and BIT change order, in words.

    >>> flip_sentence().split(":")[0]
    'At equal scale the order flips twice'
    """
    return (
        "At equal scale the order flips twice: with the value on a bound, truncation "
        f"has the larger error as long as the range is more than "
        f"{significant(FLIP_AT_BOUND, 4)} scales wide; with the value near one bound "
        f"and the other far away, as long as it lies within "
        f"{significant(FLIP_ONE_SIDED, 4)} scales of the bound."
    )
