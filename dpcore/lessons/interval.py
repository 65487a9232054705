"""Where an interval comes from, and what makes it smaller."""

from __future__ import annotations

from dpcore.figures.lessons import covering_picture
from dpcore.formatting import in_full, significant
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

_ANSWERS = 100
_REACH = 2.0


def _half(epsilon: float, people: int | None = None) -> float:
    return survey.half_width(survey.mean_request(epsilon, people=people))


def _held(epsilon: float, people: int) -> tuple[LessonView, int]:
    truth, half = float(survey.ages()[:people].mean()), _half(epsilon, people)
    noise = survey.noise_of_mean(epsilon, people)
    answers = noise.simulate(truth, rng=survey.generator(), size=(_ANSWERS,))
    held = int((abs(answers - truth) <= half).sum())
    shown = LessonView(
        picture=covering_picture(
            answers, half=half, truth=truth, reach=max(_REACH, 3 * half), unit="years"
        ),
        sentence=f"With {people} people and ε = {in_full(epsilon)} every answer is published with "
        f"±{significant(half)} years. Of {_ANSWERS} simulated answers, {held} were "
        "that close to the average of these people. In the long run 95 of 100 are. "
        "The average of the whole country is a different number. The axis grows "
        "with the noise. The same random draws are used at every setting, so the "
        f"count is always {held} of {_ANSWERS}.",
    )
    return shown, held


def _lesson_view(settings: Settings) -> LessonView:
    return _held(settings["epsilon"], int(settings["people"]))[0]


def _lesson_text() -> LessonText:
    people = survey.table().people
    _, held = _held(1.0, people)
    average, ages = significant(float(survey.ages().mean())), survey.bounds("age")
    base, double, half_as_many = (
        significant(number) for number in (_half(1.0), _half(2.0), _half(1.0, people // 2))
    )
    return LessonText(
        situation=f"Tom reads that the average age of {people} people is {average} years, "
        f"plus or minus {base}, with noise added on purpose. The {people} are a "
        f"sample of a country. Ages outside the bounds, {in_full(ages.lower)} to "
        f"{in_full(ages.upper)}, are clamped: each is moved to the nearest bound. He "
        "wonders how the plus or minus was computed, and whether it exposed anybody.",
        predict=ask(
            "What is needed to compute how far off the noise may be?",
            wrong(
                "The data: the answer must be compared with the truth",
                "The size of the noise does not depend on the true value.",
            ),
            right(
                "Public numbers only: ε, the bounds and, here, the number of people",
                f"They fix the spread of the noise. So the interval, the answer ±{base} years, "
                "reveals nothing more about anybody. All of this was public before.",
            ),
            wrong(
                "Many answers to the same question",
                "Each answer reveals a little more about the people. One is enough, because "
                "everybody may know how the noise is drawn.",
            ),
        ),
        questions=(
            ask(
                "What makes the interval smaller?",
                right(
                    "More people, a larger ε, or tighter bounds",
                    f"At ε = 2 it is ±{double} years instead of ±{base}. With half as "
                    f"many people it would be ±{half_as_many}.",
                ),
                wrong(
                    "A smaller ε",
                    f"A smaller ε is more noise: at ε = 1 ±{base} years, at ε = 2 ±{double}.",
                ),
                wrong(
                    "People who are more alike",
                    "The noise is made for the bounds, not for the people in the table.",
                ),
            ),
            ask(
                f"{_ANSWERS - held} of {_ANSWERS} intervals missed the truth. Is something broken?",
                wrong(
                    "Yes: an interval must hold the truth",
                    "Only an interval of all possible values never misses.",
                ),
                right(
                    "No: about 5 of 100 are meant to miss",
                    "The promise is 95 of 100 in the long run. A hundred draws hold a "
                    "few more or less.",
                ),
            ),
            ask(
                "The survey is a sample of a whole country. Does this interval cover the "
                "error about the country?",
                wrong(
                    "Yes",
                    "It covers only the noise on the average of these people. Another sample "
                    "would have another average.",
                ),
                right(
                    "No: sampling error is added",
                    "The studio shows both intervals: for the noise alone, and for noise and "
                    "sampling.",
                ),
            ),
        ),
        recall="Where does an interval come from, and what makes it smaller?",
        home="An interval comes from public numbers and costs nothing. More people, a "
        "larger ε or tighter bounds make it smaller.",
        notes=(
            (
                "Compare an exact number without an interval and a noisy one with it. Ask "
                "which is more honest."
            ),
            (
                f"The survey published that {people} people were asked. Where their number is "
                "secret, the noise is made for a public minimum instead."
            ),
            (
                "Ages outside the bounds are clamped. No interval covers the bias from "
                "clamping. Another lesson is about bias."
            ),
        ),
        safe="The interval describes how accurate the answer is. It does not describe how "
        "safe it is. A larger ε makes the answer better and the protection worse. More "
        "people make the answer better and harm nobody.",
    )


LESSON = Lesson(
    key="interval",
    title="Where an interval comes from",
    text=_lesson_text,
    knobs=(
        epsilon_knob(within=(0.2, 3.0, 0.1)),
        Knob(
            key="people",
            label="People",
            value=944,
            within=(104, 944, 20),
            note="How many of the survey are averaged.",
        ),
    ),
    view=_lesson_view,
)
