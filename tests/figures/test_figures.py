"""Figures show aggregates only, in one look, with twins in words and numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.analyses.number import Query
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.quantities import Quantity
from dpcore.figures import answers, compositions, laboratory, tradeoffs
from dpcore.figures.individual import people
from dpcore.figures.theme import NEUTRAL, STYLES, plain
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.inference.intervals import intervals
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy.composition import Totals
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.sums_and_means import Mean
from dpcore.studies.comparing import error_curves as studies
from dpcore.studies.comparing.compared_points import ErrorSetting
from dpcore.studies.comparing.error_curves import ErrorMetric, Fairness
from dpcore.studies.comparing.error_curves import winners as least_error
from tests.figures.complete import assert_complete
from tests.individual.plans import Plan
from tests.terms import UNIT

HOSTILE = "<img src=x onerror=alert(1)><b>age</b>"
N = 5000
STATISTIC = Mean(bounds=UNIT, size=TableSize(people=N, public=True))
LAPLACE = CATALOG["laplace"].calibrate(
    sensitivity=Sensitivity.scalar(1 / N), epsilon=1.0, bounds=UNIT
)
SETTING = ErrorSetting(
    query=Query(
        kind=StatisticKind.MEAN,
        column=Column(name=HOSTILE, kind=ColumnKind.NUMBER, bounds=UNIT),
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=100, public=False),
    ),
    epsilon=0.5,
    delta=1e-6,
    place=0.1,
)
VALUES = np.random.default_rng(0).random(N)


def exposure():
    return per_instance_losses(
        Plan(LAPLACE, Sensitivity.scalar(1 / N)),
        STATISTIC,
        VALUES,
        relation=NeighboringRelation.ADD_REMOVE,
    )


def curves():
    keys = Fairness.TRUE.mechanisms
    lines = studies.against_epsilon(SETTING, keys, np.geomspace(0.01, 10, 21))
    few, rng = np.array([0.5]), np.random.default_rng(1)
    dots = studies.simulated(keys, few, [SETTING], ErrorMetric.RMSE, draws=100, rng=rng)
    axis = tradeoffs.SweepAxis(label="epsilon", at=0.5, log=True)
    return tradeoffs.curves_picture(
        lines,
        dots,
        ErrorMetric.RMSE,
        here=studies.at_setting(SETTING, keys),
        chosen="laplace",
        axis=axis,
        unit="years",
    )


def pictures():
    around = intervals(LAPLACE, STATISTIC, np.array([0.4]), bounds=UNIT)
    histogram = Histogram(labels=(HOSTILE, "b"), size=TableSize(people=9, public=True))
    cells = CATALOG["laplace"].calibrate(
        sensitivity=Sensitivity(coordinates=2, l1=2, l2=2**0.5, largest=1),
        epsilon=1.0,
        bounds=histogram.range,
    )
    counts = np.array([6.2, 2.9])
    found = exposure()
    groups = found.by_group(np.arange(N) % 2, (HOSTILE, "b"))
    winners = least_error(SETTING, Fairness.TRUE.mechanisms, np.geomspace(0.01, 10, 40), 49)
    totals = Totals(basic=1.0, advanced=0.9, zcdp=np.inf, pld=0.8)
    yield curves()
    yield tradeoffs.winners_picture(winners, axis=HOSTILE)
    yield answers.answer_picture(
        0.4, around, statement=HOSTILE, quantity=Quantity(unit="years"), sampled=True
    )
    yield answers.parts_picture(
        histogram.labels,
        counts,
        intervals(cells, histogram, counts, bounds=histogram.range),
        statement=HOSTILE,
        noun="count",
        quantity=Quantity(unit=HOSTILE, whole=True),
        truth=None,
        sampled=True,
    )
    yield people.exposure_picture(found, key="laplace")
    yield people.groups_picture(groups, by=HOSTILE, key="laplace")
    yield compositions.totals_picture(totals, charged=1.0, delta=1e-6)
    yield laboratory.two_worlds_picture(
        LAPLACE,
        key="laplace",
        epsilon=1.0,
        worlds=((HOSTILE, 0.5), ("without", 0.5002)),
        window=(0.4, 0.6),
        answer=HOSTILE,
    )


def test_every_picture_is_small_and_described():
    assert_complete(*pictures())
    assert all(picture.figure.layout.height is not None for picture in pictures())


def test_watermark_is_in_a_picture_of_a_class_alone():
    for picture in pictures():
        stamped = picture.stamped(classroom=True)
        assert [shape.name for shape in stamped.figure.layout.shapes].count("watermark") == 1
        assert picture.stamped(classroom=False) is picture
        assert "watermark" not in picture.figure.to_json()


def test_text_from_the_data_is_no_markup():
    for picture in pictures():
        # Titles and words are escaped where they are shown; Plotly reads markup.
        assert "<img" not in picture.figure.to_json()
        assert "\\u003cimg" not in picture.figure.to_json()


def test_plain_text_keeps_its_letters():
    assert plain("a & b < c") == "a &amp; b &lt; c"


def test_a_mechanism_has_one_color_and_dash_and_no_two_share_both():
    assert set(CATALOG) <= set(STYLES)
    looks = [(stroke.color, stroke.dash) for stroke in STYLES.values()]
    assert len(set(looks)) == len(looks)
    lines = [t for t in curves().figure.data if t.mode == "lines"]
    for key, line in zip(Fairness.TRUE.mechanisms, lines, strict=True):
        assert (line.line.color, line.line.dash) == (STYLES[key].color, STYLES[key].dash)


def test_takeaway_is_read_off_the_curve_where_the_page_is_set():
    picture = curves()
    error = float(np.sqrt(SETTING.mechanism("gaussian").mse(SETTING.position)))
    assert "largest: Gaussian (analytic)" in picture.title
    assert float(picture.title.rsplit("(", 1)[1].split()[0]) == pytest.approx(error, rel=0.01)


def test_exposure_picture_counts_everybody_and_holds_no_record():
    picture = people.exposure_picture(exposure(), key="laplace")
    bars, steps = picture.figure.data[0], picture.figure.data[1]
    assert sum(bars.y) == N
    assert steps.y[-1] == 100
    assert len(steps.x) == 500
    losses = exposure().epsilon
    assert not set(np.round(bars.x, 12)) & set(np.round(losses, 12))


def luminance(color):
    parts = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("page", ["#FFFFFF", "#0E1117"])
def test_colors_of_strokes_show_on_a_light_and_on_a_dark_page(page):
    colors = {stroke.color for stroke in STYLES.values()} | {NEUTRAL}
    for color in colors:
        low, high = sorted([luminance(color), luminance(page)])
        assert (high + 0.05) / (low + 0.05) > 2.2, color
