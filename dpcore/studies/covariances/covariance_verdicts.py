"""Verdicts on claims about a run of Study 1, and the runs that they look at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dpcore.studies.covariances.covariance_design import Design
    from dpcore.studies.covariances.covariance_study import Outcome


NEGLIGIBLE: Final = 1e-3
"""Effects below that share of the truth, or that probability, count as none."""


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    DEPENDS = "depends"
    TUNED = "tuned to"
    UNSEEN = "not in this run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One claim and its verdict.

    Attributes:
        key: Its number.
        claim: What is said, in plain words.
        verdict: Whether this run bears it out.
        evidence: Numbers of this run.

    """

    key: str
    claim: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run, which may have been stopped early."""

    design: Design
    outcomes: Sequence[Outcome]

    def at(self, key: str, correlation: float, people: int) -> Outcome | None:
        """Return the outcome of a scenario, if it was run."""
        for outcome in self.outcomes:
            known = outcome.scenario
            if (known.key, known.correlation, known.people) == (
                key,
                correlation,
                people,
            ):
                return outcome
        return None

    def extremes(self) -> Iterator[tuple[Outcome, Outcome]]:
        """Yield outcomes with the fewest and with the most people, else alike."""
        few, many = min(self.design.people), max(self.design.people)
        for correlation in self.design.correlations:
            for key in self.design.keys:
                first = self.at(key, correlation, few)
                second = self.at(key, correlation, many)
                if first is not None and second is not None and few < many:
                    yield first, second

    def first_with(self, key: str) -> list[Outcome]:
        """Return the outcomes of one mechanism, by the number of people."""
        mine = [o for o in self.outcomes if o.scenario.key == key]
        return sorted(mine, key=lambda o: o.scenario.people)


def matters(effect: float, scale: float) -> bool:
    """Return whether an effect is more than a thousandth of what it is compared with.

    An exact bias of a trillionth is no bias that a reader would look for.
    """
    return abs(effect) > NEGLIGIBLE * abs(scale)


def judge(
    key: str, claim: str, tests: Sequence[bool], evidence: Callable[[], str]
) -> Finding:
    """Return the finding whose claim is put to these tests.

    The caller leaves out tests of effects that do not matter.
    """
    if not tests:
        verdict, text = (
            Verdict.UNSEEN,
            "Nothing in this run is large enough to show it.",
        )
    else:
        verdict = Verdict.DEPENDS
        if all(tests):
            verdict = Verdict.HOLDS
        elif not any(tests):
            verdict = Verdict.FAILS
        text = evidence()
    return Finding(key=key, claim=claim, verdict=verdict, evidence=text)


def where(outcome: Outcome) -> str:
    """Return which scenario it is, in words."""
    known = outcome.scenario
    return f"correlation {known.correlation:g}, {known.people} people"


def listed(numbers: Sequence[int]) -> str:
    """Return numbers as an enumeration."""
    *some, last = map(str, numbers)
    return f"{', '.join(some)} and {last}" if some else last


def percent(share: float) -> str:
    """Return a share as a whole percentage."""
    return f"{100 * share:.0f} %"
