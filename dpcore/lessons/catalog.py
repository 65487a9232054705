"""All lessons, in the order in which they build on each other."""

from __future__ import annotations

from typing import Final

from dpcore.lessons import (
    averaging,
    blending,
    bootstrap,
    budget,
    clamping,
    exposed,
    interval,
    meaning,
    near_a_bound,
    one_guest,
    planning,
    public_numbers,
    secret_samples,
    small_groups,
    why_noise,
)
from dpcore.lessons.lesson import Lesson

LESSONS: Final[dict[str, Lesson]] = {
    lesson.key: lesson
    for lesson in (
        why_noise.LESSON,
        one_guest.LESSON,
        meaning.LESSON,
        interval.LESSON,
        averaging.LESSON,
        budget.LESSON,
        planning.LESSON,
        clamping.LESSON,
        near_a_bound.LESSON,
        small_groups.LESSON,
        exposed.LESSON,
        blending.LESSON,
        public_numbers.LESSON,
        secret_samples.LESSON,
        bootstrap.LESSON,
    )
}
