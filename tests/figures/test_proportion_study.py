"""Figures of study 2: every number is the run's, none is lost, all is described."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.figures.proportions import LINES, View, study_picture, table
from dpcore.figures.theme import STYLES
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


@pytest.mark.parametrize("measure", Measure)
@pytest.mark.parametrize("pairs", [False, True])
def test_picture_has_a_panel_a_target_and_a_line_a_procedure(measure, pairs):
    picture = study_picture(DESIGN, RESULTS, view(measure=measure, pairs=pairs))
    traces = picture.figure.data
    panels = 3 if pairs else 4
    assert len(traces) == panels * len(Procedure)
    assert len({trace.xaxis for trace in traces}) == panels
    assert all((trace.error_y.array > 0).all() for trace in traces)
    assert picture.title in picture.alt
    assert any(c.isdigit() for c in picture.title)
    assert len(picture.table) == panels * len(Procedure) * 2


def test_lines_are_the_results_of_their_setting():
    picture = study_picture(DESIGN, RESULTS, view())
    for trace in picture.figure.data[: len(Procedure)]:
        line = [
            r
            for r in RESULTS
            if (r.procedure, r.epsilon) == (trace.name, 0.1) and r.mechanism in {None, "bit"}
        ]
        assert list(trace.customdata) == [50, 200]
        assert trace.y == pytest.approx([100 * r.coverage[0] for r in line])
        assert trace.error_y.array == pytest.approx([200 * r.errors[2, 0] for r in line])
        # Set apart sideways, but never as far as to another size.
        assert np.all(np.abs(np.log(trace.x / trace.customdata)) < 0.2)


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


def test_partial_run_is_drawn():
    first = [r for r in RESULTS if r.people == 50 and r.epsilon == 0.1]
    for epsilon in DESIGN.epsilons:
        picture = study_picture(DESIGN, first, view(epsilon=epsilon))
        assert len(picture.figure.data) == (4 * len(Procedure) if epsilon == 0.1 else 0)


@pytest.mark.parametrize("cells", [2, 3, 7, 10])
def test_any_number_of_cells_has_panels_inside_the_figure(cells):
    design = ProportionDesign(shares=(1 / cells,) * cells, people=(9,), repetitions=5)
    figure = study_picture(design, run_all(design, rng=np.random.default_rng(0)), view()).figure
    axes = [figure.layout[name] for name in figure.to_dict()["layout"] if "axis" in name]
    assert len(axes) == 2 * cells
    assert all(0 <= axis.domain[0] < axis.domain[1] <= 1.0001 for axis in axes)


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


def test_no_line_looks_like_a_mechanism_or_like_another():
    looks = [(stroke.color, stroke.dash) for stroke in LINES.values()]
    assert len(set(looks)) == len(Procedure)
    assert not set(looks) & {(s.color, s.dash) for s in STYLES.values()}
