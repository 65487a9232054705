"""Figures of study 2: every number is the run's, none is lost, all is described."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.figures.proportions import View, study_picture, table
from dpcore.studies.proportion_study import Measure, Procedure, ProportionDesign
from tests.conftest import assert_says
from tests.studies.test_proportion_study import run_all

DESIGN = ProportionDesign(epsilons=(0.1, 1.0), people=(50, 200), repetitions=60)
RESULTS = run_all(DESIGN, rng=np.random.default_rng(0))


def view(**changes):
    known = {
        "measure": Measure.COVERAGE,
        "mechanism": "bit",
        "epsilon": 0.1,
        "procedures": tuple(Procedure),
    }
    return View(**(known | changes))


def test_takeaway_names_the_worst_and_the_best_of_those_shown():
    two = (Procedure.RESCALING, Procedure.SYNTHESIS)
    picture = study_picture(DESIGN, RESULTS, view(procedures=two))
    means = {
        r.procedure: r.coverage[:4].mean()
        for r in RESULTS
        if r.procedure in two and (r.mechanism, r.epsilon, r.people) == ("bit", 0.1, 50)
    }
    assert means[two[0]] < means[two[1]]
    assert_says(
        picture.title,
        f"{100 * means[two[0]]:.0f}% of cases with re-scaling",
        f"{100 * means[two[1]]:.0f}% with multiple synthesis",
    )
    assert "original" not in picture.title


def test_bias_says_which_cell_moves_where():
    shown = view(measure=Measure.BIAS, procedures=(Procedure.SYNTHESIS,))
    assert "multiple synthesis moves p4 down by" in study_picture(DESIGN, RESULTS, shown).title


@pytest.mark.parametrize("procedures", [(), (Procedure.ORIGINAL,)])
def test_nothing_to_compare_is_said(procedures):
    assert "Choose a procedure" in study_picture(DESIGN, RESULTS, view(procedures=procedures)).title


def test_table_holds_every_number_once():
    numbers = table(DESIGN, RESULTS)
    assert len(numbers) == len(RESULTS) * 7
    row = numbers[
        (numbers["procedure"] == "universal histogram")
        & (numbers["mechanism"] == "bit")
        & (numbers["epsilon"] == 1.0)
        & (numbers["people"] == 200)
        & (numbers["target"] == "p1 + p4")
    ]
    result = next(
        r
        for r in RESULTS
        if (r.procedure, r.mechanism, r.epsilon, r.people) == (Procedure.HISTOGRAM, "bit", 1.0, 200)
    )
    assert row["rmse"].item() == result.rmse[4]
    assert row["true value"].item() == pytest.approx(0.6)
