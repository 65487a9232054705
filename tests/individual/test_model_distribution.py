"""Losses from a model that are counted in parts are those of everybody in memory."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.model import offered_for
from dpcore.errors import DataError
from dpcore.individual.model_losses import counted_model_losses, model_loss, model_losses
from dpcore.models import glm_influence as audit_room
from dpcore.models.glm_influence import Audit
from dpcore.models.loss_functions import ModelKind
from dpcore.models.loss_tables import TABLE_FROM
from dpcore.models.penalty import Penalty
from dpcore.relations import PrivacyUnit
from tests.conftest import everything, few
from tests.models.tables_in_parts import PEOPLE, asked, in_parts, table
from tests.releases.models import request, without_anybody
from tests.terms import ADD_REMOVE

RELEASES = [(model, key) for model in ModelKind for key in offered_for(model)]
# For CI: of each other model there is one with a penalty per person.
LINEAR = [(ModelKind.LINEAR, key) for key in ("output", "adaptive", "output-democratic")]
PER_PERSON = Penalty(strength=0.3, per_person=True)


def released(model, key, *, people=PEOPLE, rows=1, **changes):
    """Return a request for a model of the table of ``tables_in_parts``."""
    more = {}
    if key == "output-public":
        more["matrix"] = tuple(tuple(row) for row in (np.eye(5) + np.full((5, 5), 0.2)).tolist())
    if key == "posterior":  # two moves of a row need a larger penalty
        changes.setdefault("penalty", Penalty(strength=150.0))
    changes |= {"unit": PrivacyUnit(rows=rows), "most_people": people}
    return request(key, model, asked=asked(model, **changes), **more)


def same(found, whole, rows):
    """Check a distribution against everybody's losses, behind these rows."""
    assert found.people == whole.people
    assert found.worst_case == whole.worst_case
    assert (found.note, found.upper) == (whole.note, whole.upper)
    np.testing.assert_allclose(found.maximum, whole.maximum, rtol=1e-9)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-9)
    np.testing.assert_allclose(found.for_all, whole.for_all, rtol=1e-9)
    np.testing.assert_allclose(found.certificate, whole.certificate, rtol=1e-9)
    np.testing.assert_allclose(found.error, whole.error, rtol=1e-6, atol=1e-9)
    finite = whole.epsilon[np.isfinite(whole.epsilon)]
    assert found.infinite == whole.people - len(finite)
    assert found.counts.sum() == len(finite)
    # All but those beside an edge are in one cell, whatever is rounded.
    for cell, (low, high) in enumerate(pairwise(found.ordered.tolist())):
        inside = np.count_nonzero((finite > low * (1 + 1e-9)) & (finite <= high * (1 - 1e-9)))
        around = np.count_nonzero((finite > low * (1 - 1e-9)) & (finite <= high * (1 + 1e-9)))
        if cell > 0:
            assert inside <= found.counts[cell] <= around
    by_row = dict(zip(rows.tolist(), range(whole.people), strict=True))
    assert len(found.most) == min(10, whole.people)
    for reason in found.most:
        person = by_row[reason.entry]
        np.testing.assert_allclose(reason.epsilon, whole.epsilon[person], rtol=1e-9)
        assert reason.value == whole.values[person]
        np.testing.assert_allclose(
            [reason.leverage, reason.residual, reason.shift],
            [
                whole.influence.leverage[person],
                whole.influence.residual[person],
                whole.influence.move[person],
            ],
            rtol=1e-6,
            atol=1e-9,
        )


@pytest.mark.slow
@pytest.mark.parametrize(("model", "key"), few(3, *dict.fromkeys([*LINEAR, *RELEASES])))
@settings(deadline=None, max_examples=2 if everything() else 1)
@given(
    seed=st.integers(0, 2**32 - 1),
    cuts=st.sets(st.integers(0, PEOPLE), max_size=4),
    group=st.sampled_from([1, 11, PEOPLE]),
    rows=st.sampled_from([1, 1, 2]),
)
def test_counts_and_the_most_exposed_are_those_of_the_table_in_memory(
    tmp_path_factory, model, key, seed, cuts, group, rows
):
    dataset, asking = table(seed), released(model, key, rows=rows)
    parts = in_parts(tmp_path_factory.mktemp("parts"), dataset, cuts, group=group)
    behind = asking.question.rows(dataset)
    whole = model_losses(asking, asking.question.fit(dataset), relation=ADD_REMOVE)
    fit = asking.question.fit(parts)
    found = counted_model_losses(asking, fit)
    same(found, whole, behind)
    lower, upper = found.quantile(0.5)
    assert lower * (1 - 1e-9) <= whole.quantiles(0.5) <= upper * (1 + 1e-9)
    person = len(behind) // 2
    alone = model_loss(asking, fit, int(behind[person]))
    np.testing.assert_allclose(alone.epsilon, whole.epsilon[person], rtol=1e-9)
    absent = np.setdiff1d(np.arange(PEOPLE), behind)[0]
    assert model_loss(asking, fit, int(absent)) is None


@pytest.mark.parametrize("model", few(2, *ModelKind))
def test_a_penalty_per_person_counts_as_in_memory(tmp_path, model):
    dataset = table(11)
    asking = request("output", model, asked=asked(model, penalty=PER_PERSON), gamma=30.0)
    fit = asking.question.fit(in_parts(tmp_path, dataset, (3, 41), group=16))
    whole = model_losses(asking, asking.question.fit(dataset), relation=ADD_REMOVE)
    same(counted_model_losses(asking, fit), whole, asking.question.rows(dataset))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "more"), few(1, ("posterior", {"samples": 3}), ("objective", {"gamma": 1.0}))
)
def test_losses_of_many_people_are_read_from_the_table_of_all(tmp_path, key, more):
    people = 2 * TABLE_FROM
    dataset = table(5, people)
    question = asked(most_people=people, penalty=Penalty(strength=60.0))
    asking = request(key, asked=question, **more)
    parts = in_parts(tmp_path, dataset, (1, TABLE_FROM // 2), group=300)
    whole = model_losses(asking, question.fit(dataset), relation=ADD_REMOVE)
    found = counted_model_losses(asking, question.fit(parts))
    same(found, whole, question.rows(dataset))


@pytest.mark.slow
@pytest.mark.parametrize("model", few(1, ModelKind.POISSON, ModelKind.HUBER))
def test_chord_steps_replace_single_ones_as_in_memory(tmp_path, monkeypatch, model):
    """They do where single steps miss too much; here nothing is tolerated."""
    monkeypatch.setattr(audit_room, "TOLERATED", 0.0)
    dataset = table(9, 400)
    asking = released(model, "output", people=400, penalty=Penalty(strength=0.02))
    asking = request("output", model, asked=asking.question, gamma=4.0)
    memory = asking.question.fit(dataset)
    audit = Audit.of(memory, rng=np.random.default_rng(0), top=4, drawn=3)
    parts = in_parts(tmp_path, dataset, (50, 300), group=77)
    fit = asking.question.fit(parts)
    by_parts = Audit.by_parts(fit, rng=np.random.default_rng(0), top=4, drawn=3)
    rows = asking.question.rows(dataset)
    np.testing.assert_array_equal(by_parts.chosen, rows[audit.chosen])
    one, other = (each.result(list(each.pieces(5))) for each in (audit, by_parts))
    np.testing.assert_array_equal(other.refitted, rows[one.refitted])
    np.testing.assert_array_equal(other.stepped_twice, rows[one.stepped_twice])
    assert other.error == pytest.approx(one.error, rel=1e-5)
    whole = model_losses(asking, memory, relation=ADD_REMOVE, audited=one)
    same(counted_model_losses(asking, fit, audited=other), whole, rows)
    assert len(one.stepped_twice) > 0
    person = int(other.stepped_twice[0])
    here = int(np.searchsorted(rows, person))
    found = model_loss(asking, fit, person, audited=other)
    np.testing.assert_allclose(found.epsilon, whole.epsilon[here], rtol=1e-8)


def test_whom_the_fit_rests_on_alone_is_given_away(tmp_path):
    """One person alone lives in the west; no penalty and nobody else tells of it."""
    dataset = table(4)
    towns = np.where(dataset.frame["town"] == "west", "south", dataset.frame["town"])
    rows = asked().rows(dataset)
    towns[rows[7]] = "west"
    frame = dataset.frame.assign(town=towns)
    dataset = type(dataset)(name="t", frame=frame, columns=dataset.columns)
    asking = request("output", gamma=1.0, asked=asked(penalty=Penalty(strength=0.0)))
    fit = asking.question.fit(in_parts(tmp_path, dataset, (20, 50), group=13))
    whole = model_losses(asking, asking.question.fit(dataset), relation=ADD_REMOVE)
    found = counted_model_losses(asking, fit)
    assert found.infinite == 1
    assert found.most[0].entry == rows[7]
    assert found.maximum == np.inf
    assert found.quantile(1.0) == (np.inf, np.inf)
    assert found.quantile(0.5)[1] < np.inf
    assert found.counts.sum() == whole.people - 1
    for person in (7, 20):
        alone = model_loss(asking, fit, int(rows[person])).epsilon
        np.testing.assert_allclose(alone, whole.epsilon[person], rtol=1e-8)


@pytest.mark.parametrize("key", ["output", "output-fisher"])
def test_a_table_in_memory_is_one_part(key):
    dataset, asking = table(2), released(ModelKind.LINEAR, key)
    fit = asking.question.fit(dataset)
    whole = model_losses(asking, fit, relation=ADD_REMOVE)
    same(counted_model_losses(asking, fit), whole, np.arange(whole.people))
    assert model_loss(asking, fit, 3).epsilon == pytest.approx(whole.epsilon[3], rel=1e-12)
    assert model_loss(asking, fit, whole.people) is None


def test_a_grid_without_a_guarantee_ends_at_a_power_of_2_that_holds_all(tmp_path):
    """Parts end where their own losses do; together their counts are the same."""
    dataset = table(6)
    asking = released(ModelKind.LINEAR, "output-fisher")
    counts = [
        counted_model_losses(asking, asking.question.fit(in_parts(place, dataset, cuts)))
        for place, cuts in ((tmp_path / "1", ()), (tmp_path / "2", range(1, PEOPLE)))
    ]
    for found in counts:
        assert found.worst_case == np.inf
        assert found.ordered[-1] / 2 < found.maximum <= found.ordered[-1]
        assert np.log2(found.ordered[-1]) % 1 == 0
    np.testing.assert_array_equal(counts[0].ordered, counts[1].ordered)
    np.testing.assert_array_equal(counts[0].counts, counts[1].counts)


@pytest.mark.parametrize("model", [ModelKind.LINEAR, ModelKind.LOGISTIC])
def test_nobody_has_no_distribution(tmp_path, model):
    question, empty = without_anybody(model)
    asking = request("output", model, asked=question)
    with pytest.raises(DataError, match="nobody"):
        counted_model_losses(asking, question.fit(in_parts(tmp_path, empty, (2,))))
