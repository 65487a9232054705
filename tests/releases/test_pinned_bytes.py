"""The bytes of requests, records and ledgers of today: those on disk must stay valid.

A request is found again by the bytes of its parameters, and the chain of the ledger is
made of the bytes of its entries. So whatever fails here would charge again for what was
paid, or not read what was written.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.identity import canonical, request_id
from dpcore.analyses.measurement import LabelledIntervals
from dpcore.analyses.model import offered_for
from dpcore.analyses.resized import Form, ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.ledger import chain
from dpcore.ledger.ledger import Ledger
from dpcore.mechanisms.catalog import CATALOG
from dpcore.models.design import Design, UnitRows
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.privacy.bootstrap_cost import Correction
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind
from tests.releases import models
from tests.releases.questions import asked, matrix, ranks, shares, terms
from tests.releases.sample_releases import make_release, spend
from tests.releases.test_rebuilding import REQUESTS, of_one
from tests.terms import ADD_REMOVE, SUBSTITUTION

PINNED = json.loads(
    (Path(__file__).parents[1] / "vectors" / "pinned_bytes.json").read_text("utf-8")
)
MEAN = of_one(StatisticKind.MEAN).query
SHARE = REQUESTS["proportion"].query
MANY = replace(MEAN, **terms(200))
NOISY = {key: asked(MEAN, key, delta=1e-6 if CATALOG[key].needs_delta else 0.0) for key in CATALOG}
RESAMPLED = {
    **{
        f"bootstrap, {correction}": BootstrapRequest(
            query=MANY, rho=0.5, delta=1e-6, times=3, correction=correction
        )
        for correction in Correction
    },
    "bootstrap of a share": BootstrapRequest(
        query=SHARE, rho=0.5, delta=1e-6, times=3, bound=Bound.MEAN
    ),
    **{
        f"sample, {law}, {name}": SubsampledRequest(
            query=query,
            law=law,
            epsilon=1.0,
            share=0.25,
            delta=1e-6 if law == "gaussian" else 0.0,
            people=people,
        )
        for law in ("laplace", "gaussian")
        for name, query, people in (
            ("fixed size", MANY, 200),
            ("each by chance", replace(MEAN, **terms(200, relation=ADD_REMOVE)), None),
        )
    },
    "resized, published": ResizedRequest(query=MANY, draws=20, form=Form.PUBLISHED),
    "resized, pure": ResizedRequest(query=MANY, draws=20, epsilon=1.0),
    "resized": ResizedRequest(query=MANY, draws=20, epsilon=1.0, delta=1e-6),
}


def before(**changes):
    """A linear model whose price does not cover a public maximum that is exceeded."""
    return models.question(covers_excess=False, **changes)


FITTED = {
    **{
        f"{model} by {key}": models.request(
            key, model, asked=before() if model is ModelKind.LINEAR else None
        )
        for model in ModelKind
        for key in offered_for(model)
    },
    "linear, covering an excess": models.request(),
    "a precision of one's own": models.request("posterior", asked=before(), gamma=2.0, samples=5),
    "another share": models.request("adaptive", asked=before(), share=0.25),
    "households": models.request(
        asked=models.question(relation=SUBSTITUTION, unit=PrivacyUnit(rows=2))
    ),
    "rows clipped": models.request(
        gamma=1.0,
        asked=before(
            penalty=Penalty(strength=3.0, spares_first=True, per_person=True),
            design=Design(
                target=models.COLUMNS[0],
                features=models.COLUMNS[3:4],
                intercept=False,
                unit_rows=UnitRows.CLIP,
            ),
        ),
    ),
    "a category and an origin": models.request(
        asked=before(
            design=Design(
                target=models.COLUMNS[0],
                features=(models.TOWN, *models.COLUMNS[3:]),
                origin=-0.25,
                others_apart=True,
            )
        )
    ),
}
ASKED = {
    **REQUESTS,
    **NOISY,
    "matrix of other weights": matrix(key="truncated", weights=(1.0, 2.0, 1.0)),
    **RESAMPLED,
    **FITTED,
}
RECORDED = {
    "laplace": NOISY["laplace"],
    "pure": NOISY["folded"],
    "gaussian": NOISY["gaussian"],
    "median": ranks(),
    "shares": shares(),
    "matrix": matrix(),
    "approximate": RESAMPLED["resized"],
    "bootstrap": RESAMPLED["bootstrap of a share"],
    **{name: request for name, request in RESAMPLED.items() if "sample, " in name},
    "model": FITTED["linear by output"],
    "posterior": FITTED["linear by posterior"],
}


def record_of(request):
    """The record of a request whose noise happened to give these numbers."""
    plan = request.plan
    return Release(
        id=request_id(request.analysis("table"), request.draw),
        request=request.parameters(),
        title=request.title,
        labels=("one", "two"),
        values=(0.1, -2.0),
        mechanism=request.mechanism_key,
        mechanism_label=request.mechanism_label,
        noise=plan.noise,
        cost=request.cost,
        event=plan.event.to_dict(),
        relation=request.relation,
        unit=request.unit_text,
        created="2026-01-02T03:04:05+00:00",
        draw=request.draw,
        mode=Mode.RELEASE,
        sampler="OpenDP 1",
        intervals=LabelledIntervals(
            level=0.95, noise={"one": (0.0, 0.25)}, total={"one": (-1.0, float("inf"))}
        ),
        derived={"corr(one, two)": -0.5},
        statement=request.statement,
        budget=PrivacyBudget.of(epsilon=3.0, delta=1e-5),
        version="0.1.0",
        units=request.units,
        unsaid=("three",),
    )


def entries_of_a_ledger(monkeypatch):
    """Return what is written by opening an account, changing its terms and paying."""

    class Clock:
        @staticmethod
        def now(zone):
            return datetime(2026, 1, 2, 3, 4, 5, tzinfo=zone or UTC)

    monkeypatch.setattr(chain, "datetime", Clock)
    ledger = Ledger.in_memory()
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0, delta=1e-6), SUBSTITUTION)
    ledger.change_relation("table", NeighboringRelation.ADD_REMOVE, 2)
    ledger.change_relation("table", SUBSTITUTION, 1)
    ledger.change_budget("table", PrivacyBudget.of(rho=0.5), "zCDP")
    spend(ledger, "a-1")
    return [
        [entry.kind.value, entry.request, entry.body, entry.digest]
        for entry in ledger.history("table")
    ]


def numbers_apart(text):
    """Return a record without what is calculated, and what is, the event with it.

    Its words may be said better one day. What a bootstrap costs is where a search ends,
    whose last digits are the processor's.
    """
    content = json.loads(text)
    for words in ("title", "statement", "mechanism_label"):
        content.pop(words)
    event = content.pop("event")
    calculated = {"noise": content.pop("noise")}
    calculated |= {name: event[name] for name in event if name != "kind"}
    if event["kind"] == "bootstrap":
        costs = content.pop("cost").items()
        calculated |= {f"cost in {unit}": float(cost) for unit, cost in costs}
    return content | {"event": [*event, event["kind"]]}, calculated


def test_a_request_is_the_same_question_as_ever():
    now = {name: canonical(request.parameters()) for name, request in ASKED.items()}
    assert now == {name: canonical(pinned) for name, pinned in PINNED["requests"].items()}


@pytest.mark.parametrize("name", RECORDED)
def test_a_record_is_written_as_ever_and_read_back_to_the_byte(name):
    text = PINNED["records"][name]
    assert Release.from_json(text).to_json() == text
    stored, before = numbers_apart(text)
    written, now = numbers_apart(record_of(RECORDED[name]).to_json())
    assert written == stored
    assert now == pytest.approx(before, rel=1e-9)


def test_events_of_every_kind_are_pinned():
    kinds = {json.loads(text)["event"]["kind"] for text in PINNED["records"].values()}
    assert kinds == {
        "laplace",
        "gaussian",
        "pure",
        "approximate",
        "subsampled-laplace",
        "subsampled-gaussian",
        "fixed-size-laplace",
        "fixed-size-gaussian",
        "bootstrap",
    }


def test_nothing_is_pinned_that_nobody_asks():
    assert RECORDED.keys() == PINNED["records"].keys()


def test_the_ledger_writes_the_same_entries_as_ever(monkeypatch):
    assert entries_of_a_ledger(monkeypatch) == PINNED["entries"]


def test_a_classroom_record_is_written_as_ever():
    written = make_release(mode=Mode.CLASSROOM).to_json()
    assert written == PINNED["classroom"]
