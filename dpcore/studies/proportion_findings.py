"""The published findings of study 2, checked against a run of it.

Every verdict is computed from the numbers of the run. A comparison is made in the
setting the finding is about: "little data" means the smallest epsilon and the smallest
sample of the run, "much data" the largest of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.formatting import in_full, percent, significant, with_sign
from dpcore.studies.findings import ClaimFinding, Verdict
from dpcore.studies.proportion_study import Procedure, ProcedureAccuracy, ProportionDesign

_NEGLIGIBLE = 0.15
_SAME = 1.05
_SIMILAR = 1.15
_TREE_CELLS = 4
_NO_ERROR = "the original has no error to compare with in a cell of nobody, or of everybody"
_SHORT = {"bit": "BIT", "truncated": "calibrated", "truncated-published": "truncated"}


def findings(
    design: ProportionDesign, results: Sequence[ProcedureAccuracy]
) -> tuple[ClaimFinding, ...]:
    """Return the findings of the paper (Liu 2016, section 4.2) with their verdicts.

    A run that was stopped before both ends of the design has none.
    """
    run = ProportionRun(design, results)
    if not run.is_complete:
        return ()
    return tuple(check(run) for check in _CHECKS)


def _bias_of_ends(run: ProportionRun) -> ClaimFinding:
    checks, words = [], []
    for key in run.mechanisms:
        much = run.at(Procedure.RESCALING, key, run.much)
        chance = _NEGLIGIBLE * much.rmse + 3 * much.errors[0]
        checks.append(bool(np.all(np.abs(much.bias) <= chance)))
        little = run.at(Procedure.RESCALING, key, run.little)
        up, down = little.bias[run.smallest], little.bias[run.largest]
        checks += [bool(up > 0), bool(down < 0)]
        words.append(f"{_SHORT[key]} {with_sign(up)} and {with_sign(down)}")
    return ClaimFinding(
        claim="Re-scaling has little bias with large n. With small n the smallest "
        "cell is too large "
        "and the largest too small",
        verdict=Verdict.of(checks),
        evidence=f"bias of these two at {run.where}: {'; '.join(words)}",
    )


def _bounding(run: ProportionRun) -> ClaimFinding:
    claim = (
        "With little data BIT has less bias than truncation, but a larger typical "
        "error in the smallest cell"
    )
    if run.rivals is None:
        return _untested(claim)
    bias = [run.bias(Procedure.RESCALING, key).max() for key in run.rivals]
    rmse = [run.rmse(Procedure.RESCALING, key, run.little)[run.smallest] for key in run.rivals]
    return ClaimFinding(
        claim=claim,
        verdict=Verdict.of([bool(bias[1] < bias[0]), bool(rmse[0] < rmse[1])]),
        evidence=f"largest bias {significant(bias[1])} against {significant(bias[0])}, typical "
        f"error {significant(rmse[1])} against {significant(rmse[0])} at {run.where}",
    )


def _undercoverage(run: ProportionRun) -> ClaimFinding:
    claim = "BIT then has lower coverage than truncation"
    if run.rivals is None:
        return _untested(claim)
    truncated, bit = (run.coverage(Procedure.RESCALING, key) for key in run.rivals)
    return ClaimFinding(
        claim=claim,
        verdict=Verdict.of([bool(np.mean(bit) < np.mean(truncated))]),
        evidence="95% intervals cover the smallest cell in "
        f"{percent(bit[run.smallest])} against {percent(truncated[run.smallest])}, all "
        f"cells in {percent(bit.mean())} against {percent(truncated.mean())}",
    )


def _convergence(run: ProportionRun) -> ClaimFinding:
    claim = "With large n, RMSE matches the non-private estimator"
    original = run.rmse(Procedure.ORIGINAL, None, run.much)
    ratios = {
        key: _times(run.rmse(Procedure.RESCALING, key, run.much), original)
        for key in run.mechanisms
    }
    if np.isinf(list(ratios.values())).any():
        return _untested(claim, _NO_ERROR)
    words = [f"{_SHORT[key]} {significant(ratio)}" for key, ratio in ratios.items()]
    return ClaimFinding(
        claim=claim,
        verdict=Verdict.of([ratio <= _SAME for ratio in ratios.values()]),
        evidence=f"Ratio of RMSE at ε = {in_full(run.much[0])}, n = {run.much[1]:,}: "
        + ", ".join(words),
    )


def _synthesis_lifts(run: ProportionRun) -> ClaimFinding:
    checks, words, falls = [], [], []
    for key in run.mechanisms:
        one = run.coverage(Procedure.RESCALING, key)
        many = run.coverage(Procedure.SYNTHESIS, key)
        checks.append(bool(many.mean() > one.mean()))
        words.append(f"{_SHORT[key]} {percent(one.mean())} to {percent(many.mean())}")
        falls += [
            f"{_SHORT[key]} p{cell + 1} falls from {percent(one[cell])} to {percent(many[cell])}"
            for cell in range(run.cells)
            if many[cell] < one[cell]
        ]
    but = f"; but {', '.join(falls)}" if falls else ""
    return ClaimFinding(
        claim="Multiple synthesis lifts the coverage",
        verdict=Verdict.of(checks),
        evidence=f"mean of the cells at {run.where}: {'; '.join(words)}{but}",
    )


def _synthesis_costs(run: ProportionRun) -> ClaimFinding:
    claim = "In exchange its bias grows, and at the smallest ε its RMSE does not reach the original"
    checks, words = [], []
    # Little budget, but many people: the noise is what is left.
    setting = run.little[0], run.much[1]
    for key in run.mechanisms:
        one = run.bias(Procedure.RESCALING, key).max()
        many = run.bias(Procedure.SYNTHESIS, key).max()
        ratio = _times(
            run.rmse(Procedure.SYNTHESIS, key, setting), run.rmse(Procedure.ORIGINAL, None, setting)
        )
        if np.isinf(ratio):
            return _untested(claim, _NO_ERROR)
        checks += [bool(many > one), bool(ratio > _SIMILAR)]
        words.append(
            f"{_SHORT[key]} largest bias {significant(one)} to {significant(many)}, RMSE "
            f"{significant(ratio)} times the non-private one even at n = {setting[1]}"
        )
    return ClaimFinding(claim=claim, verdict=Verdict.of(checks), evidence="; ".join(words))


def _remainder(run: ProportionRun) -> ClaimFinding:
    checks, words = [], []
    procedures = (Procedure.ALL_BUT_ONE, Procedure.REVERSED)
    cells = slice(run.cells)
    for key in run.mechanisms:
        flat, _ = run.over_sizes(Procedure.RESCALING, key, "rmse")
        usual, _ = run.over_sizes(Procedure.RESCALING, key, "coverage")
        for procedure, cell in zip(procedures, run.left_over, strict=True):
            rest, _ = run.over_sizes(procedure, key, "rmse")
            covered, _ = run.over_sizes(procedure, key, "coverage")
            checks.append(bool(rest[cells].mean() > flat[cells].mean()))
            # Compared with re-scaling: some cells are harder for every procedure.
            checks.append(int(np.argmin((covered / usual)[cells])) == cell)
            words.append(
                f"{_SHORT[key]}, p{cell + 1} left over: typical error "
                f"{significant(rest[cells].mean() / flat[cells].mean())} times, coverage of "
                f"p{cell + 1} {percent(usual[cell])} to {percent(covered[cell])}"
            )
    return ClaimFinding(
        claim="All-but-one has a larger typical error than re-scaling at the smallest "
        "ε, and its coverage suffers most in the cell left over",
        verdict=Verdict.of(checks),
        evidence=f"mean over n at ε = {in_full(run.little[0])}: {'; '.join(words)}",
    )


def _remainder_bias(run: ProportionRun) -> ClaimFinding:
    checks, words = [], []
    procedures = (Procedure.ALL_BUT_ONE, Procedure.REVERSED)
    for key in run.mechanisms:
        flat = run.bias(Procedure.RESCALING, key).max()
        for procedure, cell in zip(procedures, run.left_over, strict=True):
            rest = run.bias(procedure, key).max()
            checks.append(bool(rest < flat))
            words.append(
                f"{_SHORT[key]} {significant(rest)} against {significant(flat)} if p{cell + 1} "
                "is left"
            )
    return ClaimFinding(
        claim="All-but-one has less bias than re-scaling with little data",
        verdict=Verdict.of(checks),
        evidence=f"largest bias: {'; '.join(words)}",
    )


def _tree_cells(run: ProportionRun) -> ClaimFinding:
    checks, words = [], []
    tree, flat = Procedure.HISTOGRAM, Procedure.RESCALING
    for key in run.mechanisms:
        little, much = (
            float(np.mean(run.rmse(tree, key, at) / run.rmse(flat, key, at)))
            for at in (run.little, run.much)
        )
        checks += [little > 1, little > much]
        words.append(
            f"{_SHORT[key]} {significant(little)} times with little data, {significant(much)} "
            "with much"
        )
    return ClaimFinding(
        claim="The universal histogram is worse for single cells, most with little data",
        verdict=Verdict.of(checks),
        evidence=f"RMSE relative to re-scaling: {'; '.join(words)}",
    )


def _tree_pairs(run: ProportionRun) -> ClaimFinding:
    claim = (
        f"Its node p1 + p{run.cells} is better than other pairs, but not better than by re-scaling"
    )
    if run.cells < _TREE_CELLS:
        return _untested(claim, f"needs {_TREE_CELLS} cells")
    checks, words = [], []
    for key in run.mechanisms:
        tree, error = run.over_sizes(Procedure.HISTOGRAM, key, "rmse")
        scaled, other = run.over_sizes(Procedure.RESCALING, key, "rmse")
        pairs, node, flat = tree[run.cells :], tree[run.cells], scaled[run.cells]
        # Better counts only where chance does not explain it.
        chance = 3 * float(np.hypot(error[run.cells], other[run.cells]))
        checks += [bool(node < pairs[1:].min()), bool(node >= flat - chance)]
        words.append(
            f"{_SHORT[key]} {significant(node)}, other pairs {significant(pairs[1:].mean())}, by "
            f"re-scaling {significant(flat)}"
        )
    return ClaimFinding(
        claim=claim,
        verdict=Verdict.of(checks),
        evidence=f"typical error at ε = {in_full(run.little[0])}, mean over n: " + "; ".join(words),
    )


def _untested(claim: str, why: str = "needs both kinds of bounding") -> ClaimFinding:
    return ClaimFinding(claim=claim, verdict=Verdict.UNSEEN, evidence=why)


def _times(above: FloatArray, original: FloatArray) -> float:
    """Return how many times the errors of the original others are, mean of the cells.

    Infinite where the original has no error: of a cell of nobody, or of everybody.
    """
    return float(np.mean(above / original)) if np.all(original > 0) else np.inf


_CHECKS: tuple[Callable[[ProportionRun], ClaimFinding], ...] = (
    _bias_of_ends,
    _bounding,
    _undercoverage,
    _convergence,
    _synthesis_lifts,
    _synthesis_costs,
    _remainder,
    _remainder_bias,
    _tree_cells,
    _tree_pairs,
)


class ProportionRun:
    """The results of a run by setting.

    ``little`` and ``much`` are the settings (epsilon, people) with the least and the
    most of both.
    """

    def __init__(self, design: ProportionDesign, results: Sequence[ProcedureAccuracy]) -> None:
        self._known = {(r.procedure, r.mechanism, r.epsilon, r.people): r for r in results}
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
        # The cells that both orders of all-but-one leave over.
        self.left_over = design.sequence[-1], design.sequence[0]

    def at(
        self, procedure: Procedure, key: str | None, setting: tuple[float, int]
    ) -> ProcedureAccuracy:
        """Return the results of one setting (epsilon, people)."""
        return self._known[procedure, key, *setting]

    def bias(self, procedure: Procedure, key: str) -> FloatArray:
        """Return the absolute bias of the cells with little data."""
        return np.abs(self.at(procedure, key, self.little).bias[: self.cells])

    def rmse(self, procedure: Procedure, key: str | None, setting: tuple[float, int]) -> FloatArray:
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
        return f"ε = {in_full(self.little[0])}, n = {self.little[1]}"

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
