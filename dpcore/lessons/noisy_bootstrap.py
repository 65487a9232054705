"""Bootstrap intervals: copying rows at random is not privacy, even with some noise."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import bdtrc

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import claims_picture
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import Knob, Lesson, LessonText, LessonView, Settings, ask, right, wrong
from dpcore.privacy.bootstrap_cost import resampled_epsilon
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.privacy.gaussian import mu_for

_DELTA = 1e-6
_PROMISED = 2.0
_SAID = "what Karl says"
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
            f"Karl says that his noisy average costs ε = {epsilon_text(promised)}; it "
            f"costs at least {epsilon_text(real)}",
            {_SAID: promised, "what it costs, at least": real},
            claimed=_SAID,
            most=1.5 * _real(_MOST_PROMISED, _MOST_PEOPLE),
            what="ε, and how sure somebody may become who was 50% sure",
            said=_told,
        ),
        sentence="Now Karl adds noise, as much as a plain average needs for ε = "
        f"{promised:g}. But he draws {people} rows from {people}, and puts each back "
        f"before he draws the next. All of his draws miss a row with chance {missed}; "
        f"with chance {percent(1 - _missed(people))} it is among them, and now and "
        f"then several times. {copies} times is rare, but not as rare as once in a "
        f"million: then that row moves his average {copies} times as far as his noise "
        f"was made for. So his answer gives away ε = {epsilon_text(real)}, or more. What "
        "happens less than once in a million times is left out, in what Karl says, "
        "too.",
    )


def _lesson_text() -> LessonText:
    people = survey.table().people
    level = _real(_PROMISED, people)
    real, share = epsilon_text(level), percent(1 - _missed(people))
    return LessonText(
        situation=f"Karl has an average of {people} people, and draws {people} rows at "
        "random, putting each back before he draws the next. He averages what he drew, "
        "and does it all again: this is called the bootstrap. So much chance, he "
        "thinks, must hide everybody.",
        predict=ask(
            "Is a bootstrap private, without any noise?",
            wrong(
                "Yes: nobody knows which rows were drawn",
                f"A row is drawn with chance {share}. Then it is in the average, exactly as it is.",
            ),
            wrong(
                "Nearly: chance hides a little",
                "A promise must hold for everybody. Somebody who stands out is seen as "
                "soon as their row is drawn.",
            ),
            right(
                "No",
                f"A row is drawn with chance {share}, exactly as it is. Copies drawn "
                "at random are no noise.",
            ),
        ),
        questions=(
            ask(
                "Karl adds noise to his average of drawn rows, as much as for the "
                "plain average. Is that enough?",
                wrong(
                    "Yes: noise is noise",
                    "It was made for one copy of a row. There may be several.",
                ),
                right(
                    "No: a row may be drawn several times",
                    f"With that noise a plain average costs ε = {_PROMISED:g}, which is "
                    f"what Karl says; his costs at least {real}. Both leave out what "
                    "happens less than once in a million times.",
                ),
                wrong(
                    "It is more than enough: chance helps",
                    "For somebody who stands out, copies do more harm than chance does good.",
                ),
            ),
            ask(
                "Karl wanted to know how sure his average is. Where does he learn that, then?",
                right(
                    "From public numbers, or he pays for it from the budget",
                    "How wide the noise is, is public. How much people differ can be "
                    "asked for, with noise, like any other number.",
                ),
                wrong(
                    "From the bootstrap, if he keeps the rows secret",
                    "The result is published, and it comes from exact copies.",
                ),
                wrong(
                    "Nowhere: a noisy answer has no interval",
                    "It has one, since everybody may know how wide the noise is.",
                ),
            ),
            ask(
                f"What does ε = {real} mean for a person?",
                wrong(
                    "A little less protection than Karl said",
                    f"Karl said that who was 50% sure becomes at most "
                    f"{surest(_PROMISED)} sure. It may be {surest(level)}: one doubt "
                    f"in about {significant(1 + math.exp(level), 1)} is left.",
                ),
                right(
                    "Next to no protection",
                    f"Somebody who was 50% sure may become {surest(level)} sure; Karl "
                    f"said at most {surest(_PROMISED)}.",
                ),
            ),
        ),
        recall="Is a bootstrap private?",
        home="A bootstrap is not private: it copies people at random, and copies are "
        "no noise. With noise that is made for the copies, too, its answer is private "
        "again.",
        notes=(
            (
                "A corrected bootstrap exists, which pays for the copies; the page "
                "Standard errors has both, and shows which intervals hold."
            ),
            (
                "For a seminar: with more resamples that share the budget, the gap "
                "between claim and cost closes slowly. Most copies are of one row in "
                "one resample."
            ),
            (
                "For a seminar: Karl's noise is that of ρ-zCDP for a plain average, "
                "and both levels are at δ = one in a million."
            ),
        ),
        safe="Not because something is random. Noise has to be made for the largest "
        "change that any person can make, and copies make that change larger.",
    )


LESSON = Lesson(
    key="bootstrap",
    title="Is a bootstrap private?",
    text=_lesson_text,
    knobs=(
        Knob(
            key="promised",
            label="What Karl says that it costs: ε",
            value=_PROMISED,
            within=(0.2, _MOST_PROMISED, 0.1),
            note="Karl takes the noise that a plain average needs for this ε.",
        ),
        Knob(
            key="people",
            label="People",
            value=_MOST_PEOPLE,
            within=(44, _MOST_PEOPLE, 100),
            note="Rows of the table.",
        ),
    ),
    view=_lesson_view,
)
