"""Bootstrap intervals: copying rows at random is not privacy, even with some noise."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import bdtrc

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import claims_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import Knob, Lesson, LessonText, LessonView, Settings, ask, right, wrong
from dpcore.privacy.bootstrap_cost import resampled_epsilon
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.privacy.gaussian import mu_for

_DELTA = 1e-6
_PROMISED = 2.0
_SAID = "Karl's claim"
_MOST_PROMISED, _MOST_PEOPLE = 3.0, 944


@lru_cache(maxsize=32)
def _real(promised: float, people: int) -> float:
    """Return the least epsilon of a noisy bootstrap that is said to cost so much."""
    rho = mu_for(promised, _DELTA) ** 2 / 2
    return resampled_epsilon(
        1.0, rho=rho, times=1, people=people, delta=_DELTA, bound=Bound.ATTAINED
    )


def _missed(people: int) -> float:
    """Return the chance that a person is not in a resample: ``(1 - 1/n)^n``."""
    return (1 - 1 / people) ** people


def _copies(people: int) -> int:
    """Return how many copies of a person come more often than is left out."""
    return int(np.count_nonzero(bdtrc(np.arange(people), people, 1 / people) > _DELTA))


def _told(level: float) -> str:
    return f"ε = {epsilon_text(level)}: {surest(level)} sure"


def _lesson_view(settings: Settings) -> LessonView:
    promised, people = settings["promised"], int(settings["people"])
    real, copies = _real(promised, people), _copies(people)
    missed = percent(_missed(people))
    return LessonView(
        picture=claims_picture(
            f"Karl claims a cost of ε = {epsilon_text(promised)}; the actual cost is at least "
            f"{epsilon_text(real)}",
            {_SAID: promised, "actual cost, at least": real},
            claimed=_SAID,
            ends=(0, 1.5 * _real(_MOST_PROMISED, _MOST_PEOPLE)),
            what="ε",
            said=_told,
        ),
        sentence=f"Now Karl adds the noise that a plain average needs for ε = {in_full(promised)}. "
        f"But he draws {people} rows from {people} with replacement. A row is "
        f"missing with probability {missed}. With probability "
        f"{percent(1 - _missed(people))} it is in the sample, sometimes several "
        f"times. {copies} copies are rare, but more likely than one in a million. "
        f"Then that row moves his average {copies} times as far as the noise allows "
        f"for. So the actual cost is ε = {epsilon_text(real)} or more. Events below "
        "one in a million are ignored here, as in Karl's claim.",
    )


def _lesson_text() -> LessonText:
    people = survey.table().people
    level = _real(_PROMISED, people)
    real, share = epsilon_text(level), percent(1 - _missed(people))
    return LessonText(
        situation=f"Karl has the average age of {people} people. He draws {people} rows at "
        "random with replacement and averages them. This is called the bootstrap. "
        "He thinks that so much randomness must hide everybody.",
        predict=ask(
            "Is a bootstrap private, without any noise?",
            wrong(
                "Yes: nobody knows which rows were drawn",
                f"A row is drawn with probability {share}. Then the average contains it "
                "without any noise.",
            ),
            wrong(
                "Nearly: randomness hides a little",
                "A guarantee must hold for everybody. An unusual person is visible as soon "
                "as their row is drawn.",
            ),
            right(
                "No",
                f"A row is drawn with probability {share}, without any change. Random copies "
                "are not noise.",
            ),
        ),
        questions=(
            ask(
                "Karl adds the same noise to his bootstrap average as to a plain average. Is "
                "that enough?",
                wrong(
                    "Yes: noise is noise",
                    "It was made for one copy of a row. There may be several.",
                ),
                right(
                    "No: a row may be drawn several times",
                    f"With that noise a plain average costs ε = {in_full(_PROMISED)}, which is "
                    f"Karl's claim. His average costs at least {real}. Both ignore events "
                    "below one in a million.",
                ),
                wrong(
                    "It is more than enough: randomness helps",
                    "For an unusual person, copies do more harm than randomness does good.",
                ),
            ),
            ask(
                "Karl wanted the standard error of his average. How can he get it?",
                right(
                    "From public numbers, or from a release that costs budget",
                    "The spread of the noise is public. The variance of the data can be "
                    "released with noise, like any other number.",
                ),
                wrong(
                    "From the bootstrap, if he keeps the rows secret",
                    "The result is published, and it is computed from exact copies.",
                ),
                wrong(
                    "Nowhere: a noisy answer has no interval",
                    "It has one, because the spread of the noise is public.",
                ),
            ),
            ask(
                f"What does ε = {real} mean for a person?",
                wrong(
                    "Slightly less protection than claimed",
                    "By Karl's claim, someone who was 50% sure becomes at most "
                    f"{surest(_PROMISED)} sure. The actual limit is {surest(level)}, so about "
                    f"one doubt in {significant(1 + math.exp(level), 1)} is left.",
                ),
                right(
                    "Almost no protection",
                    f"Someone who was 50% sure may become {surest(level)} sure. Karl's claim "
                    f"was at most {surest(_PROMISED)}.",
                ),
            ),
        ),
        recall="Is a bootstrap private?",
        home="A bootstrap is not private: it copies people at random, and copies are not "
        "noise. With enough noise to cover the copies as well, its answer is private "
        "again.",
        notes=(
            (
                "A corrected bootstrap accounts for the copies. The study Standard errors "
                "compares both and shows which intervals are valid."
            ),
            (
                "For a seminar: with more resamples that share the budget, the gap between "
                "claim and cost closes slowly."
            ),
            (
                "For a seminar: Karl's noise satisfies ρ-zCDP for a plain average, and both "
                "levels are at δ = one in a million."
            ),
        ),
        safe="Randomness alone is not protection. The noise must cover the largest change "
        "that one person can make. Copies make that change larger.",
    )


LESSON = Lesson(
    key="bootstrap",
    title="Is a bootstrap private?",
    text=_lesson_text,
    knobs=(
        Knob(
            key="promised",
            label="Claimed ε",
            value=_PROMISED,
            within=(0.2, _MOST_PROMISED, 0.1),
            note="Karl uses the noise that a plain average needs for this ε.",
        ),
        Knob(
            key="people",
            label="People",
            value=_MOST_PEOPLE,
            within=(44, _MOST_PEOPLE, 100),
            note="Number of rows.",
        ),
    ),
    view=_lesson_view,
)
