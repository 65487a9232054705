"""Papers call columns and questions as the curator does, and say the recipe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.number import Query
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.gathering import planned, released
from dpcore.ledger.transaction import release
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import MEMBERS, NOW, behind, opened
from tests.documents.test_decision import decision, html_of, option
from tests.releases.questions import asked, terms
from tests.statistics.columns import dataset, number, yes_no
from tests.terms import SUBSTITUTION

RECIPE = "any result is positive per patient"
DAYS = "sum of stay per patient"
TABLE = dataset(
    (yes_no(RECIPE), number(DAYS, 30.0)),
    **{RECIPE: ["yes", "no"] * (MEMBERS // 2) + ["no"], DAYS: [3.0] * MEMBERS},
)
NAMED = TABLE.with_columns(
    replace(TABLE.column(RECIPE), display_name="ever positive"),
    replace(TABLE.column(DAYS), display_name="days in hospital"),
)
BY_NAME = {document.name: document for document in DOCUMENTS}
READ = [document for document in DOCUMENTS if document.read and not document.asks]


def questions(table):
    share = Query(
        kind=StatisticKind.PROPORTION,
        column=table.column(RECIPE),
        membership=Membership(label="yes"),
        **terms(MEMBERS),
    )
    mean = Query(kind=StatisticKind.MEAN, column=table.column(DAYS), **terms(MEMBERS))
    return [asked(share, "laplace"), asked(mean, "laplace")]


def answered(table, names=("", "")):
    """Return what was released before columns had names, as papers tell it now."""
    ledger = opened(SUBSTITUTION)
    for request, name in zip(questions(TABLE), names, strict=True):
        release(
            request,
            np.atleast_1d(request.value(TABLE)),
            ledger=ledger,
            fingerprint="f",
            mode=Mode.RELEASE,
            now=NOW,
            called=name,
        )
    known = replace(behind(SUBSTITUTION, ledger), dataset=table)
    return released(ledger.releases("f"), known)


def text(name, subject):
    return BY_NAME[name].text(subject)


def test_a_report_calls_columns_by_their_names_and_says_each_recipe():
    told = text("Full report", answered(NAMED))
    assert "ever positive" in told
    assert f"“ever positive” is {RECIPE}" in told
    assert f"“days in hospital” is {DAYS}" in told
    assert f"mean of {DAYS}" not in told
    assert f"with {RECIPE}" not in told


@pytest.mark.parametrize("document", READ, ids=lambda one: one.name)
def test_every_paper_tells_the_same_without_names_as_before(document):
    told = document.text(answered(TABLE))
    assert "ever positive" not in told
    assert "” is " not in told


@pytest.mark.parametrize("name", ["Public notice", "Full report"])
def test_a_question_has_the_name_of_its_record(name):
    told = text(name, answered(NAMED, ("how many were positive", "")))
    assert "ow many were positive" in told
    assert "days in hospital" in told


def test_a_name_in_the_plan_comes_before_that_of_the_record():
    subject = answered(NAMED, ("an old name", ""))
    mark = subject.questions[0].mark
    ledger = opened(SUBSTITUTION)
    request = questions(TABLE)[0]
    release(
        request,
        np.atleast_1d(request.value(TABLE)),
        ledger=ledger,
        fingerprint="f",
        mode=Mode.RELEASE,
        now=NOW,
        called="an old name",
    )
    known = replace(behind(SUBSTITUTION, ledger), dataset=NAMED)
    anew = released(ledger.releases("f"), known, called={mark: "a new name"})
    assert subject.questions[0].known_as == "an old name"
    assert anew.questions[0].known_as == "a new name"


def test_a_plan_and_the_page_to_sign_use_the_names():
    items = [PlannedQuery.of(one) for one in questions(NAMED)]
    items[1] = replace(items[1], name="how long they stay")
    plan = AnalysisPlan(items=tuple(items), total=2.0)
    ledger = opened(SUBSTITUTION)
    known = replace(behind(SUBSTITUTION, ledger), dataset=NAMED)
    told = text("Full report", planned(plan, known))
    assert "how long they stay" in told
    assert "ever positive" in told
    about = decision(plan=replace(option("the plan"), basket=plan))
    page = html_of(about)
    assert "how long they stay (mean of days in hospital)" in page
    assert f"ever positive ({RECIPE})" in page
