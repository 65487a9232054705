"""Declared columns, and small data sets of them, for questions."""

import pandas as pd

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset

DROP, REPLACE = MissingPolicy.DROP, MissingPolicy.REPLACE


def number(name, upper=100.0, *, missing=REPLACE, **changes):
    """A number from 0 up; people without one get half of ``upper``."""
    known = {
        "name": name,
        "kind": ColumnKind.NUMBER,
        "bounds": Interval(lower=0.0, upper=upper),
        "missing": missing,
        "replacement": upper / 2 if missing is REPLACE else None,
    }
    return Column(**(known | changes))


def category(name="region", labels=("north", "south")):
    return Column(name=name, kind=ColumnKind.CATEGORY, labels=labels)


def yes_no(name="smoker"):
    return Column(
        name=name, kind=ColumnKind.YES_NO, labels=("no", "yes"), missing=REPLACE, replacement="no"
    )


def dataset(columns, **cells):
    return Dataset(name="t", frame=pd.DataFrame(cells), columns=columns)
