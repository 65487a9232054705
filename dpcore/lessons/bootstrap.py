"""Bootstrap intervals: copying rows at random is not privacy, even with some noise."""

from __future__ import annotations

from functools import lru_cache

from dpcore.figures.attackers import surest
from dpcore.figures.lessons.claims import claims_picture
from dpcore.lessons import survey
from dpcore.lessons.lesson import (
    Knob,
    Lesson,
    Settings,
    Shown,
    Telling,
    ask,
    right,
    wrong,
)
from dpcore.privacy.bootstrap.real_cost import claimed_epsilon, epsilon
from dpcore.privacy.bootstrap.upper_bounds import Bound
from dpcore.wording import epsilon_text, percent

_DELTA = 1e-6
_RHO = 0.5
_SAID = "what Karl says"
_MOST_RHO, _MOST_PEOPLE = 1.0, 944


@lru_cache(maxsize=32)
def _levels(rho: float, people: int) -> tuple[float, float]:
    """Return the claimed epsilon of one noisy bootstrap, and the least real one."""
    real = epsilon(
        1.0, rho=rho, times=1, people=people, delta=_DELTA, bound=Bound.ATTAINED
    )
    return claimed_epsilon(rho, _DELTA), real


def _drawn(people: int) -> float:
    """Return the chance that a person is in a resample: ``1 - (1 - 1/n)^n``."""
    return 1 - (1 - 1 / people) ** people


def _twice(people: int) -> float:
    """Return the chance that a person is in a resample twice or more."""
    return _drawn(people) - (1 - 1 / people) ** (people - 1)


def _shown(settings: Settings) -> Shown:
    rho, people = settings["rho"], int(settings["people"])
    claimed, real = _levels(rho, people)
    most = _levels(_MOST_RHO, _MOST_PEOPLE)[1]
    title = (
        f"Karl says that his noisy average costs ε {epsilon_text(claimed)}; it costs "
        f"at least {epsilon_text(real)}"
    )
    return Shown(
        picture=claims_picture(
            title,
            {_SAID: claimed, "what it costs, at least": real},
            claimed=_SAID,
            most=most,
            what="ε: the smaller, the better protected",
        ),
        sentence=f"Now Karl adds noise, as much as for a plain average: for that ρ "
        f"{rho:g} would be right, which is ε {epsilon_text(claimed)} if what happens "
        f"less than once in a million times is left out. Karl draws {people} rows from "
        f"{people}, and puts each back before "
        f"he draws the next. So a row is among them with chance "
        f"{percent(_drawn(people))}, and twice or more with chance "
        f"{percent(_twice(people))}. Noise made for one copy does not hide two.",
    )


def _telling() -> Telling:
    people = survey.table().people
    levels = _levels(_RHO, people)
    claimed, real = (epsilon_text(number) for number in levels)
    share = percent(_drawn(people))
    return Telling(
        situation=f"Karl has an average of {people} people, and draws {people} rows at "
        "random, putting each back before he draws the next. He averages what he drew, "
        "and does it all again: this is called the bootstrap. So much chance, he "
        "thinks, must hide everybody.",
        predict=ask(
            "Is a bootstrap private, without any noise?",
            wrong(
                "Yes: nobody knows which rows were drawn",
                f"A row is drawn with chance {share}. Then it is in the average, "
                "exactly as it is.",
            ),
            wrong(
                "Nearly: chance hides a little",
                "A promise must hold for everybody. Somebody who stands out is seen "
                "as soon as their row is drawn.",
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
                    f"With that noise a plain average costs ε {claimed}, which is what "
                    f"Karl says; his costs at least {real}. Both leave out what "
                    "happens less than once in a million times.",
                ),
                wrong(
                    "It is more than enough: chance helps",
                    "For somebody who stands out, copies do more harm than chance does "
                    "good.",
                ),
            ),
            ask(
                "Karl wanted to know how sure his average is. Where does he learn "
                "that, then?",
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
                f"What does ε {real} mean for a person?",
                wrong(
                    "A little less protection than Karl said",
                    "Somebody who was 50 % sure may become as good as certain. Karl "
                    f"said at most {surest(levels[0])} sure.",
                ),
                right(
                    "Next to no protection",
                    "Somebody who was 50 % sure may become as good as certain.",
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
                "Standard "
                "errors has both, and shows which intervals hold."
            ),
            (
                "For a seminar: with more resamples that share the budget, the gap "
                "between "
                "claim and cost closes slowly. Most copies are of one row in one "
                "resample."
            ),
        ),
        safe="Not because something is random. Noise has to be made for the largest "
        "change that any person can make, and copies make that change larger.",
    )


LESSON = Lesson(
    key="bootstrap",
    title="Is a bootstrap private?",
    telling=_telling,
    knobs=(
        Knob(
            key="rho",
            label="Budget that Karl plans for (ρ, rho: a scale like ε)",
            value=_RHO,
            within=(0.1, _MOST_RHO, 0.1),
            note="The more budget, the less noise is added. What it is in ε, the bars "
            "say.",
        ),
        Knob(
            key="people",
            label="People",
            value=_MOST_PEOPLE,
            within=(44, _MOST_PEOPLE, 100),
            note="Rows of the table.",
        ),
    ),
    shown=_shown,
)
