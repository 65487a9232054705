"""Why a statistic moves as it does, with the numbers on the screen."""

from __future__ import annotations

from dpcore.errors import ParameterError
from dpcore.figures.teaching.neighbors import Scene
from dpcore.studies.teaching.neighbors import sizes
from dpcore.studies.teaching.small_tables import RecordChange
from dpcore.wording import significant


def why(key: str, scene: Scene, worst: float) -> str:
    """Return two or three sentences on the statistic of that key.

    ``worst`` is its global sensitivity.
    """
    if key == "pooled-variance":
        return _pooled(scene)
    n, width = len(scene.rows), significant(scene.setting.bounds.width)
    larger = n + (scene.change is RecordChange.ADDITION)
    most = significant(worst, up=True)
    return {
        "mean": f"Each of {larger} people makes up one {larger}th of the mean. A value "
        f"that crosses all {width} between the bounds moves it by {width}/{larger} = "
        f"{most}; with more people, by less.",
        "sum": _sum(scene, most),
        "count": "Whatever one person does, one person more or less is counted: 1. "
        "The bounds do not matter, and neither does the number of people.",
        "proportion": f"One person more or less is counted, among {larger}: {most}.",
        "variance": _spread(larger, width, most),
        "population-variance": f"A single person at the far bound, away from everybody "
        f"else, makes a variance of (n - 1)/n² times {width}²: {most}.",
        "standard-deviation": f"Exactly {width}/√{larger} = {most}, but a poor route: "
        "the worst table has no spread at all, and ordinary ones move far less. The "
        "root of a sanitized variance is usually much closer.",
        "median": _order("median", most),
        "quantile": _order("quantile", most),
        "covariance": f"With everybody else in one corner, one person in the opposite "
        f"corner makes a covariance of {width}²/{larger} = {most}. With more people, "
        "less.",
        "correlation": "Where the others all but agree, one person sets the direction: "
        "the correlation can jump from +1 to -1, however many people there are. "
        "Release both variances and the covariance, and divide afterwards.",
        "slope": "Where the others share nearly one first value, a tiny step aside "
        "tilts the line without limit: at a distance of 0.001 the slope changes a "
        "thousandfold. Release sums and products instead, and fit afterwards.",
    }[key]


def _sum(scene: Scene, most: str) -> str:
    lower = significant(scene.setting.bounds.lower)
    upper = significant(scene.setting.bounds.upper)
    if scene.change is RecordChange.SUBSTITUTION:
        return (
            f"A replaced value moves the sum by at most the distance of the bounds, "
            f"{most}, whatever the others are."
        )
    return (
        f"A person who comes or goes brings or takes the whole value: at most {most}, "
        f"the bound farther from 0 of {lower} and {upper}. Bounds around 0 make it "
        "small: subtract a public number from all values first."
    )


def _spread(people: int, width: str, most: str) -> str:
    return (
        f"A single person at the far bound, away from everybody else, makes a variance "
        f"of {width}²/{people} = {most}. Where people are spread already, one of them "
        "matters less."
    )


def _order(name: str, most: str) -> str:
    return (
        f"A {name} looks at one or two people only. With everybody at either bound, "
        f"one person decides on which side it falls: {most}, however many people there "
        "are. Noise of that size would drown it; the exponential mechanism, which asks "
        "for ranks, is the way out."
    )


def _pooled(scene: Scene) -> str:
    setting, groups = scene.setting, sizes(scene.rows, scene.setting)
    if scene.change is RecordChange.SUBSTITUTION:
        if setting.group_is_public:
            return (
                "A replaced record stays in its group here. If the group is private "
                "too, it may jump into another one, and the worst case grows: try it."
            )
        return (
            "The group is private: in the worst case a record leaves its group for one "
            "that holds everybody else, and is far away from all of them."
        )
    added = _worst(scene, groups, RecordChange.ADDITION)
    removed = _worst(scene, groups, RecordChange.REMOVAL)
    return (
        f"With groups of {', '.join(str(size) for size in groups if size)}, a person "
        f"who joins moves it by up to {added}, a person who leaves by up to {removed}. "
        "The published formula considers leaving only; with many small groups joining "
        "is worse, and the noise has to cover both."
    )


def _worst(scene: Scene, groups: tuple[int, ...], change: RecordChange) -> str:
    try:
        worst = scene.statistic.sensitivity(groups, scene.setting, change)
    except ParameterError:
        return "(too few people to tell)"
    return significant(worst, up=True)
