"""Study 2 finds what a hundred thousand repetitions found, setting by setting."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.studies import proportion_study
from dpcore.studies.findings import Verdict
from dpcore.studies.proportion_findings import findings
from dpcore.studies.proportion_study import (
    BOUNDING,
    LEAST_EPSILON,
    MOST_PEOPLE,
    Procedure,
    ProportionDesign,
)
from tests.conftest import ROOT, few

REFERENCE = json.loads((ROOT / "tests/vectors/proportion_study.json").read_text())
NAMES = {
    Procedure.ORIGINAL: "orig",
    Procedure.RESCALING: "rescale",
    Procedure.SYNTHESIS: "ms5",
    Procedure.ALL_BUT_ONE: "abo",
    Procedure.REVERSED: "abo_desc",
    Procedure.HISTOGRAM: "uh",
}
SHORT = {"truncated-published": "trunc", "bit": "bit", "truncated": "truncdp"}
SEED = 1


def run_all(design, *, rng):
    return tuple(itertools.chain.from_iterable(proportion_study.run(design, rng=rng)))


@pytest.fixture(scope="module")
def results():
    design = ProportionDesign(mechanisms=tuple(BOUNDING))
    return run_all(design, rng=np.random.default_rng(SEED))


def reference(result):
    """Return the reference of one setting, if there is one."""
    if result.procedure not in NAMES:
        return None
    parts = [NAMES[result.procedure]]
    if result.mechanism is not None:
        parts += [SHORT[result.mechanism], str(result.epsilon)]
    return REFERENCE.get("|".join([*parts, str(result.people)]))


def misses(results):
    compared = missed = 0
    for result in results:
        known = reference(result)
        if known is None:
            continue
        found = {"bias": result.bias, "rmse": result.rmse, "cp": result.coverage}
        for name, values in found.items():
            expected, tolerance = np.array(known[name])
            compared += len(expected)
            missed += np.sum(np.abs(values - expected) > tolerance)
    return compared, missed


def test_default_study_agrees_with_the_reference(results):
    compared, missed = misses(results)
    # 5 procedures x 2 mechanisms x 15 settings, 15 calibrated and the original thrice,
    # each with 3 metrics of 7 targets.
    assert compared == (5 * 2 * 15 + 15 + 15) * 3 * 7
    assert missed == 0


def test_noise_aware_intervals_cover_as_in_the_reference(results):
    compared = 0
    for result in results:
        if result.procedure is not Procedure.NOISE_AWARE:
            continue
        if result.mechanism == "truncated":
            # Its reference took the published scale, here it is the scale in use.
            assert np.all(result.coverage[:4] > 0.9)
            continue
        key = f"rescale|{SHORT[result.mechanism]}|{result.epsilon}|{result.people}"
        expected = np.array(REFERENCE[key]["aware"])
        spread = np.sqrt(np.maximum(expected * (1 - expected), 0.01) / 500)
        assert np.all(np.abs(result.coverage[:4] - expected) <= 4 * spread), key
        compared += 1
    assert compared == 30


@pytest.mark.slow
def test_standard_errors_are_those_between_runs():
    design = ProportionDesign(epsilons=(0.5,), people=(100,), repetitions=200)
    runs = [run_all(design, rng=np.random.default_rng(seed)) for seed in range(150)]
    for column in zip(*runs, strict=True):
        values = np.array([[r.bias, r.rmse, r.coverage] for r in column])
        stated = np.mean([r.errors for r in column], axis=0)
        assert stated == pytest.approx(values.std(axis=0), rel=0.35), column[0]


def test_targets_are_cells_and_pairs_with_the_first():
    assert ProportionDesign().targets == ((0,), (1,), (2,), (3,), (0, 3), (0, 1), (0, 2))
    assert ProportionDesign(shares=(0.2, 0.3, 0.5)).targets == ((0,), (1,), (2,))


@pytest.mark.parametrize(
    "change",
    [
        {"shares": (1.0,)},
        {"shares": (0.5, 0.4)},
        {"shares": (1.5, -0.5)},
        {"shares": (np.nan, 0.5, 0.5)},
        {"shares": (1 / 11,) * 11},
        {"epsilons": ()},
        {"epsilons": (0.0,)},
        {"epsilons": (np.inf,)},
        {"people": ()},
        {"epsilons": (LEAST_EPSILON / 2,)},
        {"people": (0,)},
        {"people": (MOST_PEOPLE + 1,)},
        {"people": tuple(range(1, 30))},
        {"repetitions": 1},
        {"repetitions": 5001},
        {"sets": 1},
        {"sets": 21},
        {"mechanisms": ()},
        {"mechanisms": ("gaussian",)},
        {"order": (0, 1, 2)},
    ],
)
def test_setting_outside_its_domain_is_refused(change):
    with pytest.raises(ParameterError):
        ProportionDesign(**change)


def test_published_findings_hold_in_the_default_design(results):
    found = findings(ProportionDesign(), results)
    verdicts = [finding.verdict for finding in found]
    # Only the bias of all-but-one hangs on which cell is left over.
    assert verdicts == [*[Verdict.HOLDS] * 7, Verdict.DEPENDS, *[Verdict.HOLDS] * 2]
    assert all(any(c.isdigit() for c in finding.evidence) for finding in found)
    assert "p4 falls from" in next(f for f in found if "lifts" in f.claim).evidence


@pytest.mark.parametrize("cells", few(2, 2, 3, 5, 10))
def test_findings_exist_for_any_number_of_cells(cells):
    design = ProportionDesign(shares=(1 / cells,) * cells, people=(20, 50), repetitions=60)
    assert len(findings(design, run_all(design, rng=np.random.default_rng(0)))) == 10
