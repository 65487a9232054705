"""What the original said about Study 1, held against a run of it.

Each finding is judged by the exact means of the run's own design, so that the verdict
does not depend on luck; the evidence quotes them beside what was simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.formatting import in_full, percent, significant, with_sign
from dpcore.studies.covariance_study import LABELS, CovarianceDesign, Degenerate, ScenarioOutcome
from dpcore.studies.findings import ClaimFinding, Verdict

_VARIANCES, _TOGETHER = ("v1", "v2"), ("cov", "r")
NEGLIGIBLE: Final = 1e-3
"""Effects below that share of the truth, or that probability, count as none."""
_ZERO = 1e-9
_LUCK = 4.0
_UNIFORM = 1.0
"""Distance between the quartiles of a correlation that is uniform on [-1, 1]."""
_FLAT = 0.5
"""Below it a law is narrow, however much flatter than another."""
_SMALLEST = 1e-6

Cell = tuple[float, int, str]


def findings(
    design: CovarianceDesign, outcomes: Sequence[ScenarioOutcome]
) -> tuple[ClaimFinding, ...]:
    """Return all findings about a run, which may have been stopped early."""
    run = CovarianceRun(design=design, outcomes=outcomes)
    return (
        _small_samples(run),
        _directions(run),
        _less_biased(run, "F3", "variances", _VARIANCES),
        _less_biased(run, "F3'", "covariance and correlation", _TOGETHER),
        _convergence(run),
        _shapes(run),
        _ends(run),
    )


def _small_samples(run: CovarianceRun) -> ClaimFinding:
    pairs = [
        (few, many)
        for few, many in run.extremes()
        if matters(few.of["v1"].exact_bias, few.of["v1"].truth)
    ]
    tests = [abs(few.of["v1"].exact_bias) > abs(many.of["v1"].exact_bias) for few, many in pairs]
    centered = [o for o in run.outcomes if o.scenario.correlation == 0]
    summaries = [o.of[name] for o in centered for name in _TOGETHER]
    # That nothing is biased where nothing matters says nothing about few people.
    if pairs:
        tests += [
            abs(s.exact) <= _ZERO * (1 + s.sd) and abs(s.mean) <= _LUCK * s.error
            for s in summaries
            if s.kept > 1
        ]

    def evidence() -> str:
        text = ""
        if pairs:
            few, many = pairs[0]
            text = (
                f"First variance, {where(few)}: bias {with_sign(few.of['v1'].exact_bias)} "
                f"(simulated {with_sign(few.of['v1'].bias)}); with {many.scenario.people} "
                f"people {with_sign(many.of['v1'].exact_bias)}. "
            )
        if centered:
            most = max(abs(o.of["r"].mean) for o in centered)
            text += (
                "At correlation 0 the exact bias of covariance and correlation is 0; "
                f"the largest simulated mean correlation is {significant(most, 2)}."
            )
        return text.strip()

    claim = (
        "With few people the bias is large. Covariance and correlation have none if the true "
        "correlation is 0."
    )
    return judge("F1", claim, tests, evidence)


def _directions(run: CovarianceRun) -> ClaimFinding:
    upward = [
        o.of[name].exact_bias
        for o in run.outcomes
        for name in _VARIANCES
        if o.of[name].truth < o.largest[name] / 2
        and matters(o.of[name].exact_bias, o.of[name].truth)
    ]
    kept = [
        (s.exact, s.truth)
        for o in run.outcomes
        for s in (o.of[name] for name in _TOGETHER)
        if s.truth != 0 and matters(s.exact_bias, s.truth)
    ]
    tests = [bias > 0 for bias in upward]
    tests += [0 < exact / truth < 1 for exact, truth in kept]

    def evidence() -> str:
        parts = []
        if upward:
            number = sum(bias > 0 for bias in upward)
            parts.append(f"{number} of {len(upward)} biased variances are too large")
        if kept:
            ratios = [exact / truth for exact, truth in kept]
            parts.append(
                "covariances and correlations keep on average between "
                f"{percent(min(ratios))} and {percent(max(ratios))} of their true size"
            )
        return "; ".join(parts) + "."

    claim = "Variances are too large, and covariance and correlation too close to 0."
    return judge("F2", claim, tests, evidence)


def _less_biased(run: CovarianceRun, key: str, what: str, names: tuple[str, ...]) -> ClaimFinding:
    cells: dict[Cell, tuple[float, float]] = {}
    for correlation in run.design.correlations:
        for people in sorted(run.design.people):
            bit = run.at("bit", correlation, people)
            cut = run.at("truncated-published", correlation, people)
            for name in names:
                if bit is None or cut is None or np.isnan(bit.of[name].exact):
                    continue
                biases = (bit.of[name].exact_bias, cut.of[name].exact_bias)
                # Without bias, as by symmetry, there is nothing to compare.
                scale = cut.of[name].truth or cut.largest[name]
                bit_size, cut_size = (abs(bias) for bias in biases)
                if matters(bit_size - cut_size, scale):
                    cells[correlation, people, name] = bit_size, cut_size
    against = {cell: sizes for cell, sizes in cells.items() if sizes[0] > sizes[1]}

    def evidence() -> str:
        if not against:
            ratios = [bit / cut for bit, cut in cells.values()]
            low, high = percent(min(ratios)), percent(max(ratios))
            return (
                f"In all {len(cells)} comparisons; BIT's bias is {low} to {high} of truncation's."
            )
        people = sorted({cell[1] for cell in against})
        cell, (bit, cut) = max(against.items(), key=lambda c: c[1][0] - c[1][1])
        counted = run.design.degenerate is Degenerate.ZERO
        return (
            f"Not in {len(against)} of {len(cells)} comparisons, at {listed(people)} "
            f"people: {LABELS[cell[2]]}, correlation {in_full(cell[0])}, {cell[1]} people, "
            f"bias {significant(bit)} for BIT against {significant(cut)}."
            + (" Releases with a variance of 0 count as 0 here." if counted else "")
        )

    claim = f"Truncation as published is more biased than BIT: {what}."
    return judge(key, claim, [cell not in against for cell in cells], evidence)


def _convergence(run: CovarianceRun) -> ClaimFinding:
    pairs = [
        (few.of[name], many.of[name])
        for few, many in run.extremes()
        for name in few.of
        if few.of[name].kept > 1
        and many.of[name].kept > 1
        and matters(few.of[name].exact_bias, few.of[name].truth or few.largest[name])
    ]
    tests = [
        abs(many.exact_bias) <= abs(few.exact_bias) + _ZERO * (1 + few.sd) and many.sd < few.sd
        for few, many in pairs
    ]

    def evidence() -> str:
        ratios = [many.sd / few.sd for few, many in pairs]
        low, high = percent(min(ratios)), percent(max(ratios))
        return (
            f"From {min(run.design.people)} to {max(run.design.people)} people the "
            f"spread falls to between {low} and {high}, in {sum(tests)} of "
            f"{len(tests)} comparisons together with the bias."
        )

    claim = "Bias and spread go to 0 as the number of people grows."
    return judge("F4", claim, tests, evidence)


def _shapes(run: CovarianceRun) -> ClaimFinding:
    bit = run.first_with("bit")
    cut = run.first_with("truncated-published")
    centered = [o for o in cut if o.scenario.correlation == 0] or cut
    tests, parts = [], []
    if len({o.scenario.people for o in bit}) > 1:
        few, many = bit[0], bit[-1]
        if few.zero_variance > NEGLIGIBLE:
            tests.append(few.zero_variance > many.zero_variance)
            parts.append(
                f"BIT releases a first variance of exactly 0 with probability "
                f"{significant(few.zero_variance)} for {few.scenario.people} people, "
                f"{_rounded(many.zero_variance)} for {many.scenario.people}"
            )
    if len({o.scenario.people for o in centered}) > 1:
        few, many = centered[0], centered[-1]
        boxes = [_box(outcome) for outcome in (few, many)]
        if boxes[0] > _FLAT:
            tests.append(abs(boxes[0] - _UNIFORM) < abs(boxes[1] - _UNIFORM))
            parts.append(
                f"half of the truncated correlations lie within a stretch of "
                f"{significant(boxes[0])} ({where(few)}) and {significant(boxes[1])} "
                f"({many.scenario.people} people); flat noise would give 1"
            )
    claim = (
        "With few people BIT piles up at its bounds and truncation flattens out, the "
        "correlation most of all."
    )
    return judge("F5", claim, tests, lambda: "; ".join(parts) + ".")


def _ends(run: CovarianceRun) -> ClaimFinding:
    bit = [o for o in run.first_with("bit") if o.of["r"].kept]

    def evidence() -> str:
        most = max(bit, key=lambda o: o.of["r"].at_ends)
        return (
            f"At most {percent(most.of['r'].at_ends)} of a scenario's correlations are "
            f"exactly -1 or 1 ({where(most)})."
        )

    claim = "BIT releases correlations of exactly -1 or 1."
    # Rare ones may have been missed: seeing none does not refute it.
    found = [True] if any(o.of["r"].at_ends > 0 for o in bit) else []
    return judge("F6", claim, found, evidence)


def _rounded(chance: float) -> str:
    return significant(chance, 2) if chance > _SMALLEST else "practically never"


def _box(outcome: ScenarioOutcome) -> float:
    _, low, _, high, _ = outcome.of["r"].percentiles
    return high - low


@dataclass(frozen=True, slots=True, kw_only=True)
class CovarianceRun:
    """A run, which may have been stopped early."""

    design: CovarianceDesign
    outcomes: Sequence[ScenarioOutcome]

    def at(self, key: str, correlation: float, people: int) -> ScenarioOutcome | None:
        """Return the outcome of a scenario, if it was run."""
        for outcome in self.outcomes:
            known = outcome.scenario
            if (known.key, known.correlation, known.people) == (key, correlation, people):
                return outcome
        return None

    def extremes(self) -> Iterator[tuple[ScenarioOutcome, ScenarioOutcome]]:
        """Yield outcomes with the fewest and with the most people, else alike."""
        few, many = min(self.design.people), max(self.design.people)
        for correlation in self.design.correlations:
            for key in self.design.keys:
                first = self.at(key, correlation, few)
                second = self.at(key, correlation, many)
                if first is not None and second is not None and few < many:
                    yield first, second

    def first_with(self, key: str) -> list[ScenarioOutcome]:
        """Return the outcomes of one mechanism, by the number of people."""
        mine = [o for o in self.outcomes if o.scenario.key == key]
        return sorted(mine, key=lambda o: o.scenario.people)


def matters(effect: float, scale: float) -> bool:
    """Return whether an effect is more than a thousandth of what it is compared with.

    An exact bias of a trillionth is no bias that a reader would look for.
    """
    return abs(effect) > NEGLIGIBLE * abs(scale)


def judge(key: str, claim: str, tests: Sequence[bool], evidence: Callable[[], str]) -> ClaimFinding:
    """Return the finding whose claim is put to these tests.

    The caller leaves out tests of effects that do not matter.
    """
    text = evidence() if tests else "Nothing in this run is large enough to show it."
    return ClaimFinding(key=key, claim=claim, verdict=Verdict.of(tests), evidence=text)


def where(outcome: ScenarioOutcome) -> str:
    """Return which scenario it is, in words."""
    known = outcome.scenario
    return f"correlation {in_full(known.correlation)}, {known.people} people"


def listed(numbers: Sequence[int]) -> str:
    """Return numbers as an enumeration."""
    *some, last = map(str, numbers)
    return f"{', '.join(some)} and {last}" if some else last
