"""Models of tables that lie in parts, of which some may have nobody with all values."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from dpcore.data.columns import MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import open_table
from dpcore.models.loss_functions import ModelKind
from tests.data.partitions.test_partitions import write
from tests.releases.models import TOWN, number, question, with_towns

PEOPLE = 60
DROPPED = replace(number("a"), missing=MissingPolicy.DROP, replacement=None)
NOBODY = slice(20, 33)
"""Rows of whom nobody has a value of ``a``."""


def table(seed, people=PEOPLE):
    """Return made-up people, some of whom have no value of ``a``."""
    rng = np.random.default_rng(seed)
    plain = with_towns(people, seed=seed)
    missing = rng.random(people) < 0.1
    missing[NOBODY] = True
    frame = plain.frame.assign(
        a=plain.frame["a"].mask(missing), b=plain.frame["b"].mask(rng.random(people) < 0.1)
    )
    columns = tuple(DROPPED if column.name == "a" else column for column in plain.columns)
    return Dataset(name="made up", frame=frame, columns=columns)


def in_parts(folder, dataset, cuts=(), *, group=1_000_000):
    """Return the same table in files that begin at the cuts, in groups of rows."""
    rows = pa.Table.from_pandas(dataset.frame, preserve_index=False)
    place = write(folder, rows, cuts, group=group)
    return open_table(place.parent, place.name).with_columns(*dataset.columns)


def asked(model=ModelKind.LINEAR, **changes):
    """Return a model that drops who has no value of ``a``."""
    design = replace(question(model).design, features=(DROPPED, number("b"), TOWN))
    return question(model, **({"design": design, "most_people": PEOPLE} | changes))
