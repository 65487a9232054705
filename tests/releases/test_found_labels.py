"""Labels that are found at a price: their law, their privacy, and their record."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.labels import LabelsPlan, LabelsQuery
from dpcore.analyses.reading import request_from
from dpcore.data.columns import Column, ColumnKind, LabelEquality
from dpcore.data.dataset import Dataset
from dpcore.data.declaration_grid import Field, cells_of, declared
from dpcore.data.preparation.contribution_bounds import RowCap, at_most
from dpcore.errors import DataError, ParameterError
from dpcore.individual.release_losses import release_losses
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.mechanisms.label_selection import LabelSelection
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.digits import number_text
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import TrialDraws, batches, of_person, worst
from dpcore.studies.meaning.attacker import Guarantee
from tests.releases.questions import found_labels
from tests.terms import ADD_REMOVE

RELATIONS = tuple(NeighboringRelation)
TOWN = Column(name="town", kind=ColumnKind.CATEGORY)
CERTAIN = 1 - 1e-9
_MOST = 8
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def table(cells, column=TOWN):
    frame = pd.DataFrame({column.name: pd.array(cells, dtype="str")})
    return Dataset(name="t", frame=frame, columns=(column,))


def small(relation=ADD_REMOVE, unit=None):
    """So cheap a guarantee that the threshold is 1 to 3, and everything is enumerated."""
    return found_labels(relation=relation, unit=unit, epsilon=2.0, delta=0.4)


def law(plan, counts):
    """The law of what is released of all labels of an ordered list."""
    size, found = _MOST + plan.law.threshold + 1, np.ones(1)
    for people in counts:
        outcomes = plan.law.outcomes(people, size) if people else np.eye(size)[0]
        found = np.multiply.outer(found, outcomes).ravel()
    return found


def divergence(one, other, epsilon):
    return float(np.maximum(one - math.exp(epsilon) * other, 0).sum())


def check(asked, pairs):
    """No pair of counts is told apart by more than the price, and some nearly by it."""
    plan, largest = asked.plan, 0.0
    for one, other in pairs:
        here, there = law(plan, one), law(plan, other)
        both = [divergence(*pair, asked.epsilon) for pair in ((here, there), (there, here))]
        largest = max(largest, *both)
    assert 0.05 * asked.delta < largest <= asked.delta * (1 + 1e-9)


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_table_is_told_from_a_neighbor_by_more_than_its_price(relation):
    asked, records = small(relation), ("a", "b", None)

    def counts(people):
        return tuple(people.count(label) for label in ("a", "b"))

    tables = [x for n in range(1, 5) for x in combinations_with_replacement(records, n)]
    pairs = [
        (counts(people), counts((*people[:at], *other, *people[at + 1 :])))
        for people in tables
        for at in range(len(people))
        for other in ([()] if relation is ADD_REMOVE else [(one,) for one in records])
    ]
    check(asked, set(pairs))


@pytest.mark.parametrize("relation", RELATIONS)
def test_all_labels_of_a_person_are_hidden_together(relation):
    asked = small(relation, PrivacyUnit(noun="patient", cap=2))
    own = [set(), {"a"}, {"b"}, {"a", "b"}]
    pairs = [
        tuple(
            tuple(base + (label in mine) for base, label in zip((n, m), "ab", strict=True))
            for mine in (one, other)
        )
        for one in own
        for other in ([set()] if relation is ADD_REMOVE else own)
        for n, m in product(range(4), repeat=2)
    ]
    check(asked, set(pairs))


CELLS = ["x"] * 60 + ["y"] * 40 + ["z"] * 2 + ["NA", None, "", "p; q", "n" * 101, "tab\tin"]


def test_counts_leave_out_what_no_list_can_hold_and_depend_on_each_cell_alone():
    asked = found_labels()
    data = table(CELLS)
    assert asked.value(data) == {"x": 60, "y": 40, "z": 2}
    assert [*asked.value(table(CELLS[::-1]))] == ["x", "y", "z"]
    assert len(asked.query.rows(data)) == len(asked.query.values(data)) == 102
    numbers = replace(TOWN, equality=LabelEquality.AS_NUMBERS)
    assert found_labels(numbers).value(table(["01", "1", "1.0", "7"], numbers)) == {"1": 3, "7": 1}


def test_a_person_counts_once_for_each_label():
    rows = [("ann", "x"), ("ann", "x"), ("bob", "x"), ("bob", "y"), ("cy", None)]
    frame = pd.DataFrame({"who": [who for who, _ in rows], "town": [town for _, town in rows]})
    who = Column(name="who", kind=ColumnKind.IDENTIFIER)
    source = Dataset(name="visits", frame=frame.astype("str"), columns=(who, TOWN))
    data = at_most(source, RowCap(owners=("who",), most=2), key=b"k" * 16)
    unit = PrivacyUnit(noun="patient", cap=2)
    asked = found_labels(data.columns[-1], relation=ADD_REMOVE, unit=unit)
    assert asked.value(data) == {"x": 2, "y": 1}
    assert asked.query.rows(data).tolist() == [0, 1]
    assert asked.plan.law.epsilon == pytest.approx(0.5)
    with pytest.raises(ParameterError, match="number of rows"):
        found_labels(data.columns[-1], relation=ADD_REMOVE).value(data)


@pytest.mark.slow
def test_released_labels_are_sorted_and_their_numbers_are_enclosed():
    asked, often, draws = found_labels(epsilon=2.0, delta=1e-3), 0, 400
    truth = {f"label {(7 * i) % 20:02}": 3 * i for i in range(1, 20)}
    sure = {label for label, people in truth.items() if people > 2 * asked.plan.law.threshold}
    for _ in range(draws):
        answer = asked.plan.answer(truth, cost=asked.cost)
        assert [*answer.labels] == sorted(answer.labels)
        assert sure <= {*answer.labels} <= {*truth}
        assert min(answer.values) > asked.plan.law.threshold
        ends = answer.intervals.noise
        often += all(ends[one][0] <= truth[one] <= ends[one][1] for one in answer.labels)
    assert often / draws >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / draws)


def test_the_secure_draw_has_the_law_that_is_priced():
    plan, draws = small().plan, 6000
    drawn = plan.law.secure_draw(np.full(draws, 3))
    expected = plan.law.probability(np.arange(-plan.law.threshold, plan.law.threshold + 1))
    found = np.bincount(drawn - 3 + plan.law.threshold, minlength=len(expected)) / draws
    assert (np.abs(found - expected) < 6 * np.sqrt(expected / draws)).all()


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_an_audit_does_not_refute_the_promise_and_finds_each_fault(relation):
    asked = found_labels(relation=relation, epsilon=1.0, delta=0.01)
    honest = replace(worst(asked), batch=2000)
    assert not audit(honest, TrialDraws.together(batches(honest, 4000)), confidence=0.99).refuted
    plan, data = asked.plan, table(["x"] * 9 + ["y"])
    # δ ignored: a person's own label appears often; half the noise: twice the epsilon.
    for fault in (
        replace(plan, law=replace(plan.law, threshold=1)),
        replace(plan, law=LabelSelection.calibrate(epsilon=2.0, delta=0.01)),
    ):
        broken = found_labels(relation=relation, epsilon=1.0, delta=0.01)
        broken.__dict__["plan"] = fault
        trial = worst(broken) if fault.law.threshold > 1 else of_person(broken, data, 9, 0)
        trial = replace(trial, claim=Guarantee(epsilon=0.5, delta=0.01), batch=2000)
        found = audit(trial, TrialDraws.together(batches(trial, 6000)), confidence=CERTAIN)
        assert found.refuted


@pytest.mark.slow
def test_a_threshold_off_by_one_is_refuted():
    law_ = LabelSelection(epsilon=1.0, threshold=3)
    asked = found_labels(relation=ADD_REMOVE, epsilon=1.0, delta=1.001 * law_.end_probability)
    assert asked.plan.law.threshold == law_.threshold
    asked.__dict__["plan"] = replace(asked.plan, law=replace(law_, threshold=2))
    trial = replace(of_person(asked, table(["x"] * 9 + ["y"]), 9, 0), batch=4000)
    assert audit(trial, TrialDraws.together(batches(trial, 4000)), confidence=0.999).refuted


@pytest.mark.parametrize("relation", RELATIONS)
def test_everybody_with_a_label_loses_what_their_changes_reveal(relation):
    asked = found_labels(relation=relation)
    data, query = table(CELLS), asked.query
    found = release_losses(
        asked.plan,
        query.statistic,
        query.values(data),
        rows=query.rows(data),
        people=data.people,
        relation=relation,
    )
    assert found.own[:102] == pytest.approx(np.full(102, asked.epsilon), rel=1e-9)
    outside = 0.0 if relation is ADD_REMOVE else asked.epsilon / 2
    assert found.own[102:] == pytest.approx(np.full(6, outside), rel=1e-9)
    # Of a label that keeps somebody the bound is attained.
    if relation is ADD_REMOVE:
        exact = asked.plan.law.epsilon_between(60, 59, asked.plan.law.end_probability)
        assert exact == pytest.approx(asked.epsilon, rel=1e-9)


def charged(asked, data, book):
    book.open_account("t", PrivacyBudget.of(epsilon=3.0, delta=1e-4), asked.relation, 1)
    value = asked.value(data)
    return release(asked, value, ledger=book, fingerprint="t", mode=Mode.RELEASE, now=NOW)


def test_it_is_one_record_with_its_price_and_comes_back(tmp_path):
    data, asked = table(CELLS), found_labels(relation=ADD_REMOVE, epsilon=1.0)
    path = tmp_path / "ledger.sqlite"
    made = charged(asked, data, Ledger.at(path))
    assert made.labels == ("x", "y")
    assert (made.title, made.unit) == ("labels of town", "people")
    later = Ledger.at(path)
    account = later.account("t")
    assert account is not None
    assert (float(account.spent.epsilon), float(account.spent.delta)) == (1.0, 1e-5)
    (kept,) = later.releases("t")
    assert kept == made
    event = event_from(kept.event)
    assert (event.kind, event.epsilon(1e-5), event.delta) == ("approximate", 1.0, 1e-5)
    again = request_from(kept.request, data)
    assert again == asked
    assert charged(again, data, later) == made
    assert "z" not in kept.to_json().replace("size", "").replace("epsilon", "")
    pairs = zip(made.labels, made.values, strict=True)
    assert all(number_text(made, *pair) == f"{pair[1]:.0f}" for pair in pairs)


def test_nothing_found_is_paid_for_and_says_so():
    made = charged(found_labels(epsilon=0.5), table(["x", "y", "y"]), Ledger.in_memory())
    assert (made.labels, made.unsaid) == ((), ("labels",))
    assert isinstance(found_labels().plan, LabelsPlan)
    assert found_labels().plan.answer({}, cost=made.cost).labels == ()


@pytest.mark.parametrize(
    "part",
    [
        {"column": Column(name="a", kind=ColumnKind.NUMBER)},
        {"column": replace(TOWN, labels=("x",))},
        {"longest": 0},
        {"size": TableSize(people=3, public=True)},
    ],
)
def test_what_is_no_such_question_is_refused(part):
    with pytest.raises(ParameterError):
        replace(found_labels().query, **part)
    assert isinstance(found_labels().query, LabelsQuery)
    stored = json.loads(json.dumps(found_labels().parameters()))
    stored["query"]["longest"] = -1
    with pytest.raises(DataError):
        request_from(stored, table(["x"]))


def test_the_price_stays_with_the_list_and_goes_with_it():
    found = replace(TOWN, labels=("x", "y"), found_epsilon=0.1)
    assert cells_of(found)[Field.STATUS] == "found with ε = 0.1"
    assert declared(found, {Field.LABELS: "x; y", Field.MEANING: "home"}).found_epsilon == 0.1
    assert declared(found, {Field.LABELS: "x; y; z"}).found_epsilon is None
    assert declared(found, {Field.LABELS: ""}).found_epsilon is None
