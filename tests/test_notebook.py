"""The public API: the document on notebooks runs, and refusals say what to do."""

from __future__ import annotations

import re

import pytest

import dpcore as dp
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.number import Query
from dpcore.analyses.reading import _shapes, shape_of
from dpcore.errors import BudgetExceeded, ParameterError
from tests.conftest import ROOT

TABLE = "who,age,sex,hours,weight,town\n" + "".join(
    f"p{i},{18 + i * i % 70},{'fm'[i % 2]},{i % 41},{1 + i % 3},{('Ulm', 'Bonn', 'Kiel')[i % 3]}\n"
    for i in range(200)
)


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "visits.csv").write_text(TABLE + TABLE.partition("\n")[2] * 2, encoding="utf-8")
    return dp.open_table("people.csv")


@pytest.mark.usefixtures("people")
def test_the_blocks_run_from_top_to_bottom(tmp_path):
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    assert sum(bool(line) for line in blocks[0].splitlines()) <= 12
    assert blocks[0].count("import ") == 1
    names = {}
    for block in blocks:
        exec(compile(block, "notebook.md", "exec"), names)  # noqa: S102 - our own
    assert names["losses"].maximum <= names["losses"].worst_case == pytest.approx(0.5)
    assert float(names["account"].spent.epsilon) == pytest.approx(1.5)
    first = names["account"].releases[0]
    assert 0 <= first.values[0] <= 100
    assert names["account"].release(names["mean"]) == first  # again, at no cost
    assert float(names["account"].spent.epsilon) == pytest.approx(1.5)
    assert "mean of age" in (tmp_path / "notice.html").read_text(encoding="utf-8").lower()
    assert set(names["towns"].labels) <= {"Ulm", "Bonn", "Kiel"}
    assert list(names["rows"].columns) == ["age", "sex", "town"]
    # Each is the question of its parameters, and every shape is asked.
    asked = [request.query for request in (*names["asked"], *names["questions"])]
    for query in asked:
        content = query.parameters()
        read = shape_of(content).read(content, names["people"].dataset, query.unit)
        assert read.parameters() == content
    released = (*names["practice"].releases, *names["ward"].releases)
    found = {shape_of(release.request["query"]) for release in released}
    shapes = {Query, GroupedQuery, *_shapes().values()}
    assert {type(query) for query in asked} | found == shapes


@pytest.mark.usefixtures("people")
def test_a_contribution_bound_limits_the_rows_of_each_person():
    visits = dp.open_table("visits.csv", at_least=100).declare("hours", bounds=(0, 60), missing=0)
    bounded = visits.bound_contributions("who", rows=2, key=b"a secret of your own")
    assert (visits.dataset.rows, bounded.dataset.rows, bounded.dataset.people) == (600, 400, 200)
    alone, question = (each.ask("sum", "hours", epsilon=1) for each in (visits, bounded))
    assert question.sensitivity.l1 == pytest.approx(2 * alone.sensitivity.l1, rel=1e-5)
    losses = bounded.losses(question)
    assert len(losses.epsilon) == 200
    assert losses.maximum <= losses.worst_case == pytest.approx(1)
    with pytest.raises(ParameterError, match="no column"):
        bounded.ask("histogram", "who", epsilon=1)
    # However many rows count, and whichever key chooses them, the same people pay.
    others = visits.bound_contributions("who", rows=1, key=b"another secret of your own")
    accounts = [
        each.open_account(None, epsilon=1, key=b"a secret of your own")
        for each in (bounded, others)
    ]
    assert accounts[0].name == accounts[1].name


def test_parts_that_a_statistic_has_no_use_for_are_refused(people):
    people = people.declare("age", bounds=(0, 100), missing=50).declare("sex", labels=("f", "m"))
    for words, parts in (
        ("mean", {"weight": "hours"}),
        ("mean", {"equals": "f"}),
        ("mean", {"pair": ("f", "m"), "by": "sex"}),
        ("difference of groups", {}),
        ("cross table", {"tables": [["age"]]}),
        ("labels", {"bins": 3}),
        ("histogram", {"bins": "many"}),
    ):
        with pytest.raises(ParameterError):
            people.ask(words, "age", epsilon=1, **parts)
    with pytest.raises(ParameterError, match="one column"):
        people.ask("mean", ["age", "sex"], epsilon=1)


def test_a_private_number_of_people_needs_a_public_minimum(people):
    declared = people.declare("age", bounds=(0, 100))
    with pytest.raises(ParameterError, match="at_least"):
        declared.ask("mean", "age", epsilon=1)
    added = dp.open_table("people.csv", relation="add-remove").declare("age", bounds=(0, 100))
    with pytest.raises(ParameterError, match="at_least"):
        added.ask("mean", "age", epsilon=1)


def test_what_does_not_fit_is_refused(people):
    people = people.declare("age", bounds=(0, 100), missing=50)
    account = people.open_account(None, epsilon=0.4, key=b"a secret of your own")
    with pytest.raises(BudgetExceeded):
        account.release(people.ask("mean", "age", epsilon=0.5))
    assert account.spent.epsilon == 0
    assert account.releases == ()
    with pytest.raises(ParameterError, match="Public notice"):
        account.document("Leaflet")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(AttributeError, match="open_table"):
        _ = dp.close_table


def test_a_name_that_is_none_lists_the_choices(people):
    with pytest.raises(ParameterError, match="histogram"):
        people.ask("average", "age", epsilon=1)
    with pytest.raises(ParameterError, match="add-remove"):
        dp.open_table("people.csv", relation="add/remove")
