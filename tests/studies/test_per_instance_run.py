"""Figures 1 and 2 as a run: its parts, its numbers, and what it says of the text."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.studies.findings import Verdict
from dpcore.studies.wang2019 import (
    FigurePane,
    FigurePart,
    Simulation,
    Wang2019Design,
    findings,
    numbers,
    of_pane,
    run,
)


@pytest.fixture(scope="module")
def parts():
    return tuple(run(Wang2019Design()))


def test_every_part_of_the_design_is_run_in_order(parts):
    assert len(parts) == Wang2019Design().parts == 10
    assert [part.pane for part in parts] == (
        [FigurePane.NESTED] + 4 * [FigurePane.BY_SIZE] + 5 * [FigurePane.BY_PRECISION]
    )


def test_the_left_pane_is_the_reconstructed_one(parts):
    boxes = [part.losses.box for part in of_pane(parts, FigurePane.BY_SIZE)]
    expected = [
        [1.0e-4, 0.0074, 0.0168, 0.0290, 0.0581],
        [0.0, 0.00143, 0.00344, 0.00580, 0.0228],
        [0.0, 2.35e-4, 5.69e-4, 1.06e-3, 4.25e-3],
        [0.0, 8.8e-5, 2.2e-4, 4.1e-4, 2.1e-3],
    ]
    np.testing.assert_allclose(boxes, expected, rtol=2e-2, atol=5e-6)


def test_what_the_text_says_held_against_the_run(parts):
    found = {one.key: one for one in findings(Wang2019Design(), parts)}
    assert "most exposed person loses 1/21.4 of the guarantee" in found["1a"].evidence
    assert "found by search loses 1/5.89 of the guarantee" in found["1b"].evidence
    assert "every newcomer: at most 1/5.29 of the guarantee" in found["1b"].evidence
    assert {key: one.verdict for key, one in found.items()} == {
        "1a": Verdict.TUNED,
        "1b": Verdict.TUNED,
        "2a": Verdict.DEPENDS,
        "2b": Verdict.FAILS,
    }
    assert "143" in found["2b"].evidence
    # With a weak penalty everybody loses far less than six times less.
    weak = Wang2019Design(simulation=Simulation(strength=0.1), sizes=(100,), gammas=(1.0,))
    verdicts = {one.key: one.verdict for one in findings(weak, tuple(run(weak)))}
    assert verdicts["1a"] is Verdict.HOLDS
    assert verdicts["1b"] is Verdict.FAILS
    assert verdicts["2a"] is Verdict.UNSEEN


@pytest.mark.parametrize(
    ("power", "verdict"),
    [
        (-1.0, Verdict.HOLDS),
        (-0.86, Verdict.HOLDS),
        (-0.75, Verdict.DEPENDS),
        (-1.2, Verdict.DEPENDS),
        (0.1, Verdict.FAILS),
    ],
)
def test_about_like_one_over_the_people_is_a_power_near_minus_one(parts, power, verdict):
    bent = [
        FigurePart(
            pane=FigurePane.BY_SIZE,
            setting=people,
            losses=replace(parts[1].losses, losses=np.array([0.2 * (people / 100) ** power])),
        )
        for people in (100, 1_000, 10_000)
    ]
    (found,) = (one for one in findings(Wang2019Design(), bent) if one.key == "2a")
    assert found.verdict is verdict
    assert "100 to 10,000 people" in found.evidence


def test_the_usual_run_is_computed_once_and_no_other_is_kept(parts):
    again = tuple(run(Wang2019Design()))
    assert all(one is two for one, two in zip(parts, again, strict=True))
    other = Wang2019Design(sizes=(100,), gammas=(1.0,))
    first, second = tuple(run(other)), tuple(run(other))
    assert all(one is not two for one, two in zip(first, second, strict=True))
    (size,) = of_pane(first, FigurePane.BY_SIZE)
    assert size.losses.losses == pytest.approx(parts[1].losses.losses)


def test_a_run_that_was_stopped_says_what_it_saw():
    started = tuple(itertools.islice(run(Wang2019Design()), 1))
    unseen = [
        one.key for one in findings(Wang2019Design(), started) if one.verdict is Verdict.UNSEEN
    ]
    assert unseen == ["2a", "2b"]
    assert all(one.verdict is Verdict.UNSEEN for one in findings(Wang2019Design(), ()))


def test_numbers_are_those_of_the_parts(parts):
    table = numbers(parts)
    assert len(table) == 10
    first = table.iloc[0]
    assert first["guarantee"] / first["for all, found"] == pytest.approx(5.89, abs=0.01)
    assert first["guarantee"] / first["max"] == pytest.approx(21.4, abs=0.1)
    assert table["gamma"].notna().sum() == 5
    assert (table["guarantee"] >= table["for all, at most"]).all()
    assert (table["for all, at most"] >= table["max"]).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"sizes": ()},
        {"sizes": (0,)},
        {"sizes": (10**7,)},
        {"gammas": ()},
        {"gammas": tuple(range(1, 14))},
        {"gammas": (-1.0,)},
        {"gammas": (np.inf,)},
        {"strength": 1e-3},
    ],
)
def test_domains(wrong):
    with pytest.raises(ParameterError):
        Wang2019Design(**wrong)
