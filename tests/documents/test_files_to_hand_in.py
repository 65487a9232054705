"""Files for other programs: a plan by its schema, and an entry for a registry."""

import json

import pytest
import yaml
from jsonschema import Draft202012Validator, ValidationError

from dpcore.documents.gathering import plan_of, plan_text, schema
from dpcore.documents.report import registry_entry
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.plan_files import from_json, to_json
from tests.conftest import ROOT, few
from tests.documents.subjects import MEMBERS, answered, meant, table
from tests.planning.test_files import PLAN, TABLE
from tests.releases import models
from tests.releases.test_rebuilding import REQUESTS
from tests.terms import ADD_REMOVE, SUBSTITUTION

FIELDS = json.loads((ROOT / "tests/vectors/registry_fields.json").read_text())
VALID = Draft202012Validator(json.loads(schema()))


def test_the_schema_is_one_and_holds_for_every_kind_of_plan():
    Draft202012Validator.check_schema(VALID.schema)
    for text in (to_json(PLAN), plan_text(answered()), to_json(AnalysisPlan())):
        VALID.validate(json.loads(text))
    regression = AnalysisPlan(items=(PlannedQuery.of(models.request("posterior")),))
    VALID.validate(json.loads(to_json(regression)))
    for request in REQUESTS.values():
        VALID.validate(json.loads(to_json(AnalysisPlan(items=(PlannedQuery.of(request),)))))


@pytest.mark.parametrize(
    "wrong",
    [{"version": 2}, {"total": 0}, {"split": "mine"}, {"delta": 1}, {"more": 1}, {"items": [{}]}],
)
def test_the_schema_refuses_what_is_no_plan(wrong):
    with pytest.raises(ValidationError):
        VALID.validate(json.loads(to_json(PLAN)) | wrong)


def test_what_fits_the_schema_loads_back_to_the_identical_plan():
    assert from_json(to_json(PLAN), TABLE).basket == PLAN


@pytest.mark.parametrize("relation", few(1, SUBSTITUTION, ADD_REMOVE))
def test_what_was_released_loads_back_as_a_plan_of_the_same_questions(relation):
    subject = answered(relation)
    found = from_json(plan_text(subject), table())
    assert found.lost == ()
    assert found.basket == plan_of(subject)
    asked = [item.request.parameters() for item in found.basket.items]
    assert asked == [question.parameters for question in subject.questions]


def check(content, fields, place=""):
    """Hold a map against the fields that there may be, and must be."""
    assert content.keys() <= fields.keys(), f"{place}: not allowed"
    needed = {name for name, field in fields.items() if field.get("required")}
    assert needed <= content.keys(), f"{place}: missing"
    for name, value in content.items():
        field = fields[name]
        if "fields" in field:
            check(value, field["fields"], f"{place}.{name}")
        elif field.get("list"):
            assert value
            assert all(isinstance(one, str) and one for one in value)
        elif field.get("number"):
            assert isinstance(value, int | float)
        elif "choices" in field:
            assert value in field["choices"], name
            assert isinstance(value, int | str)
        else:
            assert isinstance(value, str)
            assert value


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize("make", [answered, meant])
def test_a_registry_entry_has_all_fields_and_no_other(make, relation):
    subject = make(relation)
    entry = yaml.safe_load(registry_entry(subject))
    check(entry, FIELDS)
    loss = entry["deployment"]["privacy_loss"]["privacy_parameters"]
    assert loss == {"epsilon": float(subject.cost.epsilon), "delta": float(subject.cost.delta)}
    text = registry_entry(subject)
    assert text.count("TO BE FILLED IN") >= 6
    assert (f"{MEMBERS}" in text) == (relation is SUBSTITUTION)
    assert ("Only planned" in text) == subject.planned
