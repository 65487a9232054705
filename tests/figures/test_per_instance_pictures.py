"""Pictures of Figures 1 and 2: takeaways from the run, and twins in numbers."""

import numpy as np
import pytest

from dpcore.figures.individual.guarantees import nested_picture, precision_picture, sizes_picture
from dpcore.studies.wang2019 import (
    FigurePane,
    Simulation,
    Wang2019Design,
    findings,
    nested_losses,
    of_pane,
    run,
)
from tests.conftest import few

DESIGN = Wang2019Design(simulation=Simulation(), sizes=(50, 200), gammas=(0.1, 10.0))


@pytest.fixture(scope="module")
def parts():
    return tuple(run(DESIGN))


def test_boxes_stand_below_the_guarantee(parts):
    picture = sizes_picture(parts)
    box = picture.figure.data[-1]
    assert (np.array(box.lowerfence) > 0).all()
    assert (np.array(box.upperfence) < 1).all()
    assert (np.array(box.q1) <= box.median).all()
    assert len(picture.table) == 2
    assert "50 people" in sizes_picture(parts[1:2]).title


def test_sample_loses_more_the_closer_it_is(parts):
    picture = precision_picture(parts)
    for line in picture.figure.data:
        assert line.y[0] < line.y[1]
        assert line.x[0] > line.x[1]
    assert {"excess risk", "guarantee", "mean"} <= {*picture.table.columns}


def test_one_person_with_a_residual_of_zero_can_be_drawn():
    lonely = nested_losses(Simulation(people=1, columns=1, strength=5.0))
    assert nested_picture(lonely).figure.data[0].x[-1] > 0


@pytest.mark.parametrize("epsilon", few(1, 0.01, 1.5))
def test_losses_that_delta_covers_are_said_to_be_nothing(epsilon):
    simulation = Simulation(people=1100, strength=2.01, epsilon=epsilon, delta=0.01)
    design = Wang2019Design(simulation=simulation)
    parts = tuple(run(design))
    # Nobody of many people loses anything beyond a delta of 0.01.
    assert of_pane(parts, FigurePane.BY_SIZE)[-1].losses.times_on_average == np.inf
    first = nested_picture(parts[0].losses)
    sizes = sizes_picture(parts)
    sample = precision_picture(parts)
    assert sizes.title.endswith("with 31,623 people the average person loses nothing")
    said = [one.evidence for one in findings(design, parts)]
    if epsilon == 0.01:
        assert first.title.endswith("the most exposed person loses nothing")
        assert said[0].startswith(
            "The most exposed person loses nothing, people on average nothing."
        )
    for text in (*said, first.title, sizes.title, sample.title):
        assert "nan" not in text
        assert "inf " not in text
        assert "1/inf" not in text
