"""The figures of the lab: takeaways from the numbers, one look, few points."""

import itertools

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
    UNIT,
    BoundEvent,
    Setup,
    audit,
    detectable_from,
    measure,
    tries,
    two_worlds,
)
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


def test_a_mechanism_keeps_its_color():
    for key in CATALOG:
        assert worlds(SETUP.through(key)).figure.data[0].line.color == STYLES[key].color


def test_audit_is_read_off_the_counts():
    assert "Refuted: from" in counted(SETUP, 0.01, [10, 100, 30_000]).title
    assert "takes about 20,991 draws" in counted(SETUP, 0.001, [10]).title
    assert "Nothing to refute" in counted(SETUP.through(CLAMPED), 0.01, [1000]).title


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
