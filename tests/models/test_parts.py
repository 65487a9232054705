"""A model of a table in parts is that of the table in memory, wherever it is cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import DataError, ParameterError
from dpcore.models.design import UnitRows
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.tables import InMemory, InParts
from tests.conftest import few
from tests.models.tables_in_parts import NOBODY, PEOPLE, asked, in_parts, table
from tests.releases.models import without_anybody

PENALTIES = {
    "of the sum": Penalty(strength=20.0),
    "per person": Penalty(strength=0.05, per_person=True),
    "not of the intercept": Penalty(strength=1.0, spares_first=True),
}
cuts = st.sets(st.integers(0, PEOPLE), max_size=5)
groups = st.sampled_from([5, 7, PEOPLE])
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@pytest.mark.parametrize("model", ModelKind)
@pytest.mark.parametrize("penalty", PENALTIES)
@settings(deadline=None, max_examples=2)
@given(seed=seeds, cuts=cuts, group=groups, most=st.sampled_from([PEOPLE, 17, 31]))
def test_any_parts_give_the_fit_of_the_table_in_memory(
    tmp_path_factory, model, penalty, seed, cuts, group, most
):
    dataset = table(seed)
    parts = in_parts(tmp_path_factory.mktemp("parts"), dataset, cuts, group=group)
    question = asked(model, penalty=PENALTIES[penalty], most_people=most)
    whole, found = question.fit(dataset), question.fit(parts)
    assert found.people == whole.people
    np.testing.assert_allclose(found.theta, whole.theta, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.factor.hessian, whole.factor.hessian, rtol=1e-8, atol=1e-10)
    assert found.found is whole.found


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def test_groups_of_one_row_give_the_fit_of_the_table_in_memory(folder):
    dataset, question = table(4), asked()
    found = question.fit(in_parts(folder, dataset, (9, 22), group=1))
    np.testing.assert_allclose(found.theta, question.fit(dataset).theta, rtol=1e-8)


def test_rows_that_are_all_but_dependent_are_fitted_as_in_memory(folder):
    """There the triangles of all parts replace the sum of squares."""
    dataset = table(3)
    frame = dataset.frame
    away = 1e-6 * np.random.default_rng(0).normal(size=PEOPLE)
    frame = frame.assign(b=frame["a"] + away)
    dataset = type(dataset)(name="t", frame=frame, columns=dataset.columns)
    question = asked(penalty=Penalty(strength=1e-13))
    whole = question.fit(dataset)
    found = question.fit(in_parts(folder, dataset, (5, 40), group=4))
    assert whole.factor.by_rows
    assert found.factor.by_rows
    scale = np.abs(whole.theta).max()
    np.testing.assert_allclose(found.theta, whole.theta, rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("model", ModelKind)
def test_of_nobody_a_penalty_makes_coefficients_0(folder, model):
    question, empty = without_anybody(model)
    parts = in_parts(folder, empty, (2,))
    found = question.fit(parts)
    assert found.people == 0
    np.testing.assert_array_equal(found.theta, question.fit(empty).theta)
    with pytest.raises(DataError, match="nobody"):
        asked(model, penalty=Penalty(strength=0.0), design=question.design).fit(parts)


@pytest.mark.parametrize("model", few(2, *ModelKind))
def test_clipped_rows_are_fitted_as_in_memory(folder, model):
    dataset = table(5)
    question = asked(model)
    design = type(question.design)(
        target=question.design.target,
        features=question.design.features,
        counts=question.design.counts,
        unit_rows=UnitRows.CLIP,
    )
    question = asked(model, design=design)
    found = question.fit(in_parts(folder, dataset, (9, 22)))
    np.testing.assert_allclose(found.theta, question.fit(dataset).theta, rtol=1e-8)


def test_a_fit_in_parts_has_no_rows(folder):
    fit = asked().fit(in_parts(folder, table(1), (30,)))
    for rows in ("features", "target", "residuals"):
        with pytest.raises(ParameterError, match="sample of the rows"):
            getattr(fit, rows)


@pytest.mark.parametrize("most", [PEOPLE, 12])
def test_people_are_looked_up_and_left_out_by_their_rows(folder, most):
    dataset, question = table(8), asked(most_people=most)
    rows = question.rows(dataset)
    whole = question.design.matrix(dataset, rows)
    parts = InParts.of(question.design, in_parts(folder, dataset, (4, 20, 33), group=9), most=most)
    assert parts.people == len(rows)
    places = np.array([0, 3, len(rows) - 1])
    np.testing.assert_array_equal(parts.named(places), rows[places])
    x, y = parts.some(rows[places])
    np.testing.assert_array_equal(x, whole.features[places])
    np.testing.assert_array_equal(y, whole.target[places])
    rest = parts.without(rows[places])
    assert rest.people == len(rows) - 3
    left = list(rest.each_named(lambda who, x, y: (who, x, y)))
    assert np.concatenate([who for who, _, _ in left]).tolist() == (
        np.delete(rows, places).tolist()
    )
    np.testing.assert_array_equal(
        np.concatenate([x for _, x, _ in left]), np.delete(whole.features, places, axis=0)
    )
    inside = set(rows.tolist())
    assert [parts.counts(row) for row in range(PEOPLE)] == [row in inside for row in range(PEOPLE)]
    held = parts.holding(rows[places], x + 1, y)
    np.testing.assert_array_equal(held.some(rows[[3, 5]])[0][0], x[1] + 1)


def test_a_part_of_nobody_is_gone_over(folder):
    cuts = (NOBODY.start, NOBODY.stop)
    parts = InParts.of(asked().design, in_parts(folder, table(2), cuts), most=PEOPLE)
    assert [x.shape for x in parts.each(lambda x, _: x)][1] == (0, parts.columns)


def test_a_cell_that_is_not_as_declared_is_treated_as_missing(folder):
    dataset = table(6)
    other = dataset.frame["member"].astype(object).copy()
    fits = []
    for cell in ("perhaps", None):
        other.iloc[0] = cell
        frame = dataset.frame.assign(member=other)
        changed = type(dataset)(name="t", frame=frame, columns=dataset.columns)
        parts = in_parts(folder / str(cell), changed, (30,))
        fits.append(asked(ModelKind.LOGISTIC).fit(parts).theta)
    np.testing.assert_array_equal(*fits)


def test_without_one_person_no_row_is_copied():
    x, y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
    table = InMemory.of(x, y)
    for people in ([2], [0], [5], [1, 4]):
        rest = table.without(np.array(people))
        found = np.concatenate(list(rest.each(lambda x, _: x)))
        np.testing.assert_array_equal(found, np.delete(x, people, axis=0))
        assert rest.people == 6 - len(people)
