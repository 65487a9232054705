"""Pictures of totals over a ledger: takeaways from the numbers, aggregates only."""

import numpy as np
import pytest

from dpcore.figures.individual.people import LossReference, odometer_picture, totals_picture
from dpcore.individual.person_totals import odometer, person_totals
from dpcore.individual.release_losses import ReleaseLosses
from dpcore.privacy.events import PureEvent
from dpcore.relations import NeighboringRelation
from tests.conftest import assert_says

PEOPLE = 5_000


def plan(*scales):
    spread = np.linspace(0, 1, PEOPLE)
    return [
        ReleaseLosses(event=PureEvent.from_ratio(scale), own=scale * spread) for scale in scales
    ]


def test_everybody_stands_in_one_bar():
    totals = person_totals(plan(0.5, 0.2), people=PEOPLE, delta=0.0).losses()
    picture = totals_picture(totals, charged=0.7, planned=0.7)
    bars = picture.figure.data[0]
    assert sum(bars.y) == PEOPLE
    assert len(bars.y) <= 2000
    assert len(picture.table) <= 500
    assert "lost 0.7, half of the people at most 0.35" in picture.title.replace("0.351", "0.35")


@pytest.mark.parametrize(
    ("own", "charged"), [(0.0, 1.0), (np.inf, np.inf), (0.3, np.inf), (0.0, 0.0)]
)
def test_extreme_totals_can_be_drawn(own, charged):
    flat = ReleaseLosses(event=PureEvent.from_ratio(own), own=np.full(3, own))
    totals = person_totals([flat], people=3, delta=0.0).losses()
    assert np.isfinite(totals_picture(totals, charged=charged, planned=own).figure.data[0].x).all()


def test_odometer_names_the_release_that_cost_most():
    path = odometer(plan(0.1, 0.5, 0.2), PEOPLE - 1, delta=1e-6)
    picture = odometer_picture(
        path, titles=["a", "<b>", "c"], own=[0.1, 0.5, 0.2], charges=[0.1, 0.5, 0.4]
    )
    assert "lost 0.8 over 3 releases, 80% of what was charged" in picture.title
    assert picture.title.endswith("most in release 2")
    assert picture.figure.data[0].y.tolist() == [0.1, 0.5, 0.2]
    assert picture.table["total so far, added up"].tolist() == pytest.approx([0.1, 0.6, 0.8])
    assert "<b>" not in str(picture.figure.data)


def test_the_same_answer_again_costs_as_much_each_time():
    losses = plan(0.5, 0.5)
    picture = odometer_picture(
        odometer(losses, PEOPLE - 1, delta=1e-6),
        titles=["a", "a"],
        own=[0.5, 0.5],
        charges=[0.5, 0.5],
    )
    assert picture.title.endswith("100% of what was charged; as much in each")
    mixed = LossReference(relation=NeighboringRelation.ADD_REMOVE, mixed=True)
    picture = odometer_picture(
        odometer(losses, PEOPLE - 1, delta=1e-6),
        titles=["a", "a"],
        own=[0.5, 0.5],
        charges=[0.5, 0.5],
        compared=mixed,
    )
    assert "%" not in picture.title
    assert "(compared with not being there)" in picture.title


def test_odometer_of_releases_that_guarantee_nothing():
    losses = [ReleaseLosses(event=PureEvent.from_ratio(np.inf))]
    picture = odometer_picture(
        odometer(losses, 0, delta=1e-6), titles=["a"], own=[np.inf], charges=[np.inf]
    )
    assert picture.title == "This person lost ∞ over 1 release"
    (bars,) = picture.figure.data
    assert set(bars.text) == {"∞"}


def test_odometer_of_one_release_shows_each_way_of_counting_it():
    picture = odometer_picture(
        odometer(plan(0.5), PEOPLE - 1, delta=1e-6), titles=["a"], own=[0.5], charges=[0.6]
    )
    (bars,) = picture.figure.data
    assert bars.x[0] == 0.5
    assert bars.x[-1] == 0.6
    assert len(set(bars.y)) == 5
    assert "release 1" not in picture.title


def test_charges_above_the_worst_case_are_explained():
    totals = person_totals(plan(0.5, 0.2), people=PEOPLE, delta=0.0).losses()
    mixed = LossReference(relation=NeighboringRelation.ADD_REMOVE, mixed=True)
    other = totals_picture(totals, charged=0.9, planned=0.7, compared=mixed)
    assert_says(other.title, "(compared with not being there)", "another change of a record")
    apart = totals_picture(totals, charged=0.9, planned=0.7)
    assert "is 0.7 if it is counted like the people's losses" in apart.title
    assert "counted like" not in totals_picture(totals, charged=0.7, planned=0.7).title
