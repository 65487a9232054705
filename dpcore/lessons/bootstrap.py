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
from dpcore.wording import epsilon_text, percent, significant

_DELTA = 1e-6
_RHO = 0.5
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


def _shown(settings: Settings) -> Shown:
    rho, people = settings["rho"], int(settings["people"])
    claimed, real = _levels(rho, people)
    most = _levels(_MOST_RHO, _MOST_PEOPLE)[1]
    title = (
        f"One noisy bootstrap is claimed to cost ε {epsilon_text(claimed)}, and costs "
        f"at least {epsilon_text(real)}"
    )
    return Shown(
        picture=claims_picture(
            title,
            {"claimed": claimed, "at least so": real},
            claimed="claimed",
            most=most,
            what=f"ε at δ {significant(_DELTA)}",
        ),
        sentence=f"A row of {people} is copied into a resample with chance "
        f"{percent(_drawn(people))}, and often twice or three times: noise made for "
        "one "
        "copy does not hide three.",
    )


def _telling() -> Telling:
    people = survey.table().people
    claimed, real = (epsilon_text(number) for number in _levels(_RHO, people))
    share = percent(_drawn(people))
    return Telling(
        situation=f"Karl wants to know how sure his average of {people} people is, and "
        "has learned the bootstrap: draw as many rows from the table with replacement, "
        "average them, repeat. All that drawing at random, he thinks, must hide "
        "everybody.",
        predict=ask(
            "Is a bootstrap private, without any noise?",
            wrong(
                "Yes: nobody knows which rows were drawn",
                f"The oldest person is in a resample with chance {share}; then the "
                "resample shows it.",
            ),
            wrong(
                "Nearly: a bit is hidden by chance",
                "A promise must hold for everybody. For a person who stands out, "
                "chance hides nothing.",
            ),
            right(
                "No",
                f"Each row is in a resample with chance {share}, exactly as it is. "
                "Random copies are no noise.",
            ),
        ),
        questions=(
            ask(
                "Karl adds noise to each resampled average, as much as for the plain "
                "one. Is that enough?",
                wrong(
                    "Yes: noise is noise",
                    "It was made for one copy of a row. A resample may hold several.",
                ),
                right(
                    "No: a row may be copied several times",
                    f"Where ε {claimed} was claimed, it costs at least {real}; both "
                    f"but for a chance δ of {significant(_DELTA)} that it fails.",
                ),
                wrong(
                    "It is more than enough: the drawing helps",
                    "For somebody who stands out the copies hurt more than chance "
                    "helps.",
                ),
            ),
            ask(
                "Where does Karl get a standard error, then?",
                right(
                    "From public numbers, or bought with a part of the budget",
                    "The noise is known exactly, and the spread of people can be asked "
                    "for like any other number.",
                ),
                wrong(
                    "From the bootstrap, kept secret",
                    "What is published of it is what counts: the interval's ends.",
                ),
                wrong(
                    "Nowhere: a private answer has none",
                    "It has: the law of its noise is known, which is more than most "
                    "statistics can say.",
                ),
            ),
            ask(
                f"What does ε {real} mean for a person?",
                wrong(
                    "A little less protection than claimed",
                    "Undecided before, somebody may become "
                    f"{surest(_levels(_RHO, people)[1])} "
                    f"sure. Claimed were {surest(_levels(_RHO, people)[0])}.",
                ),
                right(
                    "Next to none",
                    "Undecided before, somebody may become "
                    f"{surest(_levels(_RHO, people)[1])} "
                    "sure.",
                ),
            ),
        ),
        home="A bootstrap is not private: it copies people at random, and copies are "
        "no "
        "noise.",
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
        safe="Not because something is random. Randomness must be the same for every "
        "person's data, and large enough for the worst of them.",
    )


LESSON = Lesson(
    key="bootstrap",
    title="Is a bootstrap private?",
    telling=_telling,
    knobs=(
        Knob(
            key="rho",
            label="Budget of the noise (ρ, rho: ε by another measure)",
            value=_RHO,
            within=(0.1, _MOST_RHO, 0.1),
            note="How much noise is added to the resampled average: more of it, less "
            "noise.",
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
