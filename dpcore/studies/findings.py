"""Claims of a source, and what became of them in a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    DEPENDS = "depends"
    TUNED = "tuned to"
    UNSEEN = "not in this run"

    @classmethod
    def of(cls, checks: Sequence[bool]) -> Verdict:
        """Return the verdict of several checks that the claim stands for."""
        if not checks:
            return cls.UNSEEN
        if all(checks):
            return cls.HOLDS
        return cls.DEPENDS if any(checks) else cls.FAILS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFinding:
    """One claim and its verdict."""

    claim: str
    """What is said, in plain words."""
    verdict: Verdict
    """Whether this run bears it out."""
    evidence: str
    """Numbers of this run."""
    key: str = ""
    """Its number, where claims are counted."""
