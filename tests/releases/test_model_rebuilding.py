"""Requests of models read back from the parameters of their releases."""

import json

import pytest

from dpcore.analyses.model import MODEL_MECHANISMS, offered_for
from dpcore.analyses.reading import as_declared, is_model, model_request_from
from dpcore.errors import DataError
from dpcore.models.design import Design, UnitRows
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.relations import PrivacyUnit
from tests.releases.models import COLUMNS, TOWN, question, request, table, with_towns
from tests.terms import SUBSTITUTION

EVERY = [(key, model) for model in ModelKind for key in offered_for(model)]


def back(asked):
    stored = json.loads(json.dumps(asked.parameters(), allow_nan=False))
    assert is_model(stored)
    return model_request_from(stored, with_towns(20), draw=asked.draw)


@pytest.mark.parametrize(("key", "model"), EVERY)
def test_a_request_comes_back_from_its_parameters(key, model):
    asked = request(key, model, gamma=2.0) if key != "adaptive" else request(key, model)
    again = back(asked)
    assert again == asked
    assert again.analysis("table") == asked.analysis("table")
    assert as_declared(again, table(20)).columns == COLUMNS


def test_every_mechanism_is_covered():
    assert {key for key, _ in EVERY} == set(MODEL_MECHANISMS)


@pytest.mark.parametrize(
    "asked",
    [
        request("posterior", samples=5, draw=4, asked=question(penalty=Penalty(strength=60.0))),
        request("adaptive", share=0.25),
        request(asked=question(relation=SUBSTITUTION, unit=PrivacyUnit(rows=2))),
        request(
            gamma=1.0,
            asked=question(
                penalty=Penalty(strength=3.0, spares_first=True, per_person=True),
                design=Design(
                    target=COLUMNS[0],
                    features=COLUMNS[3:4],
                    intercept=False,
                    unit_rows=UnitRows.CLIP,
                ),
            ),
        ),
        request(
            asked=question(
                design=Design(
                    target=COLUMNS[0],
                    features=(TOWN, *COLUMNS[3:]),
                    origin=-0.25,
                    others_apart=True,
                )
            )
        ),
    ],
    ids=["samples", "adaptive", "households", "design", "categories"],
)
def test_details_come_back(asked):
    assert back(asked) == asked
    named = as_declared(back(asked), with_towns(20)).columns
    assert set(asked.question.columns) <= set(named)
    assert back(asked).plan.noise == asked.plan.noise


@pytest.mark.parametrize(
    "change",
    [
        {"question": None},
        {"question": {}},
        {"mechanism": "magic"},
        {"gamma": "1"},
        {"samples": 0},
        {"matrix": [1]},
        {"epsilon": None},
    ],
)
def test_other_parameters_are_refused(change):
    with pytest.raises(DataError, match="cannot be traced back"):
        model_request_from(request().parameters() | change, table(20))


def test_records_from_before_categories_and_origins_come_back():
    asked = request()
    stored = asked.parameters()
    del stored["question"]["origin"], stored["question"]["others_apart"]
    assert model_request_from(stored, table(20)) == asked
