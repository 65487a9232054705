"""Is this number public? Even how wide the noise is may tell on somebody."""

from __future__ import annotations

from dpcore.data.bounds import Interval
from dpcore.figures.lessons import claims_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
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
from dpcore.mechanisms.label_selection import LabelSelection
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
_DELTA = 1e-5


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
    promised = f"promised: ε = {in_full(size.epsilon)}"
    names = [f"answer {_years(at)}" for at in _ANSWERS]
    levels = {promised: size.epsilon} | dict(zip(names, lost, strict=True))
    worst = epsilon_text(max(lost))
    return LessonView(
        picture=claims_picture(
            f"Max was promised ε = {in_full(size.epsilon)}, but an answer can reveal ε = {worst}",
            {name: level / size.epsilon for name, level in levels.items()},
            claimed=promised,
            ends=(0, _MOST_TIMES),
            what="loss relative to the guarantee",
            said=lambda times: f"ε = {epsilon_text(times * size.epsilon)}",
            ticks={0: "nothing", 1: "as promised", 2: "twice", 4: "4 times"},
        ),
        sentence="With noise the published average may be an impossible age. Without Max "
        f"there would be {size.people - 1} members instead of {size.people}, and the "
        "noise would be wider. So an extreme answer suggests that Max is absent. An "
        "answer near a possible age, such as 50, suggests that he is present. "
        "Assume that all others are as young, and Max as old, as the bounds allow. "
        f"With Max, an answer of {_years(_FAR)} or less occurs in "
        f"{_chance(size, _FAR)}, and one of 0 or less in {_chance(size, 0.0)}. The "
        f"answer {_years(_FAR)} has a loss of ε = {epsilon_text(lost[-1])}. The "
        f"guarantee of ε = {in_full(size.epsilon)} should hold for every answer, also for "
        "rare ones. The loss grows without limit for more extreme answers.",
    )


def _years(answer: float) -> str:
    return f"{in_full(answer)} years".replace("-", "−")


def _lesson_text() -> LessonText:
    size = _size(1.0, _PEOPLE)
    far = epsilon_text(_lost(size)[-1])
    labels = LabelSelection.calibrate(epsilon=1.0, delta=_DELTA)
    rare = _chance(size, _FAR)
    return LessonText(
        situation="A support group keeps its size secret. It publishes the average age of "
        "its members with noise. Fewer members need more noise. So the group uses "
        f"noise for {_PEOPLE} members. Without Max it would use noise for "
        f"{_PEOPLE - 1}.",
        predict=ask(
            "The number of members is never published. Does it stay secret?",
            wrong(
                "Yes: only the noisy average is published",
                "The spread of the noise depends on the number of members. So the answer "
                "reveals something about it.",
            ),
            right(
                "No: the spread of the noise reveals it",
                "The same holds for the number of rows of any dataset: it is public only if "
                "it was known before. An extreme answer suggests wide noise, and so few "
                f"members. An average of {_years(_FAR)} or less occurs in {rare}. It has a "
                f"loss of ε = {far} for Max, where 1 was promised.",
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
                    "It was computed from the data, and rounding is not noise.",
                ),
                right(
                    "The released result, with its interval",
                    "Everything computed from it alone is public, too. So are numbers that "
                    "were known before, such as bounds from common knowledge or a number of "
                    "people that a newspaper printed.",
                ),
                wrong(
                    "The privacy loss of Max",
                    "It was computed from everybody's data, without noise.",
                ),
            ),
            ask(
                "Lea is the curator. She tries bounds until the answer looks good, and "
                "publishes only the last answer. What does she reveal?",
                wrong("Only the last answer", "She chose it by looking at the others."),
                right(
                    "Also something about the answers she saw while choosing",
                    "She did not pay for those answers. A choice that depends on the data "
                    "reveals something about them.",
                ),
            ),
            ask(
                "When is a number public?",
                right(
                    "It was known before, or released at a cost, or computed from such "
                    "numbers alone",
                    "Everything else was computed from the data, however harmless it looks.",
                ),
                wrong("It contains no names", "No number contains names. Its source matters."),
                wrong(
                    "It is about many people",
                    "So were the two exact averages that exposed one person.",
                ),
            ),
        ),
        recall="Is this number public?",
        home="A number is public if it was known before, released at a cost, or computed "
        "from such numbers alone. Everything else is confidential.",
        notes=(
            (
                "In the studio, public results have a blue edge and the word “Public”. "
                "Confidential ones have an amber edge, a lock and the word “Confidential”."
            ),
            (
                "The group can use noise for a number fixed in advance, or release its size "
                "with noise. The view Sensitivity shows both."
            ),
            (
                "Labels can reveal people, too: a rare disease on a list shows that somebody has "
                "it. “Find labels” on Data releases only labels whose noisy count passes a "
                f"threshold. At ε = 1 and δ = {significant(_DELTA)}, a label of one person "
                f"appears with a probability of at most {significant(_DELTA)}. One of "
                f"{labels.people_needed(0.95)} people appears with 95%."
            ),
        ),
        safe="Ask for each number: could it be known without the data? If not, was it released?",
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
            note="Including Max. The bars hardly change with it: large groups are affected, too.",
        ),
    ),
    view=_lesson_view,
)
