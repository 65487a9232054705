"""Is this number public? Even how wide the noise is may tell on somebody."""

from __future__ import annotations

from dpcore.data.bounds import Interval
from dpcore.figures.comparing.private_size import leak_picture
from dpcore.lessons.lesson import (
    Knob,
    Lesson,
    Settings,
    Shown,
    Telling,
    ask,
    epsilon_knob,
    right,
    wrong,
)
from dpcore.studies.comparing.private_size import PrivateSize
from dpcore.wording import epsilon_text

_BOUNDS = Interval(lower=0.0, upper=100.0)
_PEOPLE = 20
_WIDEST = 3.0
_FAR = 3


def _size(epsilon: float, people: int) -> PrivateSize:
    return PrivateSize(people=people, epsilon=epsilon, bounds=_BOUNDS)


def _far(size: PrivateSize) -> float:
    """Return what an answer far from the bounds gives away."""
    return abs(float(size.log_ratio(-_FAR * _BOUNDS.width)))


def _shown(settings: Settings) -> Shown:
    size = _size(settings["epsilon"], int(settings["people"]))
    return Shown(
        picture=leak_picture(size, widest=_WIDEST),
        sentence=f"Who was promised ε {size.epsilon:g} may lose "
        f"{epsilon_text(_far(size))} by an answer far out (noise may throw it to where "
        "no age is, such as below 0): the noise is a little wider "
        f"without that person, since it was made for {size.people - 1} people instead "
        "of "
        f"{size.people}.",
    )


def _telling() -> Telling:
    size = _size(1.0, _PEOPLE)
    return Telling(
        situation=f"A self-help group does not say how many come. It publishes the "
        f"average age with noise that is made for the number of its members, which is "
        f"{_PEOPLE}, or {_PEOPLE - 1} without Max.",
        predict=ask(
            "The number of members is never printed. Does it stay secret?",
            wrong(
                "Yes: only the noisy average is published",
                "How far the noise falls depends on the number. A far answer is more "
                "likely from wider noise.",
            ),
            right(
                "No: how wide the noise is tells of it",
                f"An answer far out gives away ε {epsilon_text(_far(size))} where 1 "
                "was "
                "promised, and farther out ever more.",
            ),
            wrong(
                "It does not matter: a count is harmless",
                "Whether Max is a member is exactly what the group hides.",
            ),
        ),
        questions=(
            ask(
                "Which of these numbers is public?",
                wrong(
                    "The exact average, rounded to whole years",
                    "Rounding is no noise: two rounded averages can still differ by "
                    "one person.",
                ),
                right(
                    "The answer that was released, with its interval",
                    "It was paid for, and what follows from it alone is public, too. "
                    "So are the bounds and how wide the noise is, where nobody looked "
                    "at the table to choose them; and the number of people, where it "
                    "was known before.",
                ),
                wrong(
                    "How much Max lost",
                    "It is computed from everybody's data, without noise.",
                ),
            ),
            ask(
                "A curator tries bounds until the answer looks good, and publishes "
                "only "
                "the last one. What is public?",
                wrong(
                    "Only what was published, so only that counts",
                    "The choice depended on the table, and is published with it.",
                ),
                right(
                    "The choice of the bounds, too, and it was not paid for",
                    "What is chosen by looking tells of what was seen.",
                ),
            ),
            ask(
                "How can one tell whether a number is public?",
                right(
                    "It was known before anybody looked, or it was released and paid "
                    "for, or it follows from such numbers alone",
                    "Everything else is a function of the table, however harmless it "
                    "looks.",
                ),
                wrong(
                    "It holds no names",
                    "No number does. What counts is what it was computed from.",
                ),
                wrong(
                    "It is about many people",
                    "So were the two exact averages that gave one person away.",
                ),
            ),
        ),
        home="Public is what was known before anybody looked, what was released and "
        "paid "
        "for, and what follows from these alone.",
        notes=(
            (
                "In the studio, blue marks what may leave, amber what only the curator "
                "may "
                "see."
            ),
            (
                "The cure for the group: noise for a number fixed in advance, or a "
                "noisy "
                "number of its own, paid for. The page Sensitivity explorer shows both."
            ),
        ),
        safe="Ask of each number on the page: could it have been written down without "
        "the table? If not: was it released?",
    )


LESSON = Lesson(
    key="public-numbers",
    title="Is this number public?",
    telling=_telling,
    knobs=(
        epsilon_knob(within=(0.1, _WIDEST, 0.1)),
        Knob(
            key="people",
            label="Members",
            value=_PEOPLE,
            within=(3, 100, 1),
            note="With Max. The fewer, the more one of them changes the noise.",
        ),
    ),
    shown=_shown,
)
