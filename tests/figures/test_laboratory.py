"""The figures of the lab: takeaways from the numbers, one look, few points."""

import itertools
import math

import numpy as np
import pytest

from dpcore.figures.audits import audit_picture
from dpcore.figures.laboratory import atoms_picture, tries_picture, worlds_picture
from dpcore.figures.theme import STYLES
from dpcore.figures.tradeoffs import map_picture
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.comparing.error_curves import Fairness
from dpcore.studies.comparing.error_maps import MapQuantity, error_maps
from dpcore.studies.teaching.laboratory import (
    CLAMPED,
    PUBLISHED,
    REPAIRED,
    UNIT,
    BoundEvent,
    Setup,
    audit,
    detectable_from,
    measure,
    tries,
    two_worlds,
)
from tests.conftest import assert_says
from tests.figures.complete import assert_complete

SETUP = Setup(key=PUBLISHED, epsilon=1.0, place=0.0, shift=0.1)


def worlds(setup):
    return worlds_picture(two_worlds(setup), measure(setup), setup=setup)


def counted(setup, margin, draws):
    event = BoundEvent(setup=setup, margin=margin)
    found = audit(event, draws, rng=np.random.default_rng(1))
    return audit_picture(found, event, expected=detectable_from(event))


def pictures():
    for key, place in itertools.product(CATALOG, (0.0, 1.0)):
        yield worlds(Setup(key=key, epsilon=1.0, place=place, shift=0.1))
    clamped = SETUP.through(CLAMPED)
    yield atoms_picture(clamped.mechanism(), clamped)
    place = np.linspace(0, 1, 11)
    yield tries_picture(tries(place, 0.1, UNIT), place, SETUP)
    yield counted(SETUP, 0.01, [10, 100, 1000])
    yield counted(Setup(key=PUBLISHED, epsilon=5.0, place=0.5, shift=0.02), 0.001, [10])
    for quantity, fairness in itertools.product(MapQuantity, Fairness):
        maps = error_maps(quantity, fairness, 0.1)
        for key in maps.keys:
            yield map_picture(maps, key, here=(0.0, 0.1))


@pytest.mark.slow
def test_every_picture_is_small_and_described():
    for picture in pictures():
        assert_complete(picture)
        assert len(picture.figure.to_json()) < 80_000


def test_takeaway_says_whether_the_line_leaves_the_band():
    assert_says(worlds(SETUP).title, "by a factor up to 4.44", "the claim was 2.72")
    kept = worlds(SETUP.through(CLAMPED)).title
    assert_says(kept, "factor of at most 2.72", "holds")
    assert "holds" in worlds(SETUP.through(REPAIRED)).title
    middle = Setup(key=PUBLISHED, epsilon=1.0, place=0.45, shift=0.1)
    assert "move the value to a bound" in worlds(middle).title
    assert "fails with probability at most" in worlds(SETUP.through("gaussian")).title
    little = Setup(key="gaussian", epsilon=5.0, place=0.0, shift=0.1)
    assert "only in the tails" in worlds(little).title


def test_what_lies_outside_the_band_is_filled():
    fills = [trace for trace in worlds(SETUP).figure.data if trace.fill == "toself"]
    assert len(fills) == 1
    assert min(fills[0].y) == 1.0
    assert max(fills[0].y) == pytest.approx(1.48984991, abs=1e-8)
    for key in (CLAMPED, REPAIRED, "laplace"):
        traces = worlds(SETUP.through(key)).figure.data
        assert not [trace for trace in traces if trace.fill == "toself"]


def test_atoms_are_lollipops_with_their_probability():
    traces = worlds(SETUP.through(CLAMPED)).figure.data
    sticks = [trace for trace in traces if trace.text]
    shares = [0.5, 0.5 * math.exp(-1)]
    assert [trace.customdata[1] for trace in sticks[:2]] == pytest.approx(shares)
    assert sticks[0].y[1] / sticks[1].y[1] == pytest.approx(math.e)
    assert sticks[0].text[1] == "exactly 0: 50%"
    assert not [trace for trace in worlds(SETUP).figure.data if trace.text]


def test_a_mechanism_keeps_its_color():
    for key in CATALOG:
        assert worlds(SETUP.through(key)).figure.data[0].line.color == STYLES[key].color


def test_audit_is_read_off_the_counts():
    assert "Refuted: from" in counted(SETUP, 0.01, [10, 100, 30_000]).title
    assert "takes about 20,991 draws" in counted(SETUP, 0.001, [10]).title
    assert "Nothing to refute" in counted(SETUP.through(CLAMPED), 0.01, [1000]).title


def test_redraws_are_compared_between_the_worlds():
    place = np.linspace(0, 1, 11)
    picture = tries_picture(tries(place, 0.1, UNIT), place, SETUP)
    assert_says(picture.title, "takes 2 draws", "1.23 at 0.1")


def test_flips_are_marked_where_they_hold_only():
    def marked(quantity, fairness):
        picture = map_picture(error_maps(quantity, fairness, 0.1), "bit", here=(0.0, 0.1))
        return [note for note in picture.figure.layout.annotations if "1.127" in note.text]

    assert len(marked(MapQuantity.MSE, Fairness.NOMINAL)) == 1
    assert not marked(MapQuantity.MSE, Fairness.TRUE)
    assert not marked(MapQuantity.BIAS, Fairness.NOMINAL)


def test_level_lines_carry_their_values():
    maps = error_maps(MapQuantity.MSE, Fairness.TRUE, 0.1)
    picture = map_picture(maps, "bit", here=(0.0, 0.1))
    labels = [
        float("".join(trace.text))
        for trace in picture.figure.data
        if trace.type == "scatter" and trace.mode == "lines+text"
    ]
    assert 3 <= len(labels) <= 9
    assert all(0 < label < maps.heights.max() for label in labels)
