"""Rows can be renamed: questions and their answers stay, and their words follow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.reading import request_from
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.declared import renamed
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
