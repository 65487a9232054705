"""Is this number public? Even how wide the noise is may tell on somebody."""

from __future__ import annotations

from dpcore.data.bounds import Interval
from dpcore.figures.lessons import claims_picture
from dpcore.formatting import epsilon_text, percent
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
from dpcore.studies.comparing.private_size import PrivateSize

_BOUNDS = Interval(lower=0.0, upper=100.0)
_PEOPLE = 5
_WIDEST = 3.0
_ANSWERS = (50.0, 0.0, -50.0, -100.0)
"""Average ages that noise may make; the last ones are far from where an age can be."""
_FAR = _ANSWERS[-1]
_MOST_TIMES = 3.8
"""End of the axis, in promised epsilons; farther answers would give away more."""
_NEVER = 1e-6


def _size(epsilon: float, people: int) -> PrivateSize:
    return PrivateSize(people=people, epsilon=epsilon, bounds=_BOUNDS)


def _lost(size: PrivateSize) -> list[float]:
    """Return what each of the answers gives away."""
    return [abs(float(size.log_ratio(at))) for at in _ANSWERS]


def _chance(size: PrivateSize, answer: float) -> str:
    """Return in words how often answers lie that low, with Max there."""
    chance = size.chance_below(answer)
    if chance < _NEVER:
        return "less than one in a million cases"
    return f"{percent(chance)} of cases"


def _lesson_view(settings: Settings) -> LessonView:
    size = _size(settings["epsilon"], int(settings["people"]))
    lost = _lost(size)
    promised = f"promised: ε = {size.epsilon:g}"
    names = [f"answer {_years(at)}" for at in _ANSWERS]
    levels = {promised: size.epsilon} | dict(zip(names, lost, strict=True))
    worst = epsilon_text(max(lost))
    return LessonView(
        picture=claims_picture(
            f"ε = {size.epsilon:g} was promised to Max; an answer can give away ε = {worst}",
            {name: level / size.epsilon for name, level in levels.items()},
            claimed=promised,
            most=_MOST_TIMES,
            what="what an answer gives away about Max (beside the bars: in ε)",
            said=lambda times: f"ε = {epsilon_text(times * size.epsilon)}",
            ticks={0: "nothing", 1: "as promised", 2: "twice", 4: "4 times"},
        ),
        sentence="Noise may throw the published average to where no age is. Without "
        f"Max there would be {size.people - 1} members instead of {size.people}, and "
        "the noise would be wider. So an answer far out hints that Max is not there, "
        "and one near a possible age, such as 50, that he is. Say all others are as "
        f"young, and Max as old, as the bounds allow: then {_years(_FAR)} or less "
        f"comes out in {_chance(size, _FAR)}, if Max is there (0 or less: "
        f"{_chance(size, 0.0)}), and gives away ε = {epsilon_text(lost[-1])}. The "
        f"promise was ε = {size.epsilon:g} for every answer, a rare one, too; and the "
        "farther out, the more is given away, without end.",
    )


def _years(answer: float) -> str:
    return f"{answer:g} years".replace("-", "−")


def _lesson_text() -> LessonText:
    size = _size(1.0, _PEOPLE)
    far = epsilon_text(_lost(size)[-1])
    rare = _chance(size, _FAR)
    return LessonText(
        situation=f"A self-help group keeps secret how many come. It publishes their "
        f"average age with noise. The fewer members, the more noise there must be. So "
        f"the group makes noise for {_PEOPLE} members; without Max it would be noise "
        f"for {_PEOPLE - 1}.",
        predict=ask(
            "The number of members is never printed. Does it stay secret?",
            wrong(
                "Yes: only the noisy average is published",
                "How far the noise falls depends on the number of members. So the "
                "answer tells of it.",
            ),
            right(
                "No: how wide the noise is tells of it",
                "That holds for the number of rows of any table: it is public only if "
                "it was known before. An answer far out comes from wide noise, and "
                f"wide noise from few members. An average of {_years(_FAR)}, which "
                f"noise makes in {rare}, would give away ε = {far} about Max, where 1 "
                "was promised.",
            ),
            wrong(
                "It does not matter: a number of people is harmless",
                "Whether Max is a member is exactly what the group hides.",
            ),
        ),
        questions=(
            ask(
                "Which of these numbers is public?",
                wrong(
                    "The exact average, rounded to whole years",
                    "It was computed from the people, and rounding is no noise.",
                ),
                right(
                    "The answer that was released and paid for, with its interval",
                    "What follows from it alone is public, too. So is what was known "
                    "before anybody looked, such as bounds that were typed from what "
                    "everybody knows, 0 and 100 years, or a number of people that was "
                    "in the newspaper.",
                ),
                wrong("How much Max lost", "It was computed from everybody's data, without noise."),
            ),
            ask(
                "Lea keeps the table. She tries bounds until the answer looks good, "
                "and publishes only the last answer. What does she give away?",
                wrong("Only the last answer", "She chose it by looking at the others."),
                right(
                    "Also something of what she saw while choosing",
                    "Looking was not paid for. What is chosen by looking tells of what was seen.",
                ),
            ),
            ask(
                "How can one tell whether a number is public?",
                right(
                    "It was known before anybody looked, or it was released and paid "
                    "for, or it follows from such numbers alone",
                    "Everything else was computed from the people, however harmless it looks.",
                ),
                wrong(
                    "It holds no names", "No number does. What counts is what it was computed from."
                ),
                wrong(
                    "It is about many people",
                    "So were the two exact averages that gave one person away.",
                ),
            ),
        ),
        recall="Is this number public?",
        home="A number is public if it was known before anybody looked, or was "
        "released and paid for, or follows from such numbers alone. All else is "
        "secret.",
        notes=(
            (
                "On the pages about a table, what may leave has a blue edge and the "
                "word “Public”; what only the curator may see has an amber edge, a "
                "lock and the word “Confidential”."
            ),
            (
                "The cure for the group: noise for a number fixed in advance, or a "
                "noisy number of its own, paid for. The page Sensitivity explorer "
                "shows both."
            ),
        ),
        safe="Ask of each number on the page: could it have been written down without "
        "the table? If not: was it released?",
    )


LESSON = Lesson(
    key="public-numbers",
    title="Is this number public?",
    text=_lesson_text,
    knobs=(
        epsilon_knob(within=(0.1, _WIDEST, 0.1)),
        Knob(
            key="people",
            label="Members",
            value=_PEOPLE,
            within=(3, 100, 1),
            note="With Max. The bars hardly change with it: the noise tells on large groups, too.",
        ),
    ),
    view=_lesson_view,
)
