"""Losses that are counted in parts are those of everybody in memory."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore import arrays
from dpcore.analyses.base import Request
from dpcore.data.partitions.table import open_table
from dpcore.errors import DataError
from dpcore.individual.explanation import explain_alone
from dpcore.individual.losses import MOST_KEPT, LossCount, LossGrid
from dpcore.individual.per_instance_loss import counted_losses, per_instance_losses, person_of_row
from dpcore.relations import NeighboringRelation
from tests.data.partitions.test_partitions import (
    COLUMNS,
    PEOPLE,
    QUESTIONS,
    in_memory,
    opened,
    rows,
    write,
)

ASKED = {
    "mean": "laplace",
    "sum": "gaussian",
    "median": "exponential",
    "histogram": "laplace",
    "wards": "laplace",
    "smokers": "laplace",
    "quantiles": "gaussian",
    "by ward": "laplace",
}


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, rows(), (20,))
    return tmp_path


@pytest.mark.parametrize("block", [3, 1 << 15])
@pytest.mark.parametrize("name", ASKED)
def test_counts_and_the_most_exposed_are_those_of_the_table_in_memory(
    folder, name, block, monkeypatch
):
    monkeypatch.setattr(arrays, "_BLOCK", block)
    question, delta = QUESTIONS[name], 1e-6 if ASKED[name] == "gaussian" else 0.0
    request = Request(query=question, mechanism_key=ASKED[name], epsilon=1.0, delta=delta)
    dataset = in_memory(rows())
    whole = per_instance_losses(
        request.plan,
        question.statistic,
        question.values(dataset),
        relation=question.relation,
        delta=delta,
    )
    found = counted_losses(request.plan, question, opened(folder), delta=delta)
    assert found.people == whole.people
    assert found.worst_case == whole.worst_case
    np.testing.assert_allclose(found.maximum, whole.maximum, rtol=1e-12)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-12)
    assert found.counts.sum() == whole.people
    lower, upper = found.quantile(0.5)
    assert lower * (1 - 1e-12) <= whole.quantiles(0.5) <= upper * (1 + 1e-12)
    behind = question.rows(dataset)
    epsilon = dict(zip(behind.tolist(), whole.epsilon, strict=True))
    for place in found.most:
        np.testing.assert_allclose(place.epsilon, epsilon[place.entry], rtol=1e-12)
    look = partial(person_of_row, request.plan, question, opened(folder), delta=delta)
    for row in (0, 33, PEOPLE - 1):
        alone, expected = look(row), epsilon.get(row)
        assert (alone is None) is (expected is None)
        if expected is not None:
            np.testing.assert_allclose(alone.epsilon, expected, rtol=1e-12)


def test_a_table_in_memory_is_one_part(folder):
    question = QUESTIONS["mean"]
    plan = Request(query=question, mechanism_key="laplace", epsilon=1.0).plan
    one = counted_losses(plan, question, in_memory(rows()))
    parts = counted_losses(plan, question, opened(folder))
    assert [each.entry for each in one.most] == [each.entry for each in parts.most]
    np.testing.assert_array_equal(one.counts.sum(), parts.counts.sum())


def test_nobody_with_a_value_has_no_distribution(tmp_path):
    table = rows()
    nobody = table.set_column(2, "smokes", [[None] * PEOPLE]).cast(table.schema)
    write(tmp_path, nobody)
    question = QUESTIONS["smokers"]
    plan = Request(query=question, mechanism_key="laplace", epsilon=1.0).plan
    with pytest.raises(DataError, match="nobody"):
        counted_losses(plan, question, open_table(tmp_path, "visits").with_columns(*COLUMNS))


@given(
    losses=st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=60),
    cuts=st.sets(st.integers(0, 60)),
)
def test_who_loses_most_hangs_on_no_block(losses, cuts):
    epsilon = np.array(losses)
    count = LossCount(grid=LossGrid.of(end=1.0))
    for start, end in pairwise(sorted({0, len(losses), *cuts})):
        count.add(epsilon[start:end])
    expected = np.argsort(-epsilon, kind="stable")[:MOST_KEPT]
    np.testing.assert_array_equal(count.at, expected)
    np.testing.assert_array_equal(count.most, epsilon[expected])


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("name", ["mean", "sum", "median", "by ward"])
def test_losses_of_another_change_are_those_of_the_table_in_memory(folder, name, relation):
    question = QUESTIONS[name]
    request = Request(query=question, mechanism_key=ASKED[name], epsilon=1.0)
    if ASKED[name] == "gaussian":
        request = replace(request, mechanism_key="laplace")
    whole = per_instance_losses(
        request.plan, question.statistic, question.values(in_memory(rows())), relation=relation
    )
    found = counted_losses(request.plan, question, opened(folder), relation=relation, by=COLUMNS[1])
    np.testing.assert_allclose(found.maximum, whole.maximum, rtol=1e-12)
    np.testing.assert_allclose(found.mean, whole.mean, rtol=1e-12)
    assert found.counts.sum() == whole.people
    assert found.ordered[-1] >= found.maximum * (1 - 1e-9)
    np.testing.assert_allclose(np.diff(found.ordered), found.worst_case / 1000)
    person = found.most[0]
    alone = person_of_row(request.plan, question, opened(folder), person.entry, relation=relation)
    assert alone is not None
    assert alone.values == person.values
    np.testing.assert_allclose(alone[:3], person[:3], rtol=1e-12)
    top = whole.most_exposed(PEOPLE)
    behind = question.rows(in_memory(rows()))
    shift = next(one.shift for one in top if behind[one.entry] == person.entry)
    np.testing.assert_allclose(person.shift, shift, rtol=1e-12)
    codes = in_memory(rows()).codes("ward")[behind]
    compared = zip(found.groups, whole.by_group(codes, COLUMNS[1].labels), strict=True)
    cell = found.worst_case / 1000
    for counted, group in compared:
        assert counted[:2] == group[:2]
        np.testing.assert_allclose(counted.mean, group.mean, rtol=1e-12)
        np.testing.assert_allclose(counted.maximum, group.maximum, rtol=1e-12)
        assert 0 <= counted.median - group.median * (1 - 1e-9) <= cell * 1.001
        assert counted.ninth_decile - group.ninth_decile * (1 - 1e-9) >= 0


def test_shares_above_a_number_hold_the_true_one_and_are_exact_at_an_edge(folder):
    question = QUESTIONS["mean"]
    plan = Request(query=question, mechanism_key="laplace", epsilon=1.0).plan
    whole = per_instance_losses(
        plan, question.statistic, question.values(in_memory(rows())), relation=question.relation
    )
    found = counted_losses(plan, question, opened(folder))
    levels = [*found.ordered[::37], *whole.epsilon[:9], 0.0, 0.123, 2.0]
    for level in levels:
        least, most = found.exceeding(float(level))
        assert least <= most
        assert least - 1e-12 <= whole.exceeding(float(level))[0] <= most + 1e-12
    for edge in found.ordered[::37]:
        least, most = found.exceeding(float(edge))
        assert least == most


def test_why_somebody_is_exposed_is_said_without_the_others(folder):
    for name in ("mean", "histogram", "by ward", "smokers", "median"):
        question = QUESTIONS[name]
        plan = Request(query=question, mechanism_key=ASKED[name], epsilon=1.0).plan
        found = counted_losses(plan, question, opened(folder))
        said = explain_alone(found.most[0], question, replaced=False)
        assert "Leaving this record out changes" in said
        assert "a loss of ε = " in said
        assert ("This person has age =" in said) is (name in {"mean", "median"})
