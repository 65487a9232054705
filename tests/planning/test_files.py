"""A plan as a file: the same plan again, whatever was in it, and nothing else."""

import json
import math
from dataclasses import replace

import pytest

from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.sharpening import EarlierAnswer
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.errors import DataError, LedgerError, ParameterError
from dpcore.ledger.store import StoredTexts
from dpcore.planning.analysis_plan import MOST_ITEMS, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.plan_files import from_json, to_json, traced
from tests.planning.planned import ALL, item
from tests.releases import models
from tests.releases.questions import AGE, weighted
from tests.statistics.columns import category, dataset, number

LABELS = ("a", "b")
COLOR = replace(category("color", LABELS), missing=AGE.missing, replacement="a")
TABLE = dataset(
    (AGE, category(), COLOR, *(number(name, 1.0) for name in "abc")),
    age=[1.0],
    region=["north"],
    color=["a"],
    a=[0.0],
    b=[0.0],
    c=[0.0],
)
OF_TABLE = [name for name in ALL if name != "model"]
PLAN = AnalysisPlan(
    items=tuple(
        item(name, wanted=None if n % 2 else 1.5, weight=1 + n / 3, locked=n % 3 == 0)
        for n, name in enumerate(OF_TABLE)
    ),
    total=1 / 3,
    delta=1e-7,
    split=Split.WEIGHTS,
)


def test_a_plan_comes_back_as_it_was():
    text = to_json(PLAN)
    found = from_json(text, TABLE)
    assert found.lost == ()
    assert found.basket == PLAN
    assert to_json(found.basket) == text
    assert from_json(text.encode(), TABLE).basket == PLAN


def test_a_model_comes_back_as_it_was():
    plan = AnalysisPlan(items=(PlannedQuery.of(models.request("posterior")),))
    assert from_json(to_json(plan), models.table()).basket == plan


@pytest.mark.slow
def test_questions_to_resamples_come_back_as_they_were():
    query = ALL["mean"].query
    people = query.size.people
    plan = AnalysisPlan(
        items=tuple(
            map(
                PlannedQuery.of,
                (
                    BootstrapRequest(query=query, rho=0.5, delta=1e-6, times=3),
                    ResizedRequest(query=query, draws=people // 4),
                    SubsampledRequest(
                        query=query, law="laplace", epsilon=1.0, share=0.5, people=people
                    ),
                ),
            )
        )
    )
    assert from_json(to_json(plan), TABLE).basket == plan
    bootstrap, resized, subsampled = plan.items
    # Who is drawn adds to the noise, by how much hangs on the answer.
    assert math.isinf(bootstrap.width.half)
    assert math.isinf(resized.width.half)
    noise = subsampled.request.plan.noise_half_width()
    assert (subsampled.width.half, "sampled" in subsampled.width.of) == (noise, True)


@pytest.mark.parametrize("name", OF_TABLE)
def test_what_is_planned_is_what_its_parameters_say(name):
    assert traced(ALL[name], TABLE) == ALL[name]


def test_the_assumed_mean_weight_is_kept_and_old_plans_have_none():
    usual = weighted()
    request = replace(usual, query=replace(usual.query, mean_weight=2.0))
    columns = request.query.columns
    table = dataset(
        columns, **{column.name: ["north" if column.labels else 1.0] for column in columns}
    )
    assert traced(request, table) == request
    found, old = (to_json(AnalysisPlan(items=(PlannedQuery.of(one),))) for one in (request, usual))
    assert json.loads(found)["items"][0]["mean_weight"] == 2.0
    assert from_json(found, table).basket.items[0].width.half < PlannedQuery.of(usual).width.half
    assert "mean_weight" not in old
    assert from_json(old, table).basket.items[0].request == usual
    for wrong in ("-1", '"2"', "true"):
        with pytest.raises(DataError):
            from_json(found.replace('"mean_weight": 2.0', f'"mean_weight": {wrong}'), table)


def test_an_answer_is_not_sharpened_in_a_plan():
    earlier = EarlierAnswer(id="1", epsilon=0.5, scale=1.0, values=(38.0,))
    request = replace(ALL["mean"], sharpens=earlier)
    text = to_json(AnalysisPlan(items=(PlannedQuery.of(ALL["sum"]), PlannedQuery.of(request))))
    with pytest.raises(DataError, match="question 2: an answer cannot be sharpened in a plan"):
        from_json(text, TABLE)


def changed(**parts):
    return json.dumps(json.loads(to_json(PLAN)) | parts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        "[" * 100_000,
        to_json(PLAN)[:-9],
        " " * (1 << 21),
        changed(version=2),
        changed(total=0),
        changed(total="1"),
        changed(total=True),
        changed(delta=1),
        changed(split="mine"),
        changed(items={}),
        changed(items=[1]),
        changed(items=[{}] * (MOST_ITEMS + 1)),
        to_json(PLAN).replace('"locked": true', '"locked": 1'),
        b"\xff\xfe",
    ],
)
def test_what_is_no_plan_is_refused_without_quoting_it(text):
    with pytest.raises(DataError, match=r"this is no plan|the plan cannot be read"):
        from_json(text, TABLE)


def test_a_question_is_planned_once():
    twice = item("mean", epsilon=0.2)
    with pytest.raises(ParameterError, match="in the plan already"):
        AnalysisPlan(items=(item("mean"), twice))
    basket = AnalysisPlan(items=(item("mean"), item("sum")))
    assert basket.with_item(twice).items == (twice, item("sum"))
    assert basket.without(twice.key).items == (item("sum"),)
    assert item("mean").key != item("bit").key


def test_plans_are_kept_by_account(tmp_path):
    plans = StoredTexts(tmp_path / "plans")
    assert plans.read("c0ffee") is None
    plans.keep("c0ffee", "one")
    plans.keep("c0ffee", "two")
    assert plans.read("c0ffee") == b"two"
    assert [path.name for path in (tmp_path / "plans").iterdir()] == ["c0ffee.json"]
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError, match="cannot be kept"):
        StoredTexts(tmp_path / "file").keep("c0ffee", "three")
