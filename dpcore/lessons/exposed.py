"""Who is exposed: everybody's own loss, and who may be told of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dpcore.figures.individual.exposures import exposure_picture
from dpcore.individual.exposure import expose
from dpcore.lessons import survey
from dpcore.lessons.lesson import (
    Lesson,
    Settings,
    Shown,
    Telling,
    ask,
    epsilon_knob,
    right,
    wrong,
)
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.request import Request
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query
from dpcore.wording import epsilon_text, significant

if TYPE_CHECKING:
    from dpcore.individual.exposure import Exposure

_LEAST = 20_000


@lru_cache(maxsize=4)
def _exposure(epsilon: float) -> Exposure:
    relation = NeighboringRelation.ADD_REMOVE
    query = Query(
        kind=StatisticKind.MEAN,
        column=survey.column("visits", survey.PATIENTS),
        relation=relation,
        unit=PrivacyUnit(noun="record"),
        size=TableSize(people=_LEAST, public=False),
    )
    request = Request(query=query, mechanism_key="laplace", epsilon=epsilon)
    values = query.values(survey.table(survey.PATIENTS))
    return expose(request.plan, query.statistic, values, relation=relation)


def _visits(place: int) -> str:
    values = survey.table(survey.PATIENTS).numbers("visits")
    return significant(float(values[place]))


def _shown(settings: Settings) -> Shown:
    exposure = _exposure(settings["epsilon"])
    most = int(exposure.ranking(1)[0])
    half = float(exposure.quantiles([0.5])[0])
    times = exposure.maximum / half
    return Shown(
        picture=exposure_picture(exposure, key="laplace"),
        sentence=f"Everybody is promised ε {epsilon_text(exposure.worst_case)}. Half "
        "of "
        f"the people lose at most {significant(half)} of it; the one with "
        f"{_visits(most)} visits loses {significant(exposure.maximum)}, "
        f"{significant(times, 2)} times as much.",
    )


def _telling() -> Telling:
    exposure = _exposure(1.0)
    most = int(exposure.ranking(1)[0])
    half, largest = (
        significant(float(number))
        for number in (exposure.quantiles([0.5])[0], exposure.maximum)
    )
    visits = _visits(most)
    mean = significant(float(survey.table(survey.PATIENTS).numbers("visits").mean()), 2)
    return Telling(
        situation=f"An insurer publishes the average number of visits to a doctor in "
        f"{exposure.people:,} yearly records, with noise for ε 1. Ruth went {visits} "
        "times, most "
        "others hardly at all.",
        predict=ask(
            "How much of the promised ε 1 does the typical person really lose?",
            wrong(
                "All of it: the promise is the same for all",
                "The promise is. It is made for the worst case, which most are far "
                "from.",
            ),
            wrong(
                "About half",
                f"Much less: half of the people lose at most {half}.",
            ),
            right(
                f"Hardly anything: about {half}",
                f"Who is near to the average hardly moves it. Ruth, at {visits} "
                "visits, "
                f"loses {largest}.",
            ),
        ),
        questions=(
            ask(
                "Who loses most?",
                right(
                    "Who is farthest from all others",
                    f"The average is {mean} visits; {visits} moves it most.",
                ),
                wrong(
                    "Who is first in the table",
                    "The order does not matter, only how far one moves the answer.",
                ),
                wrong(
                    "Nobody: the noise is the same for all",
                    "The noise is the same; what each adds to the answer is not.",
                ),
            ),
            ask(
                f"May Ruth be told that she loses {largest}?",
                wrong(
                    "Yes: it is her own number",
                    "It depends on where all others are: from it and her visits, the "
                    "exact average follows.",
                ),
                right(
                    "No: it says something about all others. This survey was published "
                    "long ago, so that we may print it here. She may be told what "
                    "follows from her own record and public numbers",
                    "Such as the promise, or the most that somebody with her number "
                    "can lose, whoever else is there.",
                ),
                wrong(
                    "Yes, if she keeps it to herself",
                    "The promise does not rest on anybody keeping quiet.",
                ),
            ),
            ask(
                "May the insurer publish this picture of everybody's losses?",
                wrong(
                    "Yes: there are no names in it",
                    "It is computed from the table, without noise: as secret as the "
                    "table.",
                ),
                right(
                    "No: it is for the curator's eyes, unless it is paid for",
                    "Here it may be seen because the survey is public. For a table of "
                    "one's own it stands in the confidential area.",
                ),
            ),
        ),
        home="The promise is the same for all, the loss is not: who is unlike the "
        "others "
        "loses most, and how much is itself a secret.",
        notes=(
            (
                "The field calls it per-instance privacy loss. The promise is its "
                "worst "
                "case over all tables and people."
            ),
            (
                "Ask whether the promise should be made for the typical person or for "
                "Ruth. "
                "Those with most to lose are often the sick, the poor and the few."
            ),
            (
                "A rare record that many would recognize is exactly the one with a "
                "large "
                "loss."
            ),
        ),
        safe="For most people much safer than promised; for Ruth nearly as promised. "
        "With noise that keeps its promise, as here, nobody loses more than that.",
    )


LESSON = Lesson(
    key="exposed",
    title="Who is exposed",
    telling=_telling,
    knobs=(epsilon_knob(),),
    shown=_shown,
)
