"""Rows can be renamed: questions and their answers stay, and their words follow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.reading import request_from
from dpcore.errors import ParameterError
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.plan_files import from_json, to_json
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.declared import renamed
from dpcore.releases.record import Release
from dpcore.releases.table import to_csv
from tests.releases.sample_releases import make_release
from tests.releases.test_rebuilding import REQUESTS, table_of

HOME = PrivacyUnit(noun="home", plural="homesteads")


def called(request, unit):
    """The same request about rows of another name."""
    return request_from(request.parameters(), table_of(request), draw=request.draw, called=unit)


def record(request):
    """A record of a request, with numbers under all the names that it has."""
    names = [*request.units]
    return make_release(
        request=request.parameters(),
        title=request.title,
        statement=request.statement,
        unit=request.unit_text,
        units=request.units,
        derived=dict.fromkeys(names, 1.0),
        nouns=request.unit.nouns if request.unit.is_named else "",
        draw=request.draw,
    )


@pytest.mark.parametrize("name", REQUESTS)
def test_a_name_is_no_part_of_a_question_and_an_earlier_answer_follows_it(name):
    request, table = REQUESTS[name], table_of(REQUESTS[name])
    home = called(request, HOME)
    assert home.unit.noun == "home"
    assert home.parameters() == request.parameters()
    assert home.analysis("table") == request.analysis("table")
    assert "people" not in home.statement + home.unit_text + " ".join(home.units)
    before, after = record(called(request, None)), record(home)
    assert renamed(before, table, HOME) == after
    assert renamed(after, table, HOME) is after
    back = renamed(after, table, PrivacyUnit())
    assert (back.title, back.unit, back.derived) == (before.title, before.unit, before.derived)


def test_the_name_is_in_the_record_and_its_files_where_it_is_another_one():
    home = record(called(REQUESTS["histogram"], HOME))
    assert Release.from_json(home.to_json()) == home
    assert "exactly 5 homesteads" in to_csv([home])
    person = record(REQUESTS["histogram"])
    assert '"nouns"' not in person.to_json()
    assert "people" not in to_csv([home]).split("\n", 1)[1]


def test_a_plan_follows_the_name_and_keeps_what_was_typed():
    request, table = REQUESTS["count of everybody"], table_of(REQUESTS["histogram"])
    request = replace(
        request, query=replace(request.query, column=REQUESTS["histogram"].query.column)
    )
    typed = replace(PlannedQuery.of(REQUESTS["histogram"]), name="how many people")
    plan = AnalysisPlan().with_item(PlannedQuery.of(request)).with_item(typed)
    first, second = from_json(to_json(plan), table, HOME).basket.items
    assert (first.name, second.name) == ("number of homesteads", "how many people")
    again = AnalysisPlan().with_item(first)
    (kept,) = from_json(to_json(again), table).basket.items
    assert kept.name == "number of homesteads"
    (back,) = from_json(to_json(again), table, PrivacyUnit()).basket.items
    assert back.name == "number of people"


def test_questions_about_records_keep_their_key():
    unit = PrivacyUnit(noun="person-year", key="record")
    query = replace(REQUESTS["mean"].query, unit=unit)
    assert query.parameters()["unit"] == {"noun": "record", "rows": 1}
    stored = replace(REQUESTS["mean"], query=query).parameters()
    table = table_of(REQUESTS["mean"])
    assert request_from(stored, table).unit.noun == "record"
    assert request_from(stored, table, called=unit).unit == unit


@given(st.text(max_size=50))
def test_a_name_is_refused_or_can_stand_in_any_text(text):
    try:
        unit = PrivacyUnit(noun=text)
    except ParameterError:
        return
    assert 0 < len(unit.noun) <= 40
    assert not set(unit.noun) & set('<>&*_`[]()$\\\n\r\t"=+@|#:')
    assert unit.number(1) == f"1 {unit.noun}"


@pytest.mark.parametrize("relation", NeighboringRelation)
def test_a_change_names_the_unit(relation):
    assert "household" in PrivacyUnit(noun="household").change(relation)
    assert PrivacyUnit().change(relation) == relation.phrase
