"""What is made of the rows of each person, against pandas, however cells are held."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.cells import text_of
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.dates import DateFormat, DateOrder
from dpcore.data.preparation.aggregation import Derived, Preparation, Recipe, one_row_each, ties
from dpcore.data.preparation.conditions import Comparison, LabelCondition, NumberCondition
from dpcore.errors import ParameterError

WHO = Column(name="who", kind=ColumnKind.IDENTIFIER)
NUMBERS = (Recipe.MEAN, Recipe.SUM, Recipe.MAXIMUM, Recipe.MINIMUM)
FOR_ALL = (Recipe.FIRST, Recipe.LAST, Recipe.MOST_FREQUENT, Recipe.DISTINCT)
HELD = {
    "category": lambda texts: pd.Series(pd.Categorical(texts)),
    "text": lambda texts: pd.Series(texts, dtype="str"),
    "integers": lambda texts: _numbers(texts, pa.int64(), int),
    "doubles": lambda texts: _numbers(texts, pa.float64(), float),
    "floats": lambda texts: pd.Series(
        [np.nan if text is None else float(text) for text in texts], dtype=np.float64
    ),
}
"""The ways in which cells are held: see ``dpcore.data.column_storage``."""
FORMS = {"integers": ("1", "2", "10"), "doubles": ("1.0", "2.5", "10.0")}
AT_LEAST_2 = NumberCondition(column="x", comparison=Comparison.AT_LEAST, number=2.0)


def _numbers(texts, kind, number):
    cells = [None if text is None else number(text) for text in texts]
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(cells, kind)))


def table(whose, cells, column):
    frame = pd.DataFrame({"who": pd.Series(whose, dtype="str"), "x": cells})
    return Dataset(name="visits", frame=frame, columns=(WHO, column))


def declared(kind=ColumnKind.NUMBER, **parts):
    return Column(name="x", kind=kind, **parts)


def made(dataset, *derived):
    """Return what each person has in each column made, as declared, by person."""
    recipe = Preparation(owners=("who",), derived=derived)
    found = one_row_each(dataset, recipe)
    names = dataset.frame["who"].dropna().unique()
    read = {}
    for column in found.columns:
        if not column.kind.is_numeric:
            codes = found.codes(column.name)
            cells = text_of(found.frame[column.name])
            inside = (codes >= 0) & (codes < len(column.labels))
            labels = np.array([*column.labels, ""], dtype=object)
            read[column.name] = [
                labels[code] if inner else None if code < 0 else str(cell)
                for code, inner, cell in zip(codes, inside, cells, strict=True)
            ]
        else:
            read[column.name] = found.numbers(column.name).tolist()
    return pd.DataFrame(read, index=names, dtype=object)


def same(one, other):
    found = (table.sort_index().T.to_dict() for table in (one, other))
    return repr(next(found)) == repr(next(found))


@st.composite
def visits(draw, forms, most=10):
    return draw(
        st.lists(
            st.tuples(st.sampled_from(["ann", "ben", "cem"]), st.sampled_from([*forms, None])),
            min_size=1,
            max_size=most,
        )
    )


def holding(texts, held):
    return HELD[held](texts)


def least_frequent_first(values):
    times = values.value_counts()
    return times[times == times.max()].index.min()


@settings(max_examples=60, deadline=None)
@given(data=st.data(), held=st.sampled_from([*HELD]))
def test_every_recipe_of_numbers_is_that_of_pandas_on_the_declared_values(data, held):
    forms = FORMS.get(held, ("1", "2.5", "1.0", "10", "refused", "NA"))
    forms = tuple(one for one in forms if held != "floats" or one[0].isdigit())
    rows = data.draw(visits(forms))
    whose, texts = zip(*rows, strict=True)
    dataset = table(whose, holding(texts, held), declared())
    derived = [Derived(recipe=recipe, column="x") for recipe in (*NUMBERS, *FOR_ALL)]
    derived.append(Derived(recipe=Recipe.ANY, column="x", condition=AT_LEAST_2))
    found = made(dataset, *derived)
    values = pd.Series(dataset.numbers("x")).groupby(list(whose), sort=False)
    expected = pd.DataFrame(
        {
            "mean of x per who": values.mean(),
            "sum of x per who": values.sum(min_count=1),
            "maximum of x per who": values.max(),
            "minimum of x per who": values.min(),
            "first x per who": values.first(),
            "last x per who": values.last(),
            "most frequent x per who": values.agg(
                lambda x: least_frequent_first(x) if x.notna().any() else np.nan
            ),
            "distinct values of x per who": values.nunique(),
            "rows per who": values.size(),
        }
    ).astype(float)
    numbers = found[[*expected.columns]].astype(float)
    pd.testing.assert_frame_equal(numbers, expected, check_names=False, rtol=1e-12)
    ever = values.agg(lambda x: "" if x.isna().all() else "yes" if (x >= 2).any() else "no")
    assert [one or "" for one in found["any x at least 2 per who"]] == ever.tolist()


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    held=st.sampled_from(["category", "text", "integers", "floats"]),
    equality=st.sampled_from([LabelEquality.AS_WRITTEN, LabelEquality.AS_NUMBERS]),
)
def test_every_recipe_of_labels_is_that_of_pandas_on_the_declared_values(data, held, equality):
    texts_held = held in {"category", "text"}
    forms = ("1", "01", "1.0", "2", "b", "NA") if texts_held else ("1", "2", "3")
    rows = data.draw(visits(forms))
    whose, texts = zip(*rows, strict=True)
    column = declared(ColumnKind.CATEGORY, labels=("1", "2"), equality=equality)
    dataset = table(whose, holding(texts, held), column)
    found = made(
        dataset,
        Derived(recipe=Recipe.DISTINCT, column="x"),
        Derived(recipe=Recipe.ANY, column="x", condition=LabelCondition(column="x", labels=("1",))),
    )
    codes = pd.Series(dataset.codes("x")).where(lambda code: code >= 0)
    values = codes.groupby(list(whose), sort=False)
    assert found["distinct values of x per who"].tolist() == values.nunique().tolist()
    met = values.agg(lambda x: "" if x.isna().all() else "yes" if (x == 0).any() else "no")
    assert [one or "" for one in found['any x is "1" per who']] == met.tolist()


@settings(max_examples=60, deadline=None)
@given(rows=visits(("a", "b", "b ", "c", "NA")))
def test_people_with_ties_are_those_whose_own_rows_have_several_most_frequent_values(rows):
    whose, texts = zip(*rows, strict=True)
    dataset = table(whose, holding(texts, "text"), declared(ColumnKind.CATEGORY))
    derived = (Derived(recipe=Recipe.MOST_FREQUENT, column="x"),)
    found = one_row_each(dataset, Preparation(owners=("who",), derived=derived))
    kept = dataset.frame[~dataset.missing("x")]
    text = text_of(kept["x"]).groupby(kept["who"])
    tied = sum((x.value_counts() == x.value_counts().max()).sum() > 1 for _, x in text)
    assert ties(found, "most frequent x per who") == tied
    assert ties(found, "rows per who") == 0


DATES = declared(
    ColumnKind.DATE,
    dates=DateFormat(order=DateOrder.DAY_FIRST),
    bounds=Interval(lower=0.0, upper=30_000.0),
)


@settings(max_examples=40, deadline=None)
@given(
    rows=visits(("1.2.2024", "01.02.2024", "31.12.2023", "29.2.2023", "soon")),
    held=st.sampled_from(["category", "text"]),
)
def test_the_earliest_and_the_latest_date_are_those_of_the_declared_dates(rows, held):
    whose, texts = zip(*rows, strict=True)
    dataset = table(whose, holding(texts, held), DATES)
    found = made(
        dataset,
        Derived(recipe=Recipe.EARLIEST, column="x"),
        Derived(recipe=Recipe.LATEST, column="x"),
        Derived(recipe=Recipe.DISTINCT, column="x"),
    )
    values = pd.Series(dataset.numbers("x")).groupby(list(whose), sort=False)
    expected = [values.min(), values.max(), values.nunique().astype(float)]
    for name, wanted in zip(found, expected, strict=False):
        assert repr(found[name].tolist()) == repr(wanted.tolist())


def recipes_of(column):
    """Return all that can be made of a column."""
    condition = AT_LEAST_2 if column.kind.is_numeric else LabelCondition(column="x", labels=("1",))
    return [
        Derived(recipe=recipe, column="x", condition=condition if recipe is Recipe.ANY else None)
        for recipe in Recipe
        if recipe.suits(column.kind)
    ]


KINDS = {
    "number": declared(),
    "whole": declared(ColumnKind.WHOLE),
    "date": declared(ColumnKind.DATE),
    "yes/no": declared(ColumnKind.YES_NO, labels=("1", "2"), equality=LabelEquality.AS_NUMBERS),
    "listed": declared(ColumnKind.CATEGORY, labels=("1", "b")),
    "codes": declared(ColumnKind.CATEGORY, equality=LabelEquality.AS_NUMBERS),
    "open": declared(ColumnKind.CATEGORY),
    "identifier": declared(ColumnKind.IDENTIFIER),
}


@st.composite
def held_visits(draw):
    held = draw(st.sampled_from([*HELD]))
    forms = {
        "integers": ("1", "2", "10", "20240501", "9007199254740993"),
        "doubles": ("1.0", "2.5", "10.0"),
        "floats": ("1", "2.5", "10", "inf"),
    }.get(held, ("1", "01", "2", "2.5", "b", "B", "NA", "2024-05-01", "20240502"))
    column = KINDS[draw(st.sampled_from([*KINDS]))]
    return draw(visits(forms)), held, column


def made_of(rows, held, column):
    if not rows:
        return pd.DataFrame()
    whose, texts = zip(*rows, strict=True)
    return made(table(whose, holding(texts, held), column), *recipes_of(column))


@settings(max_examples=120, deadline=None)
@given(case=held_visits(), other=held_visits(), who=st.sampled_from(["ann", "ben"]))
def test_the_rows_of_one_person_change_no_cell_of_another(case, other, who):
    """Removed, or replaced by any others that the file could hold in the same way."""
    rows, held, column = case
    before = made_of(rows, held, column)
    before = before[before.index != who]
    kept = [row for row in rows if row[0] != who]
    assert same(before, made_of(kept, held, column))
    new = [(who, text) for _, text in other[0]]
    if other[1] == held:
        after = made_of([*new, *kept], held, column)
        assert same(before, after[after.index != who])


@settings(max_examples=60, deadline=None)
@given(case=held_visits(), new=st.lists(st.sampled_from(["x", "1", "01", "2.5"])))
def test_how_cells_are_held_for_the_sake_of_others_changes_nothing(case, new):
    """One more row can turn a column of integers into text, and text into numbers."""
    rows, held, column = case
    if held not in {"integers", "doubles"}:
        return
    kept = [row for row in rows if row[0] != "cem"]
    before = made_of(kept, held, column)
    after = made_of([*kept, *(("cem", text) for text in new)], "text", column)
    assert same(before, after[after.index != "cem"] if len(after) else after)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), case=held_visits())
def test_the_order_of_rows_matters_for_first_and_last_alone(data, case):
    rows, held, column = case
    order = data.draw(st.permutations(range(len(rows))))
    free = [one for one in recipes_of(column) if not one.recipe.follows_order]
    found = []
    for places in (range(len(rows)), order):
        whose, texts = zip(*(rows[place] for place in places), strict=True)
        found.append(made(table(whose, holding(texts, held), column), *free))
    if column.kind is ColumnKind.CATEGORY and column.compares_numbers:
        # Written in another way, it is the same value.
        found = [one.replace({"01": "1"}) for one in found]
    assert same(*found)


def test_what_is_declared_of_a_column_holds_of_a_value_that_is_taken_from_it():
    bounds = Interval(lower=0.0, upper=9.0)
    number = declared(bounds=bounds, missing=MissingPolicy.REPLACE, replacement=4.0, complete=True)
    found = one_row_each(
        table(["ann"], pd.Series(["3"]), number),
        Preparation(owners=("who",), derived=tuple(recipes_of(number))),
    )
    for one, column in zip(recipes_of(number), found.columns, strict=False):
        if one.recipe.picks:
            assert (column.bounds, column.replacement) == (bounds, 4.0)
        elif one.recipe is Recipe.MEAN:
            assert column.bounds == bounds
        elif one.recipe is not Recipe.ANY:
            assert column.bounds is None
        assert not column.complete


@pytest.mark.parametrize(("column", "most"), [("yes/no", 2.0), ("listed", 3.0), ("open", None)])
def test_the_number_of_distinct_values_has_the_bounds_of_the_list(column, most):
    found = one_row_each(
        table(["ann"], pd.Series(["1"]), KINDS[column]),
        Preparation(owners=("who",), derived=(Derived(recipe=Recipe.DISTINCT, column="x"),)),
    )
    bounds = found.columns[0].bounds
    assert bounds == (None if most is None else Interval(lower=0.0, upper=most))
    assert found.columns[0].kind is ColumnKind.WHOLE


@pytest.mark.parametrize(
    ("recipe", "kind"),
    [
        (Recipe.MEAN, ColumnKind.CATEGORY),
        (Recipe.SUM, ColumnKind.DATE),
        (Recipe.MAXIMUM, ColumnKind.DATE),
        (Recipe.MINIMUM, ColumnKind.YES_NO),
        (Recipe.EARLIEST, ColumnKind.NUMBER),
        (Recipe.LATEST, ColumnKind.IDENTIFIER),
    ],
)
def test_a_recipe_is_refused_for_a_column_that_it_does_not_suit(recipe, kind):
    labels = ("no", "yes") if kind is ColumnKind.YES_NO else ()
    dataset = table(["ann"], pd.Series(["1"]), declared(kind, labels=labels))
    wanted = Preparation(owners=("who",), derived=(Derived(recipe=recipe, column="x"),))
    with pytest.raises(ParameterError, match="cannot be made"):
        one_row_each(dataset, wanted)


@pytest.mark.parametrize(
    "parts",
    [
        {"recipe": Recipe.ANY},
        {"recipe": Recipe.MEAN, "condition": AT_LEAST_2},
        {"recipe": Recipe.ANY, "condition": replace(AT_LEAST_2, column="y")},
    ],
)
def test_a_condition_belongs_to_any_and_to_its_column(parts):
    with pytest.raises(ParameterError):
        Derived(column="x", **parts)
