"""Who is exposed: everybody's own loss, and who may be told of it."""

from __future__ import annotations

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import claims_picture
from dpcore.formatting import at_most, epsilon_text, percent, significant
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
        "promised to all": promised,
        f"Ruth, {_visits(most)} visits": exposure.maximum,
        "99 of 100, at most": nearly,
        "9 of 10, at most": nine,
        "half of all, at most": half,
    }
    times = significant(exposure.maximum / half, 2)
    return LessonView(
        picture=claims_picture(
            "Whether a person is in the table, somebody who was 50% sure becomes at "
            f"most {surest(half)} sure for half of the people, and "
            f"{surest(exposure.maximum)} sure for Ruth",
            {name: 100 * float(posterior(0.5, level)) for name, level in levels.items()},
            claimed="promised to all",
            most=100,
            what="how sure somebody may become who was 50% sure, %",
            said=lambda share: at_most(share / 100),
            ticks={0: "0", 50: "50: learned nothing", 100: "100"},
        ),
        sentence="Everybody has a loss of their own, also an ε: how much the answer "
        f"reveals of whether they are in the table. The promised ε = "
        f"{epsilon_text(promised)} covers any other record in place of their own, up "
        f"to {bound:g} visits. Nobody in this table loses as much. Half of the people "
        f"lose at most ε = {significant(half)}: somebody who was 50% sure about one of "
        f"them becomes at most {surest(half)} sure whether the person is in the table. "
        f"Ruth, with {_visits(most)} visits, loses ε = "
        f"{significant(exposure.maximum)}, {times} times as much: "
        f"{surest(exposure.maximum)} sure.",
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
        situation="An insurer publishes how often people see a doctor, on average over "
        f"{exposure.people:,} person-years, with noise for ε = 1. Most went a few "
        f"times. Ruth went {visits} times. We may look at everybody here only because "
        "this survey was published long ago.",
        predict=ask(
            "How much of the promised ε = 1 do most people really lose?",
            wrong(
                "All of it: the promise is the same for all",
                "The promise is the same for all. But it is made for the most unusual "
                "person, and most people are not unusual.",
            ),
            wrong("About half", f"Much less: half of the people lose at most {half}."),
            right(
                "Hardly anything",
                f"Half of them lose at most {half}: they hardly move the average, so "
                "that the answer says hardly anything about them. Ruth moves it more: "
                f"she loses {largest}.",
            ),
        ),
        questions=(
            ask(
                "Who loses most?",
                right(
                    "Whoever is most unlike all others",
                    f"The average is {mean} visits. Somebody with {visits} moves it most.",
                ),
                wrong(
                    "Whoever is first in the table",
                    "The order does not matter. What matters is how far somebody moves the answer.",
                ),
                wrong(
                    "Nobody: the noise is the same for all",
                    "The noise is the same. How far people move the answer is not.",
                ),
            ),
            ask(
                f"May Ruth be told that she loses {largest}?",
                wrong(
                    "Yes: it is her own number",
                    "It is made of everybody's visits: from it and her own, the exact "
                    "average follows.",
                ),
                right(
                    "No: the number says something about all others",
                    "She may be told what was promised to everybody: ε = 1 at most. Her "
                    "own loss is printed here only because this survey was published "
                    "long ago.",
                ),
                wrong(
                    "Yes, if she keeps it to herself",
                    "A promise that hangs on people who keep quiet is none.",
                ),
            ),
            ask(
                "May the insurer publish the picture of who loses how much?",
                wrong(
                    "Yes: there are no names in it",
                    "It is computed from the table, without noise. So it is as secret "
                    "as the table.",
                ),
                right(
                    "No: only whoever keeps the table may see it",
                    "We may, because this survey is public. For a table of one's own "
                    "this program shows it in a locked area, marked confidential.",
                ),
            ),
        ),
        recall="Who loses most, and may they be told?",
        home="Whoever is most unlike the others loses most. How much they lose must "
        "not be told, not even to them: it says something about all others. What was "
        "promised to everybody may be told.",
        notes=(
            (
                "The field calls it per-instance privacy loss. The promise is its "
                "worst case over all tables and people."
            ),
            (
                "Ask whether the promise should be made for the typical person or for "
                "Ruth. Those with most to lose are often the sick, the poor and the "
                "few."
            ),
            ("A rare record that many would recognize is exactly the one with a large loss."),
        ),
        safe="Most people lose much less than was promised, and Ruth loses "
        f"{percent(exposure.maximum / exposure.worst_case)} of it. With noise that "
        "keeps its promise, as here, nobody loses more than what was promised.",
    )


LESSON = Lesson(
    key="exposed",
    title="Who is exposed",
    text=_lesson_text,
    knobs=(epsilon_knob(),),
    view=_lesson_view,
)
