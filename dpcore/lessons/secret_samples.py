"""Secret samples: who does not know whether one was asked at all learns less."""

from __future__ import annotations

import numpy as np

from dpcore.figures.resampling.subsampling import lemma_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
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
from dpcore.privacy.subsampling_amplification import amplify
from dpcore.studies.resampling.subsampling_study import SampledMean, lemma_curve, measure

_RATE = 0.1
_RATES = np.linspace(0.01, 1.0, 60)
_COUNTED = np.array([0.1, 0.25, 0.5, 1.0])
_DRAWS = 20_000


def _lesson_view(settings: Settings) -> LessonView:
    epsilon, rate = settings["epsilon"], settings["rate"]
    measured = measure(epsilon, _COUNTED, draws=_DRAWS, rng=survey.generator())
    left = float(amplify(epsilon, rate))
    return LessonView(
        picture=lemma_picture(lemma_curve(epsilon, _RATES), measured, at=rate),
        sentence=f"Each person is sampled with probability {percent(rate)}, and nobody learns "
        f"who was. A release that costs ε = {in_full(epsilon)} on the sample costs ε = "
        f"{epsilon_text(left)} for the whole dataset.",
    )


def _errors() -> tuple[float, float]:
    """Return the typical error of a mean at ε = 1: of all rows, and of a sample."""
    mean = SampledMean.at_worst(people=survey.table().people, width=1.0, epsilon=1.0)
    parts = mean.fixed_size(np.array([_RATE]))
    return float(np.sqrt(mean.full_error)), float(np.sqrt(parts.total[0]))


def _lesson_text() -> LessonText:
    left = epsilon_text(float(amplify(1.0, _RATE)))
    whole, sampled = (significant(100 * error, 2) for error in _errors())
    return LessonText(
        situation=f"A ministry surveys one in {round(1 / _RATE)} of its people, in a secret "
        "random sample. It publishes an answer with noise for ε = 1. Nobody knows "
        "whether Lea was sampled, not even Lea.",
        predict=ask(
            "What is the actual ε for Lea?",
            wrong(
                "1: that is what the noise was made for",
                "That holds for those who were sampled. An attacker does not know whether Lea was.",
            ),
            right(
                f"About {left}",
                "Most of the time her answer is not in the sample, and nobody can tell when it is.",
            ),
            wrong(
                "0: she was probably not asked", "She might have been, so something may be learned."
            ),
        ),
        questions=(
            ask(
                "What must be true for this to hold?",
                right(
                    "The sample is random, and nobody learns who was sampled",
                    "Once it is known that Lea was sampled, her ε is 1 again.",
                ),
                wrong(
                    "The sample is small",
                    "A small sample helps. But if its members are known, it adds no protection.",
                ),
                wrong("Everybody agreed to it", "Consent is important, but it does not change ε."),
            ),
            ask(
                "Is a small random sample alone enough, without noise?",
                wrong(
                    "Yes: hardly anybody is in it",
                    "Everyone in the sample is published exactly. The guarantee must hold "
                    "for them, too.",
                ),
                right(
                    "No: everyone in the sample is exposed",
                    "A sample makes noise more effective. It does not replace noise.",
                ),
            ),
            ask(
                f"At the same final ε = 1, is it better to ask all, or one in "
                f"{round(1 / _RATE)} with less noise?",
                right(
                    "All",
                    f"For a share of {survey.table().people} people, the typical error is "
                    f"{whole} percentage points from all rows. It is {sampled} from the "
                    "sample, which adds sampling error.",
                ),
                wrong(
                    "One in ten: the noise is less",
                    "There is less noise, but sampling error is added. The error is "
                    f"{sampled} points instead of {whole}.",
                ),
                wrong(
                    "It is the same",
                    "A secret sample is useful where a survey of everybody costs too much.",
                ),
            ),
        ),
        recall="What does a secret sample do?",
        home="A secret sample makes noise more effective, as long as it stays secret. It "
        "does not replace noise.",
        notes=(
            ("The field calls it amplification by subsampling: ε becomes log(1 + q (e^ε - 1))."),
            (
                "The dots are counts from simulated releases, with and without one person. "
                "They agree with theory."
            ),
            (
                "Two other lines of the chart are claims from the literature. The view "
                "Subsampling explains them."
            ),
        ),
        safe="Ask who knows the members of the sample. The sample does not protect against "
        "those people.",
    )


LESSON = Lesson(
    key="secret-samples",
    title="Secret samples",
    text=_lesson_text,
    knobs=(
        epsilon_knob(),
        Knob(
            key="rate",
            label="Sampling rate",
            value=_RATE,
            within=(0.05, 1.0, 0.05),
            note="Each person is sampled with this probability.",
        ),
    ),
    view=_lesson_view,
)
