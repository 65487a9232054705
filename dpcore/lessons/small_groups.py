"""Small groups: the same noise for fewer people."""

from __future__ import annotations

import numpy as np

from dpcore.figures.lessons import falling_picture
from dpcore.formatting import in_full, people, significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import (
    Knob,
    Lesson,
    LessonText,
    LessonView,
    Settings,
    ask,
    epsilon_knob,
    right,
    wrong,
)

_GROUPS = (5.0, 5000.0)
_ENDS = (0.01, 200.0)
_CLASS = 8


def _half(epsilon: float, people: int) -> float:
    return survey.half_width(survey.mean_request(epsilon, people=people))


def _groups() -> dict[str, int]:
    """Return how many voters have which education: the least and the largest group."""
    labels = survey.column("education").labels
    counts = np.bincount(survey.table().codes("education"), minlength=len(labels))
    named = dict(zip(labels, map(int, counts), strict=True))
    ends = min(named, key=named.__getitem__), max(named, key=named.__getitem__)
    return {name: named[name] for name in ends}


def _lesson_view(settings: Settings) -> LessonView:
    epsilon, size = settings["epsilon"], int(settings["people"])
    at = np.geomspace(*_GROUPS, 25).round()
    half, ages = _half(epsilon, size), survey.bounds("age")
    marked = [(name, float(n), _half(epsilon, n)) for name, n in _groups().items()]
    title = (
        f"In a group of {size} the average age is within ±{significant(half)} years at "
        f"ε = {in_full(epsilon)}; ages go from {in_full(ages.lower)} to {in_full(ages.upper)}"
    )
    return LessonView(
        picture=falling_picture(
            title,
            at,
            np.array([_half(epsilon, int(n)) for n in at]),
            what="margin of error, years",
            ends=_ENDS,
            marked=[*marked, ("your group", float(size), half)],
        ),
        sentence=f"The noise on the average of {people(size)} must hide one person out of "
        f"{size}: ±{significant(half)} years. Ten times as many people, a tenth of "
        "it.",
    )


def _lesson_text() -> LessonText:
    (few, n_few), (many, n_many) = _groups().items()
    wide, narrow = (significant(_half(1.0, n)) for n in (n_few, n_many))
    class_ = significant(_half(1.0, _CLASS))
    larger = significant(_half(_CLASS * 1.0, _CLASS))
    return LessonText(
        situation=f"Jonas wants the average age of voters for each level of education. "
        f"{n_many} people are in the largest group, “{many}”, and {n_few} in the "
        f"smallest, “{few}”.",
        predict=ask(
            f"At ε = 1 the average of the {n_many} is within ±{narrow} years. And the average "
            f"of the {n_few}?",
            wrong(
                f"±{narrow} years too: all get the same noise",
                "The sum of a group gets the same noise. The average divides it by fewer people.",
            ),
            right(
                f"±{wide} years",
                f"{significant(n_many / n_few)} times fewer people, as many times the "
                "noise on the average.",
            ),
            wrong(
                "It is refused: the group is too small",
                "The question is allowed. The answer may be too noisy to be useful.",
            ),
        ),
        questions=(
            ask(
                f"A teacher wants the average age of a class of {_CLASS}, at ε = 1. What "
                "does she get?",
                wrong(
                    "A good average, since children are of one age",
                    "The noise is made for the bounds. The similarity of the children does "
                    "not matter.",
                ),
                right(
                    f"A number within ±{class_} years: useless",
                    "Rightly so: an accurate average of eight would nearly reveal the age of each.",
                ),
                wrong("An error message", "There is an answer, but it is nearly all noise."),
            ),
            ask(
                "How can she get a useful answer?",
                wrong(
                    f"Ask for ε = {_CLASS}",
                    f"That gives ±{larger} years, and almost no protection for the children.",
                ),
                right(
                    "Ask about a larger group: the school, or several years together",
                    "More people make an answer both useful and private.",
                ),
                wrong(
                    "Ask eight times and average",
                    "Each answer is charged. One answer at the total cost is more accurate.",
                ),
            ),
            ask(
                "Who is hurt if small groups are simply left out?",
                wrong(
                    "Nobody: they are too small to matter",
                    "Then they do not appear in any statistic.",
                ),
                right(
                    "The small groups themselves: nothing is known about them",
                    "It is better to report “too few” than to omit them silently. Groups can "
                    "be merged by a rule that is fixed in advance.",
                ),
            ),
        ),
        recall="Why are answers about small groups so noisy?",
        home="The noise must hide one person in any group. In a smaller group, more of the "
        "answer is noise.",
        notes=(
            ("Exact small counts expose people. That includes a share of 0 in a small group."),
            (
                "Each person is in one group only. If a record keeps its group, all groups "
                "together cost as much as one."
            ),
        ),
        safe="A small group is protected as well as a large one. Only its answer is less accurate.",
    )


LESSON = Lesson(
    key="small-groups",
    title="Small groups",
    text=_lesson_text,
    knobs=(
        epsilon_knob(),
        Knob(
            key="people",
            label="People in the group",
            value=50,
            within=(5, 1000, 5),
            note="The number of people in the average.",
        ),
    ),
    view=_lesson_view,
)
