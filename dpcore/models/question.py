"""A regression model as a question about a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.codec import NUMBER, TRUTH, WHOLE, Schema, choice, if_any, optional, several, since
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.models.design import Design, UnitRows
from dpcore.models.factor import checked_table
from dpcore.models.glm import GlmFit, glm_of
from dpcore.models.loss_functions import Loss, ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import RidgeFit, ridge_of
from dpcore.models.tables import InMemory, InParts, Table
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.conditions import clamped, filled, missing_values
from dpcore.statistics.parameters import COLUMN, RELATION, UNIT

Fit = RidgeFit | GlmFit
"""The fits of all models, which answer the same questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuestion:
    """A model of some columns, with everything public that it depends on. PUBLIC.

    Raises:
        ParameterError: Rows may be longer than 1, the target does not suit the model,
            or a number lies outside its domain.

    """

    design: Design
    """Which columns explain which one, and how they are scaled."""
    model: ModelKind
    penalty: Penalty
    """How strongly large coefficients are penalized."""
    relation: NeighboringRelation
    unit: PrivacyUnit
    """The privacy unit."""
    most_people: int
    """The public maximum number of rows: the public number of people, or a public bound
    on it where that number is private, as it is under add/remove and where a unit may
    own several rows. The guarantee holds where a table has more (``moves``).
    """
    threshold: float | None = None
    """Residual from which Huber's loss is linear, on the scaled target; ``None`` for
    other models.
    """
    covers_excess: bool = True
    """Whether the price covers tables of more rows than the public maximum. Not that of
    questions of earlier versions about a truncated table under add/remove: their
    releases are read, and no new ones are made.
    """

    def __post_init__(self) -> None:
        self.unit.check_one_row("a regression is")
        if self.most_people < 1:
            raise ParameterError(
                f"the largest number of {self.unit.counted} must be at least 1, got "
                f"{self.most_people}."
            )
        if self.design.unit_rows is UnitRows.OFF:
            raise ParameterError("rows must be kept at most 1 long: divide all, or clip long ones.")
        if self.design.counts is not (self.model is ModelKind.POISSON):
            raise ParameterError("a Poisson regression is about counts, and no other model is.")
        target = self.design.target
        yes_no = target.kind is ColumnKind.YES_NO
        if self.model is ModelKind.LOGISTIC and not yes_no:
            raise ParameterError(
                f"a logistic regression needs a yes/no target, and {target.name!r} is another type."
            )
        _ = self.loss

    def missing_values(self, column: Column) -> str:
        """Return how missing values of one of its columns are treated, in words."""
        return missing_values(column)

    @property
    def title(self) -> str:
        """Return the question in words.

        As in "linear regression of visits on age and income".
        """
        *first, last = (column.title for column in self.design.features)
        names = f"{', '.join(first)} and {last}" if first else last
        return f"{self.model} regression of {self.design.target.title} on {names}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values before the model is fitted, in words."""
        read = tuple(
            condition
            for column in self.columns
            for condition in (*clamped(column, named=True), *filled(column, self.unit, named=True))
        )
        return (*read, self._scaling)

    @property
    def _scaling(self) -> str:
        """Return the scale of the coefficients in words."""
        design = self.design
        text = "numbers measured from the middle of their bounds in halves of their "
        text += "width"
        if design.unit_rows is UnitRows.DIVIDE:
            text += f", rows divided by the root of {len(self.labels)}"
        if design.origin is not None:
            text += f", the target measured from {in_full(design.origin)}"
        return text

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each coefficient."""
        return self.design.labels

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column that is read, the target first."""
        return self.design.columns

    @property
    def loss(self) -> Loss | None:
        """Return the loss, ``None`` for the linear model."""
        return self.model.loss(self.threshold)

    @property
    def moves(self) -> int:
        """Return how many rows come or go between neighbors, one after the other.

        At most: a unit owns up to ``unit.rows``, in a neighboring table as many or not.

        Of a table that is ``truncated``, a row that leaves may let the next one in, and
        a row that joins may push the last one out. Truncation by a count is therefore a
        transformation of stability 2 (McSherry 2009, definition 2), whether or not the
        public maximum holds. A row that is replaced, by none as well, makes no more
        than two such moves: the others keep their order. Between the two moves the
        table is never larger than the maximum.
        """
        replaced = self.relation is NeighboringRelation.SUBSTITUTION
        exchanged = self.exchanges and self.covers_excess
        return self.unit.rows * (2 if replaced or exchanged else 1)

    @property
    def exchanges(self) -> bool:
        """Return whether truncation may exchange a row for one that comes or goes."""
        return self.truncated and self.relation is NeighboringRelation.ADD_REMOVE

    @property
    def truncated(self) -> bool:
        """Return whether no more rows than the public maximum are read.

        Only for a linear model. One row moves its coefficients by as much as its
        residual, and the longest coefficients grow with the number of rows: without a
        maximum there is no bound (``max_ridge_influence``). Where slopes of the loss are
        bounded, the bound ``L / lambda`` holds for any number of rows
        (``max_glm_influence``), and so does objective perturbation: no row is left out.
        """
        return self.loss is None

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the row, from 0, of each person behind the model. CONFIDENTIAL.

        The first ones up to the public maximum where the table is ``truncated``.
        """
        rows = self.design.rows(dataset)
        return rows[: self.most_people] if self.truncated else rows

    def fit(self, dataset: Dataset | PartitionedDataset) -> Fit:
        """Return the model fitted to a table. CONFIDENTIAL.

        With a penalty there is a fit to any table: a refusal would tell how many people
        there are. A linear model is fitted to the first ``most_people`` rows, which
        ``moves`` counts. Of nobody, the coefficients are 0.

        A table in parts is gone over part by part, once for a linear model and some
        times for others. The fit has the same coefficients, and no rows.

        Raises:
            DataError: A column cannot be read as declared; or, without a penalty,
                nobody is left or no single fit exists.
            ParameterError: The data set declares a column otherwise.

        """
        table = self._table(dataset)
        if self.loss is None:
            return ridge_of(table, penalty=self.penalty)
        return glm_of(table, loss=self.loss, penalty=self.penalty)

    def _table(self, dataset: Dataset | PartitionedDataset) -> Table:
        """Return rows and targets of a table, of nobody as well."""
        if not isinstance(dataset, Dataset):
            most = self.most_people if self.truncated else dataset.rows
            return InParts.of(self.design, dataset, most=most)
        rows = self.rows(dataset)
        if len(rows) == 0:
            return InMemory.of(np.empty((0, len(self.labels))), np.empty(0))
        table = self.design.matrix(dataset, rows)
        return InMemory.of(*checked_table(table.features, table.target))

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the model, ready for JSON."""
        return DESIGN.write(self.design) | MODEL.write(self)


DESIGN: Final = Schema(
    Design,
    target=COLUMN,
    features=several(COLUMN),
    intercept=TRUTH,
    unit_rows=choice(UnitRows),
    origin=since(optional(NUMBER)),
    others_apart=since(TRUTH),
)
MODEL: Final = Schema(
    ModelQuestion,
    model=choice(ModelKind),
    penalty=Schema(Penalty, strength=NUMBER, spares_first=TRUTH, per_person=TRUTH),
    threshold=optional(NUMBER),
    relation=RELATION,
    unit=UNIT,
    most_people=WHOLE,
    covers_excess=if_any(TRUTH, of=lambda asked: (asked.exchanges and asked.covers_excess) or None),
)
