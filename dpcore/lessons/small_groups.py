"""Small groups: the same noise for fewer people."""

from __future__ import annotations

import numpy as np

from dpcore.figures.lessons import falling_picture
from dpcore.formatting import people, significant
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
        f"ε = {epsilon:g}; ages go from {ages.lower:g} to {ages.upper:g}"
    )
    return LessonView(
        picture=falling_picture(
            title,
            at,
            np.array([_half(epsilon, int(n)) for n in at]),
            what="± years in 95 of 100 cases",
            ends=_ENDS,
            marked=[*marked, ("your group", float(size), half)],
        ),
        sentence=f"The noise on the average of {people(size)} is as wide as one person "
        f"out of {size} needs: ±{significant(half)} years. Ten times as many people, a "
        "tenth of it.",
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
            f"At ε = 1 the average of the {n_many} is within ±{narrow} years. And that "
            f"of the {n_few}?",
            wrong(
                f"±{narrow} years too: all get the same noise",
                "The sum of a group gets the same noise; the average divides it by fewer people.",
            ),
            right(
                f"±{wide} years",
                f"{significant(n_many / n_few)} times fewer people, as many times the "
                "noise on the average.",
            ),
            wrong(
                "It is refused: the group is too small",
                "It may be asked for. Whether the answer is of any use is another question.",
            ),
        ),
        questions=(
            ask(
                f"A teacher wants the average age of a class of {_CLASS}, at ε = 1. What "
                "does she get?",
                wrong(
                    "A good average, since children are of one age",
                    "The noise is made for the bounds, not for how alike they are.",
                ),
                right(
                    f"A number within ±{class_} years: useless",
                    "And rightly so: a good average of eight is nearly the age of each.",
                ),
                wrong(
                    "An error message",
                    "There is an answer. It says nothing, which is what was promised.",
                ),
            ),
            ask(
                "What may she do to get a useful answer?",
                wrong(
                    f"Ask for ε = {_CLASS}",
                    f"That gives ±{larger} years, and hardly any promise to the children.",
                ),
                right(
                    "Ask about a larger group: the school, or several years together",
                    "More people are what makes an answer both useful and private.",
                ),
                wrong(
                    "Ask eight times and average",
                    "Each of the answers is charged, and one at that price would be better.",
                ),
            ),
            ask(
                "Who is hurt if small groups are simply left out?",
                wrong(
                    "Nobody: they are too small to matter",
                    "They are people who then do not appear in any statistic.",
                ),
                right(
                    "The small groups themselves: nothing is known of them",
                    "It is better to say “too few to say” than to drop them in "
                    "silence, and to join groups by a rule that was fixed before.",
                ),
            ),
        ),
        recall="Why are answers about small groups so noisy?",
        home="Noise hides one person, whatever the group: the fewer people, the more "
        "of the answer is noise.",
        notes=(
            (
                "A share of 0 in a small group is a promise to nobody either: exact "
                "small counts are what gives people away."
            ),
            (
                "Each person is in one group only, so that all groups together cost "
                "what one costs, if a record keeps its group."
            ),
        ),
        safe="A small group is protected as well as a large one. It is the answer that suffers.",
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
            note="Whose average is published.",
        ),
    ),
    view=_lesson_view,
)
