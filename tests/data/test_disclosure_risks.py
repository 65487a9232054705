"""What a class would recognize people by is found, and harmless tables have nothing."""

import numpy as np
import pandas as pd
import pytest

from dpcore.data.disclosure_risks import RiskKind, disclosure_risks
from dpcore.data.examples import EXAMPLES
from dpcore.formatting import percent

PEOPLE = 600


def table(**columns):
    rng = np.random.default_rng(4)
    harmless = {"satisfied": rng.integers(1, 6, PEOPLE), "sex": rng.choice(["w", "m"], PEOPLE)}
    return pd.DataFrame(harmless | columns)


def traps(frame):
    return {(one.kind, one.columns) for one in disclosure_risks(frame)}


def test_a_harmless_table_has_nothing():
    assert disclosure_risks(table()) == ()


@pytest.mark.parametrize(
    "name",
    ["Name", "last_name", "Nachname", "E-Mail", "Telefon", "Personalnr", "patient id",
     "Geburtstag", "date of birth", "Matrikelnummer", "Straße"],
)  # fmt: skip
def test_headings_that_name_people_are_found(name):
    found = traps(table(**{name: ["a", "b"] * (PEOPLE // 2)}))
    assert found == {(RiskKind.NAME, (name,))}


@pytest.mark.parametrize(
    "name", ["paid", "renamed", "mid", "score", "solid", "enrolled", "tournament"]
)
def test_headings_that_only_sound_alike_are_not(name):
    assert traps(table(**{name: ["a", "b"] * (PEOPLE // 2)})) == set()


@pytest.mark.parametrize(
    ("cells", "trap"),
    [
        ([f"p{i % 90}@school.org" for i in range(PEOPLE)], RiskKind.CONTACT),
        ([f"+49 221 {i % 90:03} {i % 90:03}" for i in range(PEOPLE)], RiskKind.CONTACT),
        ([f"2010-0{1 + i % 9}-1{i % 10}" for i in range(PEOPLE)], RiskKind.DAY),
        ([f"{1 + i % 28}.0{1 + i % 9}.2010" for i in range(PEOPLE)], RiskKind.DAY),
        ([f"I live in number {i % 60}, by the river." * 2 for i in range(PEOPLE)],
         RiskKind.TEXT),
    ],
)  # fmt: skip
def test_what_stands_in_text_is_found(cells, trap):
    assert (trap, ("x",)) in traps(table(x=cells))


def test_values_that_only_one_row_has_are_found():
    rng = np.random.default_rng(5)
    pay = rng.normal(3e3, 500, PEOPLE).round(2)
    assert traps(table(pay=pay)) == {(RiskKind.ALONE, ("pay",))}
    (found,) = disclosure_risks(table(pay=pay))
    share = pd.Series(pay).value_counts().eq(1).sum() / PEOPLE
    assert found.what.startswith(f"{percent(share)} of the rows")


def test_rare_answers_are_found():
    cells = ["a"] * (PEOPLE - 5) + ["b"] * 3 + ["c"] * 2
    (found,) = disclosure_risks(table(x=cells))
    assert (found.kind, found.columns) == (RiskKind.RARE, ("x",))
    assert found.what.startswith("1 of 3 answers")


def test_harmless_columns_that_single_out_together_are_found():
    rng = np.random.default_rng(6)
    frame = table(**{f"x{i}": rng.integers(0, 5, PEOPLE) for i in range(4)})
    (found,) = disclosure_risks(frame)
    assert found.kind is RiskKind.TOGETHER
    sizes = frame.groupby([*found.columns]).size()
    assert found.what.startswith(f"{percent((sizes == 1).sum() / PEOPLE)} of the rows")


def test_odd_tables_are_looked_at():
    for frame in (
        pd.DataFrame({"x": [np.nan] * 9}),
        pd.DataFrame({"x": [1]}),
        pd.DataFrame({"x": ["a"], "y": [None]}),
        pd.DataFrame({"x": pd.Categorical(["a", None] * 9)}),
    ):
        disclosure_risks(frame)


def test_the_plainest_comes_first():
    order = [one.kind for one in disclosure_risks(EXAMPLES[0].load().frame)]
    assert order == sorted(order, key=list(RiskKind).index)
