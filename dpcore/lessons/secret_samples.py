"""Secret samples: who does not know whether one was asked at all learns less."""

from __future__ import annotations

import numpy as np

from dpcore.figures.resampling.subsampling import lemma_picture
from dpcore.formatting import epsilon_text, percent, significant
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
from dpcore.privacy.amplification import amplify
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
        sentence=f"Everybody is drawn with chance {percent(rate)}, and nobody is told "
        f"who was. What costs ε = {epsilon:g} on the sample costs ε = {epsilon_text(left)} "
        "for the people of the table.",
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
        situation=f"A ministry asks one in {round(1 / _RATE)} of its people, drawn by "
        "a secret lot, and publishes an answer with noise for ε = 1. Lea does not know "
        "whether she was drawn, and nor does anybody else.",
        predict=ask(
            "How large is the ε that Lea is really promised?",
            wrong(
                "1: that is what the noise was made for",
                "That holds for those who were drawn. Whoever wants to know about Lea "
                "must guess that first.",
            ),
            right(
                f"About {left}",
                "Most of the time her answer was not even in there, and nobody can "
                "tell when it was.",
            ),
            wrong(
                "0: she was probably not asked",
                "She might have been, so that something may be learned.",
            ),
        ),
        questions=(
            ask(
                "What must be true for this to hold?",
                right(
                    "The lot is by chance, and nobody learns who was drawn",
                    "Once it is known that Lea was asked, her ε is 1 again.",
                ),
                wrong(
                    "The sample is small",
                    "Small helps. But a small sample whose list is known promises nothing more.",
                ),
                wrong(
                    "Everybody agreed to it",
                    "That is right to ask for, and no part of the arithmetic.",
                ),
            ),
            ask(
                "Is a small random sample alone enough, without noise?",
                wrong(
                    "Yes: hardly anybody is in it",
                    "Whoever is in it is published exactly. A promise must hold for them, too.",
                ),
                right(
                    "No: who is drawn is given away",
                    "A sample makes noise go further. It does not replace it.",
                ),
            ),
            ask(
                f"At the same final ε = 1, is it better to ask all, or one in "
                f"{round(1 / _RATE)} with less noise?",
                right(
                    "All",
                    f"For a share of {survey.table().people} people: typically off by "
                    f"{whole} points of percent from all rows, by {sampled} from the "
                    "sample, whose luck is added.",
                ),
                wrong(
                    "One in ten: the noise is less",
                    f"The noise is, but the luck of the sample is added: off by "
                    f"{sampled} points instead of {whole}.",
                ),
                wrong(
                    "It is the same",
                    "A secret sample pays where asking everybody costs money, not for "
                    "its own sake.",
                ),
            ),
        ),
        recall="What does a secret sample do?",
        home="A secret lot makes noise go further, as long as it stays secret; it "
        "replaces no noise.",
        notes=(
            ("The field calls it amplification by subsampling: ε becomes log(1 + q (e^ε - 1))."),
            (
                "The dots are counted from simulated releases, with and without one "
                "person: theory and counting agree."
            ),
            (
                "Two other lines of the picture are claims of sources; the page "
                "Subsampling tells them apart."
            ),
        ),
        safe="Ask who knows the list. If anybody does, the sample protects nobody from them.",
    )


LESSON = Lesson(
    key="secret-samples",
    title="Secret samples",
    text=_lesson_text,
    knobs=(
        epsilon_knob(),
        Knob(
            key="rate",
            label="Share of people drawn",
            value=_RATE,
            within=(0.05, 1.0, 0.05),
            note="Each is drawn with this chance.",
        ),
    ),
    view=_lesson_view,
)
