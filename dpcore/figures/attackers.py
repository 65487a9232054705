"""What epsilon and delta allow an attacker, in one number and one sentence.

All pages say it with these functions, so that one guarantee has one number. What is
known of one person, or of one mechanism, is another thing and is said to be one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

import numpy as np

from dpcore.figures.theme import DOTTED, GUIDE, NEUTRAL, PUBLIC, STYLES, Picture, axis
from dpcore.figures.traces import Trace, dot, line, note, now, points
from dpcore.formatting import at_most, capital, epsilon_text, nearest, percent, significant
from dpcore.privacy.interpretation import best_guess, posterior
from dpcore.relations import NeighboringRelation
from dpcore.studies.meaning.attacker import Guarantee, ValuePair

_EVEN: Final = 0.5


def surest(epsilon: float, *, delta: float = 0.0, prior: float = 0.5) -> str:
    """Return what becomes of a belief at most, as a percentage rounded up.

    Without a delta it is the belief after any release, with one how often the best
    guess is right: single releases may then say more.

    >>> surest(1.0), surest(1.0, delta=0.01), surest(0.0), surest(1.0, prior=0.1)
    ('73.2%', '73.4%', '50%', '23.2%')
    """
    if delta > 0:
        return at_most(float(best_guess(epsilon, delta=delta, prior=prior)))
    return at_most(float(posterior(prior, epsilon)))


def belief_text(epsilon: float, *, delta: float = 0.0, prior: float = 0.5, about: str = "") -> str:
    """Return in a sentence what somebody may believe after a release, at most.

    ``about`` says what the belief is about, such as " about a person".

    >>> belief_text(1.0, about=" about a person")
    'an attacker who was 50% sure about a person becomes at most 73.2% sure'
    >>> belief_text(1.0, delta=0.01)
    'an attacker who was 50% sure is then right at most 73.4% of the time, δ included'
    >>> print(belief_text(0.4, delta=1e-6, prior=0.05))
    an attacker who was 5% sure, whose best guess was right 95% of the time, is then \
right at most 95.1% of the time, δ included
    """
    before = f"an attacker who was {percent(prior)} sure{about}"
    limit = surest(epsilon, delta=delta, prior=prior)
    if delta > 0:
        idle = percent(max(prior, 1 - prior))
        known = "" if prior == _EVEN else f", whose best guess was right {idle} of the time,"
        return f"{before}{known} is then right at most {limit} of the time, δ included"
    return f"{before} becomes at most {limit} sure"


def person_text(
    own: float, guess: float, *, delta: float, prior: float, guarantee: float | None
) -> str:
    """Return what a guarantee, a person's own loss and the whole law say, and why.

    Both epsilons, the person's ``own`` and the ``guarantee`` over all tables (``None``
    if it is about other changes), go with ``delta``; ``guess`` says how often the best
    guess about the person is right.

    >>> said = person_text(0.5, 0.61, delta=0, prior=0.5, guarantee=1.0)
    >>> print(said)  # doctest: +NORMALIZE_WHITESPACE
    By the guarantee, ε = 1, an attacker who was 50% sure becomes at most 73.2%
    sure, for any person. By this person's own loss, ε = 0.5, it is at most 62.3%.
    That is for the most revealing result. On average over all results the best guess
    is right 61% of the time.

    """
    limit = surest(own, delta=delta, prior=prior)
    loss = f"this person's own loss, ε = {significant(own)}"
    at = f" at δ = {significant(delta)}" if delta > 0 else ""
    if guarantee is None:
        said = (
            f"By {loss}{at}, {belief_text(own, delta=delta, prior=prior)}. (The "
            "guarantee is about another change of the table than this one.)"
        )
    else:
        general = belief_text(guarantee, delta=delta, prior=prior)
        said = (
            f"By the guarantee, ε = {epsilon_text(guarantee)}{at}, {general}, for any person. "
            f"By {loss}, it is at most {limit}."
        )
    if delta > 0:
        return (
            f"{said} That is the limit from ε and δ. From the distribution of this release, "
            f"the best guess is right {nearest(guess)} of the time."
        )
    return (
        f"{said} That is for the most revealing result. On average over all results the best "
        f"guess is right {nearest(guess)} of the time."
    )


def odds_text(epsilon: float, delta: float = 0.0, *, noun: str = "person") -> str:
    """Return a guarantee in plain words; ``noun`` is what the privacy unit is called.

    >>> odds_text(1.0)
    'ε = 1: an attacker who was 50% sure about one person becomes at most 73.2% sure'
    """
    name = f"ε = {epsilon_text(epsilon)}"
    if delta > 0:
        name += f", δ = {significant(delta, up=True)}"
    return f"{name}: {belief_text(epsilon, delta=delta, about=f' about one {noun}')}"


WORLDS: Final = 100
_MOST_WORLDS: Final = 10**6
_SIDE: Final = 10
_APART: Final = 12
_LINE: Final = 22
"""Letters in a line below a panel, which fit on a phone."""
_MOSTLY: Final = 0.95
_ALL: Final = 0.999
_WIDTH: Final = 101


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What is true in the two worlds, in words.

    Attributes:
        own: Of you, in the world with your own record.
        other: Of you, in the other one.
        asked: What the attacker believes or not.
        relation: Which tables are neighbors.

    """

    own: str
    other: str
    asked: str
    relation: NeighboringRelation

    @classmethod
    def of(cls, relation: NeighboringRelation) -> Sides:
        """Return the words of a relation."""
        if relation is NeighboringRelation.ADD_REMOVE:
            return cls(
                own="you are in the table",
                other="you are not in the table",
                asked="whether you are in the table",
                relation=relation,
            )
        return cls(
            own="your own record is used",
            other="another record replaces it",
            asked="whether the record in the table is yours",
            relation=relation,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackerView:
    """What is shown of an attacker: the guarantee, and the mechanism if one is chosen.

    Attributes:
        guarantee: What is really given.
        sides: The two worlds, in words.
        attack: The best attacker against one mechanism; ``None`` where several releases
            share the guarantee.
        label: The name of the mechanism.
        key: Its key, for its stroke.

    """

    guarantee: Guarantee
    sides: Sides
    attack: ValuePair | None = None
    label: str = ""
    key: str = "laplace"

    @property
    def laws(self) -> dict[str, Guarantee | ValuePair]:
        """Return whom the picture is about, by name: the guarantee comes last."""
        known: dict[str, Guarantee | ValuePair] = {}
        if self.attack is not None:
            known[self.label] = self.attack
        return known | {self.name: self.guarantee}

    @property
    def name(self) -> str:
        """Return what the guarantee is called."""
        text = f"any noise with ε = {epsilon_text(self.guarantee.epsilon)}"
        if self.guarantee.delta > 0:
            text += f", δ = {significant(self.guarantee.delta, up=True)}"
        return text


def counted(share: float) -> tuple[int, int]:
    """Return a share as a count of equal worlds, rounded up, and of how many.

    Of 100, or of more where 100 would say always.

    >>> counted(0.7311), counted(0.99995), counted(0.5)
    ((74, 100), (99995, 100000), (50, 100))
    """
    total = WORLDS
    # What floating point leaves over is no further world.
    while True:
        count = math.ceil(round(total * share, 9))
        if count < total or total >= _MOST_WORLDS or share == 1:
            return count, total
        total *= 10


def worlds_text(view: AttackerView) -> str:
    """Return how often the best attacker is right, as a count of worlds.

    The two kinds of worlds are equally likely, and the count is
    ``Guarantee.best_guess(0.5)`` of them on average: the accuracy over both kinds, which
    epsilon and delta limit. How often an attacker says yes in one kind alone is
    limited by nothing.

    Counts are what people understood best of several wordings (Nanayakkara, Smart and
    others 2023, USENIX Security, n = 963).
    """
    sides, half = view.sides, WORLDS // 2
    first = (
        f"Imagine {WORLDS} worlds: {half} in which {sides.own}, and {half} in which "
        f"{sides.other}. The attacker knows everything else and sees the release."
    )
    lines = []
    for name, attack in view.laws.items():
        share = float(attack.best_guess(0.5))
        right, of = counted(share)
        through = "" if attack is view.guarantee else f" with {name}"
        lines.append(
            f"The best attacker{through} names the right kind of world in at most "
            f"{right:,} of {of:,} ({at_most(share)}, rounded up)."
        )
    return " ".join([first, *lines, f"Without a release it is {half} of {WORLDS}."])


def worlds_picture(view: AttackerView) -> Picture:
    """Return 100 worlds as squares, filled where the attacker is right: before and after.

    After the release it is through the mechanism, if one is chosen, and else by the
    guarantee.
    """
    name, attack = next(iter(view.laws.items()))
    share = float(attack.best_guess(0.5))
    right, of = counted(share)
    panels = (("before the release", of // 2), (f"after it, {name}", right))
    traces: list[Trace] = []
    notes: list[Trace] = []
    rows = []
    for column, (words, count) in enumerate(panels):
        left = column * _APART
        traces += _grid(left, round(WORLDS * count / of), show=not traces)
        middle = left + (_SIDE - 1) / 2
        notes += [
            note(f"<b>{count:,}</b> of {of:,}", middle, _SIDE - 0.2, font={"size": 16}),
            note("<br>".join(wrap(words, _LINE)), middle, -1.0, yanchor="top"),
        ]
        rows.append({"when": words, "right": count, "of": of})
    return Picture.of(
        f"Right guesses: {of // 2:,} of {of:,} before, at most {right:,} after",
        rows,
        drawn=f"A square for each of {WORLDS} worlds, half of either kind, filled "
        "where the attacker is right",
        traces=traces,
        height=380,
        xaxis=axis(range=[-1, _APART + _SIDE], visible=False),
        yaxis=axis(range=[-4, _SIDE + 2], visible=False, scaleanchor="x"),
        annotations=notes,
        margin={"l": 8, "r": 8, "t": 30, "b": 8},
    )


def _grid(left: float, count: int, *, show: bool) -> list[Trace]:
    """Return 100 squares from the top left, the first ``count`` of them filled."""
    place = np.arange(WORLDS)
    x, y = left + place % _SIDE, _SIDE - 1 - place // _SIDE
    kinds = (
        ("the attacker is right", slice(0, count), dot(PUBLIC, 11, "square")),
        ("wrong", slice(count, None), dot(NEUTRAL, 11, "square-open")),
    )
    return [
        points(x[part], y[part], name, marker, hover=name, showlegend=show)
        for name, part, marker in kinds
    ]


def belief_picture(view: AttackerView, prior: float) -> Picture:
    """Return what becomes of every belief; the one that the page is set to is marked.

    Without a delta these are the most and the least that a belief becomes after any
    release. With one, single releases may tell all: then it is how often the best guess
    is right, by the guarantee and through a mechanism alike.
    """
    before = np.linspace(0, 1, _WIDTH)
    table = {"believed before, %": 100 * before}
    curves, sure = [], view.guarantee
    idle, after_axis, drawn = before, "certainty after (%)", "How sure an attacker is"
    if sure.delta > 0:
        idle, after_axis = np.maximum(before, 1 - before), "best guess is right (%)"
        drawn = "How often the best guess of an attacker is right"
        name = "right at most, by the guarantee"
        curves.append((name, sure.best_guess(before), GUIDE))
    else:
        curves.append(("most, by the guarantee", posterior(before, sure.epsilon), GUIDE))
        curves.append(("least, by the guarantee", posterior(before, -sure.epsilon), GUIDE))
    said = ""
    if view.attack is not None and sure.delta > 0:
        curves.append((view.label, view.attack.best_guess(before), STYLES[view.key]))
        said = f"; through {view.label} at most {at_most(float(view.attack.best_guess(prior)))}"
    elif view.attack is not None:
        moved = view.attack.loss_within(_MOSTLY)
        name = f"{view.label}: at most in 95 of 100 releases"
        # Whoever is certain stays so, even where a release tells all.
        with np.errstate(invalid="ignore"):
            after = np.where(before == 0, 0.0, posterior(before, moved))
        curves.append((name, after, STYLES[view.key]))
        limit = at_most(float(posterior(prior, moved)))
        said = f"; through {view.label} at most {limit} after 95 of 100 releases"
    table |= {f"{name}, %": 100 * after for name, after, _ in curves}
    text = belief_text(sure.epsilon, delta=sure.delta, prior=prior)
    return Picture.of(
        f"{capital(text)}{said}",
        table,
        drawn=f"{drawn} after a release, against the certainty before",
        traces=[
            line(100 * before, 100 * idle, "no release", DOTTED, hover=""),
            *(
                line(100 * before, 100 * y, name, stroke, hover="%{x:.0f} → %{y:.1f}%")
                for name, y, stroke in curves
            ),
            points(
                [100 * prior],
                100 * curves[0][1][[round(prior * (_WIDTH - 1))]],
                "",
                dot(PUBLIC, 11),
                showlegend=False,
            ),
        ],
        height=360,
        xaxis=axis("certainty before (%)", range=[0, 100]),
        yaxis=axis(after_axis, range=[0, 103]),
        shapes=[now(100 * prior, "")],
    )


def readings_text(view: AttackerView, largest_loss: float) -> str:
    """Return what one release reveals at most, in sentences.

    ``largest_loss`` is the most that it moves the log odds over all neighbors.
    """
    attack = view.attack
    if attack is None:
        return ""
    guess = at_most(float(attack.best_guess(0.5)))
    first = (
        f"The best guess about one person is right **{guess}** of the time, where it was "
        f"50% before. The attacker's advantage is {nearest(attack.advantage)}: the rate of "
        "correct identifications minus the rate of false ones."
    )
    lines = [first]
    if math.isfinite(largest_loss):
        after = surest(largest_loss)
        lines.append(
            f"After the most revealing result, an attacker who was 50% sure is **{after}** "
            "sure. No release of this question reveals more."
        )
    else:
        lines.append(
            "No belief is ruled out after a single release: with this kind of noise "
            "very unlikely releases may reveal nearly everything. δ bounds their probability."
        )
    moved = attack.loss_within(_MOSTLY)
    if moved < largest_loss * _ALL:
        lines.append(
            f"After 95 of 100 releases it is at most **{at_most(float(posterior(0.5, moved)))}**."
        )
    return " ".join(lines)
