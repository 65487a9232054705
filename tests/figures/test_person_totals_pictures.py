"""Pictures of totals over a ledger: takeaways from the numbers, aggregates only."""

import numpy as np

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


def test_charges_above_the_worst_case_are_explained():
    totals = person_totals(plan(0.5, 0.2), people=PEOPLE, delta=0.0).losses()
    mixed = LossReference(relation=NeighboringRelation.ADD_REMOVE, mixed=True)
    other = totals_picture(totals, charged=0.9, planned=0.7, compared=mixed)
    assert_says(other.title, "(compared with not being there)", "another change of a record")
    apart = totals_picture(totals, charged=0.9, planned=0.7)
    assert "is 0.7 if it is composed in the same way" in apart.title
    assert "composed in the same" not in totals_picture(totals, charged=0.7, planned=0.7).title
