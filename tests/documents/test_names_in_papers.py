"""Papers call columns and questions as the curator does, and say the recipe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.number import Query
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.gathering import released
from dpcore.ledger.transaction import release
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import MEMBERS, NOW, behind, opened
from tests.releases.questions import asked, terms
from tests.statistics.columns import dataset, number, yes_no
from tests.terms import SUBSTITUTION

RECIPE = "any result is positive per patient"
DAYS = "sum of stay per patient"
TABLE = dataset(
    (yes_no(RECIPE), number(DAYS, 30.0)),
    **{RECIPE: ["yes", "no"] * (MEMBERS // 2) + ["no"], DAYS: [3.0] * MEMBERS},
)
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


@pytest.mark.parametrize("document", READ, ids=lambda one: one.name)
def test_every_paper_tells_the_same_without_names_as_before(document):
    told = document.text(answered(TABLE))
    assert "ever positive" not in told
    assert "” is " not in told
