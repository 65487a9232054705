"""Who is exposed: everybody's own loss, and who may be told of it."""

from __future__ import annotations

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import claims_picture
from dpcore.formatting import at_most, epsilon_text, in_full, percent, significant
from dpcore.individual.per_instance_loss import StatisticLosses
from dpcore.lessons import survey
from dpcore.lessons.lesson import (
    Lesson,
    LessonText,
    LessonView,
    Settings,
    ask,
    epsilon_knob,
    right,
    wrong,
)
from dpcore.privacy.interpretation import posterior


def _exposure(epsilon: float) -> StatisticLosses:
    return survey.exposure(epsilon, name="visits", key=survey.PATIENTS)


def _visits(place: int) -> str:
    return significant(float(survey.table(survey.PATIENTS).numbers("visits")[place]))


def _lesson_view(settings: Settings) -> LessonView:
    exposure = _exposure(settings["epsilon"])
    promised, most = exposure.worst_case, int(exposure.ranking(1)[0])
    half, nine, nearly = (float(at) for at in exposure.quantiles([0.5, 0.9, 0.99]))
    bound = survey.bounds("visits", survey.PATIENTS).upper
    levels = {
        "guarantee for all": promised,
        f"Ruth, {_visits(most)} visits": exposure.maximum,
        "99 of 100, at most": nearly,
        "9 of 10, at most": nine,
        "half of all, at most": half,
    }
    times = significant(exposure.maximum / half, 2)
    return LessonView(
        picture=claims_picture(
            f"An attacker who was 50% sure becomes at most {surest(half)} sure for half of "
            f"the people, {surest(exposure.maximum)} for Ruth",
            {name: 100 * float(posterior(0.5, level)) for name, level in levels.items()},
            claimed="guarantee for all",
            ends=(50, 100),
            what="certainty after, %",
            said=lambda share: at_most(share / 100),
            ticks={50: "50: learned nothing", 100: "100"},
        ),
        sentence=f"The guarantee of ε = {epsilon_text(promised)} covers any record of up to "
        f"{in_full(bound)} visits. "
        "Nobody in these data loses as much. Half of the people lose at most ε = "
        f"{significant(half)}. An attacker who was 50% sure about one of them "
        f"becomes at most {surest(half)} sure. Ruth, with {_visits(most)} visits, "
        f"loses ε = {significant(exposure.maximum)}, {times} times as much. The "
        f"attacker becomes {surest(exposure.maximum)} sure about her.",
    )


def _lesson_text() -> LessonText:
    exposure = _exposure(1.0)
    most = int(exposure.ranking(1)[0])
    half, largest = (
        significant(float(number)) for number in (exposure.quantiles([0.5])[0], exposure.maximum)
    )
    visits = _visits(most)
    mean = significant(float(survey.table(survey.PATIENTS).numbers("visits").mean()), 2)
    return LessonText(
        situation="An insurer publishes the average number of visits to a doctor, with noise "
        f"for ε = 1. Each of {exposure.people:,} records is one year of one person. Most "
        f"have a few visits, and Ruth's has {visits}. An attacker asks who is in the data. A "
        "person's privacy loss says how much the answer reveals about that. It is an ε, too. "
        "We may look at single records only because this survey was published long ago.",
        predict=ask(
            "How much of the guaranteed ε = 1 do most people actually lose to this attacker?",
            wrong(
                "All of it: the guarantee is the same for all",
                "The guarantee is the same for all. But it is made for the most unusual "
                "person, and most people are not unusual.",
            ),
            wrong("About half", f"Much less: half of the people lose at most ε = {half}."),
            right(
                "Almost none",
                f"Half of them lose at most ε = {half}. Without them the average hardly moves, "
                "so the answer hardly reveals that they are in the data. Ruth moves it more: "
                f"she loses ε = {largest}.",
            ),
        ),
        questions=(
            ask(
                "Who loses most?",
                right(
                    "The person who is most unlike all others",
                    f"The average is {mean} visits. A person with {visits} visits moves it most.",
                ),
                wrong(
                    "The first person in the table",
                    "The order does not matter. What matters is how far a person moves the answer.",
                ),
                wrong(
                    "Nobody: the noise is the same for all",
                    "The noise is the same. But people move the answer by different amounts.",
                ),
            ),
            ask(
                f"May Ruth learn that she loses ε = {largest}?",
                wrong(
                    "Yes: it is her own number",
                    "It is computed from everybody's visits. Ruth can compute the exact "
                    "average from it.",
                ),
                right(
                    "No: the number reveals something about all others",
                    "She may learn the guarantee for everybody: at most ε = 1. Her loss is "
                    "shown here only because this survey was published long ago.",
                ),
                wrong(
                    "Yes, if she keeps it to herself",
                    "A guarantee must not depend on people who keep a secret.",
                ),
            ),
            ask(
                "May the insurer publish this chart of privacy losses?",
                wrong(
                    "Yes: there are no names in it",
                    "It is computed from the data without noise. So it is as confidential as "
                    "the data.",
                ),
                right(
                    "No: only those who keep the data may see it",
                    "We may, because this survey is public. For other data the studio shows "
                    "it in a locked area, marked confidential.",
                ),
            ),
        ),
        recall="Who loses most, and may they learn how much?",
        home="The people who are most unlike the others lose most. Their losses must stay "
        "confidential, even from themselves: a loss reveals something about all others. "
        "The guarantee is public.",
        notes=(
            (
                "The field calls it per-instance privacy loss. The guarantee is its maximum "
                "over all datasets and people."
            ),
            (
                "Ask whether the guarantee should be made for the typical person or for "
                "Ruth. The largest losses often affect sick people, poor people and small "
                "minorities."
            ),
            "Rare records that many people would recognize have the largest losses.",
            (
                "Release shows larger losses for this survey. Its attacker asks which record a "
                "person has, and any record could be one at the upper bound."
            ),
        ),
        safe="Most people lose much less than the guarantee, and Ruth loses "
        f"{percent(exposure.maximum / exposure.worst_case)} of it. Nobody loses more "
        "than the guarantee.",
    )


LESSON = Lesson(
    key="exposed",
    title="Who is exposed",
    text=_lesson_text,
    knobs=(epsilon_knob(),),
    view=_lesson_view,
)
