"""All lessons, in the order in which they build on each other.

Paths through the lessons: for a board, a class and a seminar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dpcore.lessons import (
    averaging,
    blending,
    budget,
    clamping,
    exposed,
    interval,
    meaning,
    near_a_bound,
    noisy_bootstrap,
    one_guest,
    planning,
    public_numbers,
    secret_samples,
    small_groups,
    why_noise,
)
from dpcore.lessons.lesson import MINUTES, Lesson, LessonStep

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
        noisy_bootstrap.LESSON,
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """Lessons in an order, with the minutes of each.

    Attributes:
        key: Its name in addresses.
        title: Whom it is for.
        stops: Key of each lesson with its minutes.
        reserve: Minutes for questions and delays.

    """

    key: str
    title: str
    stops: tuple[tuple[str, int], ...]
    reserve: int = 0

    @property
    def minutes(self) -> int:
        """Return how long it takes with its reserve."""
        return self.reserve + sum(minutes for _, minutes in self.stops)

    @property
    def label(self) -> str:
        """Return whom it is for, and how long it takes."""
        return f"{self.title}: {self.minutes} minutes"

    @property
    def lessons(self) -> dict[str, Lesson]:
        """Return its lessons by their keys, in order."""
        return {key: LESSONS[key] for key, _ in self.stops}

    def place(self, lesson: str) -> int:
        """Return the place of a lesson, from 1."""
        return list(self.lessons).index(lesson) + 1

    def minutes_from(self, lesson: str, step: LessonStep) -> float:
        """Return how long it takes from a step of a lesson to the end."""
        here = self.place(lesson) - 1
        minutes = [minutes for _, minutes in self.stops]
        steps = len(LessonStep)
        return sum(minutes[here + 1 :]) + minutes[here] * ((steps - step.number + 1) / steps)

    def after(self, lesson: str, step: LessonStep) -> tuple[str, LessonStep] | None:
        """Return the next step, if there is one."""
        return self._beside(lesson, step, 1)

    def before(self, lesson: str, step: LessonStep) -> tuple[str, LessonStep] | None:
        """Return the step before, if there is one."""
        return self._beside(lesson, step, -1)

    def _beside(self, lesson: str, step: LessonStep, way: int) -> tuple[str, LessonStep] | None:
        steps = [(key, each) for key in self.lessons for each in LessonStep]
        place = steps.index((lesson, step)) + way
        return steps[place] if 0 <= place < len(steps) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How a path and the clock stand to each other.

    Attributes:
        minutes: How long the path takes.
        needed: What it still takes from here.
        passed: What has passed since the clock was started; ``None`` if it was not.
        reserve: What the path leaves for questions and delays.

    """

    minutes: float
    needed: float
    passed: float | None = None
    reserve: float = 0.0

    @property
    def text(self) -> str:
        """Return what is left, in words.

        >>> Pace(minutes=45, needed=31.0, reserve=9.0).text
        '31 min of lessons to go, 9 min in reserve'
        >>> Pace(minutes=45, needed=31.0, passed=20.0).text
        '25 min left, 31 min of lessons to go: 6 min late'
        >>> Pace(minutes=45, needed=31.0, passed=50.0).text
        '5 min over, 31 min of lessons to go'
        """
        to_go = f"{round(self.needed)} min of lessons to go"
        if self.passed is None:
            return f"{to_go}, {round(self.reserve)} min in reserve" if self.reserve else to_go
        left = round(self.minutes - self.passed)
        if left < 0:
            return f"{-left} min over, {to_go}"
        late = round(self.needed) - left
        how = f"{late} min late" if late > 0 else f"{-late} min in reserve"
        return f"{left} min left, {to_go}: {how}"


_CLASS: Final = ("why-noise", "one-guest", "interval", "budget", "near-a-bound", "exposed")
_CLASS_MINUTES, _CLASS_RESERVE = 6, 9
_LONG: Final = {"near-a-bound": 10, "secret-samples": 10, "bootstrap": 10}
"""What a seminar that knows statistics takes its time for."""
PATHS: Final = {
    path.key: path
    for path in (
        Path(
            key="class",
            title="For a class",
            stops=tuple((key, _CLASS_MINUTES) for key in _CLASS),
            reserve=_CLASS_RESERVE,
        ),
        Path(
            key="board",
            title="For a board",
            stops=tuple((key, MINUTES) for key in ("meaning", "budget", "planning")),
        ),
        Path(
            key="seminar",
            title="For a seminar",
            stops=tuple((key, _LONG.get(key, MINUTES)) for key in LESSONS),
        ),
    )
}
