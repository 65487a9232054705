"""A run of study 2, read setting by setting, and the verdicts it can give."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dpcore.studies.proportions.proportion_design import Procedure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.proportions.proportion_design import Design
    from dpcore.studies.proportions.proportion_study import Accuracy


class Verdict(StrEnum):
    """What a run says about a finding."""

    HOLDS = "holds"
    FAILS = "fails"
    DEPENDS = "depends"
    UNTESTED = "not in this run"

    @classmethod
    def of(cls, checks: Sequence[bool]) -> Verdict:
        """Return the verdict of several checks that the finding stands for."""
        if not checks:
            return cls.UNTESTED
        if all(checks):
            return cls.HOLDS
        return cls.DEPENDS if any(checks) else cls.FAILS


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A published finding and what became of it.

    Attributes:
        claim: The finding, in plain words.
        verdict: Whether the run bears it out.
        evidence: The numbers of the run that decide.

    """

    claim: str
    verdict: Verdict
    evidence: str


class Reading:
    """The results of a run by setting.

    Attributes:
        is_complete: Whether every setting of the design was run.
        mechanisms: Keys of the mechanisms.
        cells: Number of cells.
        little: The smallest epsilon and the smallest sample.
        much: The largest of both.
        smallest: The cell with the smallest proportion.
        largest: The cell with the largest one.
        left_over: The cells that both orders of all-but-one leave over.

    """

    def __init__(self, design: Design, results: Sequence[Accuracy]) -> None:
        self._known = {
            (r.procedure, r.mechanism, r.epsilon, r.people): r for r in results
        }
        self.is_complete = len(self._known) >= design.settings and all(
            (Procedure.ORIGINAL, None, epsilon, people) in self._known
            for epsilon in design.epsilons
            for people in design.people
        )
        self.mechanisms = design.mechanisms
        self.cells = len(design.shares)
        self.people = sorted(design.people)
        self.little = min(design.epsilons), min(design.people)
        self.much = max(design.epsilons), max(design.people)
        self.smallest = int(np.argmin(design.shares))
        self.largest = int(np.argmax(design.shares))
        self.left_over = design.sequence[-1], design.sequence[0]

    def at(
        self, procedure: Procedure, key: str | None, setting: tuple[float, int]
    ) -> Accuracy:
        """Return the results of one setting (epsilon, people)."""
        return self._known[procedure, key, *setting]

    def bias(self, procedure: Procedure, key: str) -> FloatArray:
        """Return the absolute bias of the cells with little data."""
        return np.abs(self.at(procedure, key, self.little).bias[: self.cells])

    def rmse(
        self, procedure: Procedure, key: str | None, setting: tuple[float, int]
    ) -> FloatArray:
        """Return the typical errors of the cells."""
        return self.at(procedure, key, setting).rmse[: self.cells]

    def coverage(self, procedure: Procedure, key: str) -> FloatArray:
        """Return the coverages of the cells with little data."""
        return self.at(procedure, key, self.little).coverage[: self.cells]

    @property
    def rivals(self) -> tuple[str, str] | None:
        """Return a truncated mechanism and BIT, if the run has both."""
        truncated = [key for key in self.mechanisms if key != "bit"]
        if not truncated or "bit" not in self.mechanisms:
            return None
        return truncated[0], "bit"

    @property
    def where(self) -> str:
        """Return the setting with little data in words."""
        return f"ε {self.little[0]:g}, n {self.little[1]}"

    def over_sizes(
        self, procedure: Procedure, key: str, metric: str
    ) -> tuple[FloatArray, FloatArray]:
        """Return a metric of every target at the smallest epsilon, and its error.

        It is the mean over all sample sizes.
        """
        at = [self.at(procedure, key, (self.little[0], n)) for n in self.people]
        rows = {"rmse": [r.rmse for r in at], "coverage": [r.coverage for r in at]}
        index = {"rmse": 1, "coverage": 2}[metric]
        squares = np.sum([r.errors[index] ** 2 for r in at], axis=0)
        return np.mean(rows[metric], axis=0), np.sqrt(squares) / len(at)
