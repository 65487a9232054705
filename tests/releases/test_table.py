"""Releases as a spreadsheet reads them."""

import csv
import io
from dataclasses import replace

import pytest

from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.measurement import LabelledIntervals
from dpcore.data.quantities import COUNTS, SUMS
from dpcore.privacy_filter import PrivacyBudget
from dpcore.releases.digits import noise_unit
from dpcore.releases.record import Release
from dpcore.releases.table import NO_PERCENTAGE, TOO_FEW, to_csv
from dpcore.statistics.kinds import StatisticKind
from tests.releases import models
from tests.releases.questions import asked, by_group, terms
from tests.releases.sample_releases import make_release
from tests.statistics.columns import number


def rows_of(*releases):
    return list(csv.DictReader(io.StringIO(to_csv(releases), newline="")))


def test_a_percentage_of_a_mean_that_may_be_0_is_not_for_want_of_people():
    share = "w less m, in percent of m"
    told = make_release(labels=("w less m",), values=(1.0,), unsaid=(share,), intervals=None)
    assert rows_of(told)[-1]["value"] == NO_PERCENTAGE
    untold = make_release(labels=(), values=(), unsaid=("w less m", share), intervals=None)
    assert [row["value"] for row in rows_of(untold)[-2:]] == [TOO_FEW, TOO_FEW]


def test_no_name_of_a_derived_number_is_run_as_a_formula():
    hostile = make_release(derived={"=1+1": -2.5, "@x": 1.0})
    cells = [(row["label"], row["value"]) for row in rows_of(hostile)[1:]]
    assert cells == [("'=1+1", "-2.5"), ("'@x", "1.0")]


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
@pytest.mark.parametrize("before", ["", " ", "\t", "\r", "\n", "x;", "x; ", "x\t"])
def test_nothing_that_a_spreadsheet_may_take_for_a_cell_begins_as_a_formula(sign, before):
    hostile = f"{before}{sign}1+1"
    row = rows_of(make_release(derived={hostile: 1.0}))[-1]
    for cell in row["label"].replace("\t", ";").replace("\n", ";").split(";"):
        assert not cell.strip().startswith(sign)
    assert row["label"].replace("'", "") == hostile


@pytest.mark.parametrize("plain", ["corr(a, b)", "x - y", "a;b", "1 = one", "-"])
def test_other_names_stay_as_they_are(plain):
    (row,) = rows_of(make_release(derived={plain: 1.0}))[1:]
    assert row["label"] == ("'-" if plain == "-" else plain)


def test_a_file_says_what_was_computed_of_how_many_and_what_holds_together():
    question = by_group()
    before = question.parameters()
    before["query"] = question.query.part.parameters()
    before["query"]["size"] = {"people": 300, "public": False}
    release = make_release(
        request=before,
        statement=question.statement,
        labels=("north", "south"),
        values=(1.0, 2.0),
        intervals=LabelledIntervals(level=0.95, noise={"north": (0.0, 2.0), "south": (1.0, 3.0)}),
        budget=PrivacyBudget.of(epsilon=3.0, delta=1e-5),
        version="1.2",
    )
    row = rows_of(release)[0]
    assert row["statement"].startswith("mean of age by ")
    assert row["bounds"] == "age: 0 to 100"
    assert row["people"] == "at least 300"
    assert row["joint"] == "all 2 together"
    assert row["budget"] == "ε = 3, δ = 10⁻⁵ in total"
    assert row["version"] == "1.2"
    assert rows_of(make_release())[0]["joint"] == ""
    # Groups have no minimum of people, though records of their sums name a number.
    for kind in (StatisticKind.SUM, StatisticKind.MEAN):
        request = by_group(kind=kind).parameters()
        assert rows_of(make_release(request=request))[0]["people"] == ""


def test_a_correlation_has_the_interval_that_follows_from_the_numbers():
    ends = {"var(x)": (3.0, 5.0), "corr(x, y)": (-0.1, 0.9)}
    release = make_release(
        labels=("var(x)",),
        values=(4.0,),
        intervals=LabelledIntervals(level=0.95, noise=ends, total=ends),
        derived={"corr(x, y)": 0.5, "repaired corr(x, y)": 0.4},
    )
    _, released, repaired = rows_of(release)
    assert (released["noise_lower"], released["total_upper"]) == ("-0.1", "0.9")
    assert (released["level"], released["joint"]) == ("0.95", "")
    assert repaired["noise_lower"] == repaired["level"] == repaired["joint"] == ""


def test_every_number_of_a_matrix_has_its_own_unit():
    columns = (
        number("age", unit="years"),
        number("pay", unit="euros"),
        number("club", unit="years"),
    )
    query = JointQuery(kind=StatisticKind.COVARIANCE_MATRIX, numbers=columns, **terms(people=9))
    request = asked(query, "bit")
    labels = query.statistic.labels
    rows = rows_of(
        make_release(
            labels=labels,
            values=(1.0,) * len(labels),
            unit="",
            units=request.units,
            derived={"corr(age, pay)": 0.5},
        )
    )
    units = {row["label"]: row["unit"] for row in rows}
    assert units["var(pay)"] == "(euros)²"
    assert units["cov(age, pay)"] == "years × euros"
    assert units["cov(age, club)"] == "(years)²"
    assert units["corr(age, pay)"] == ""
    assert make_release(units=request.units).unit_of("mean") == "years"


def test_a_model_in_units_has_intervals_and_units_in_its_file():
    model = models.request()
    design = model.question.design
    features = tuple(replace(each, unit="years") for each in design.features)
    target = replace(design.target, unit="euros")
    design = replace(design, target=target, features=features)
    model = replace(model, question=replace(model.question, design=design))
    fit = model.value(models.table().with_columns(target, *features))
    drawn = model.plan.answer(fit, cost=model.cost)
    release = make_release(
        labels=drawn.labels,
        values=drawn.values,
        derived=drawn.derived,
        intervals=drawn.intervals,
        unit="",
        units=model.units,
    )
    assert Release.from_json(release.to_json()) == release
    rows = {row["label"]: row for row in rows_of(release)}
    widths = model.plan.unit_half_widths
    for (label, value), width in zip(drawn.derived.items(), widths, strict=True):
        ends = float(rows[label]["noise_lower"]), float(rows[label]["noise_upper"])
        assert ends == pytest.approx((value - width, value + width))
        assert rows[label]["joint"] == f"all {len(widths)} together"
        expected = "euros" if label.startswith("constant") else "euros per year"
        assert rows[label]["unit"] == expected
    for label in drawn.labels:
        assert rows[label]["joint"] == f"all {len(drawn.labels)} together"


@pytest.mark.parametrize(
    ("request_content", "unit"),
    [
        ({"kind": "model"}, "scale of the model"),
        ({"query": {"moments": 1}}, SUMS),
        ({"query": {"qs": [0.5]}}, COUNTS),
        ({"query": {}}, "days"),
    ],
)
def test_a_file_says_what_the_noise_is_a_number_of(request_content, unit):
    release = make_release(request=request_content, unit="days")
    assert noise_unit(release) == unit
