"""Figures 1 and 2 as a run: its parts, its numbers, and what it says of the text."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.studies.findings import Verdict
from dpcore.studies.wang2019 import FigurePane, FigurePart, Wang2019Design, findings, run


@pytest.fixture(scope="module")
def parts():
    return tuple(run(Wang2019Design()))


def test_every_part_of_the_design_is_run_in_order(parts):
    assert len(parts) == Wang2019Design().parts == 10
    assert [part.pane for part in parts] == (
        [FigurePane.NESTED] + 4 * [FigurePane.BY_SIZE] + 5 * [FigurePane.BY_PRECISION]
    )


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
