"""The public API: from a file to a release in a few lines, by the functions that the app uses.

``import dpcore as dp`` gives these names. Everything else in ``dpcore`` may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dpcore.analyses.base import Mode, QuestionTerms, Releasable, Request, offered
from dpcore.analyses.measurement import Width
from dpcore.analyses.reading import as_declared, shape_of
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy, fewest_values
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.contribution_bounds import RowCap, at_most
from dpcore.data.readers.files import read, unpacked
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.gathering import Background, released
from dpcore.errors import LedgerError, ParameterError
from dpcore.figures.privacy_label import LabelFacts
from dpcore.individual.per_instance_loss import StatisticLosses, per_instance_losses
from dpcore.ledger.account import Account
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release, release_all
from dpcore.planning.analysis_plan import USUAL_GROUP, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.plan_cost import cost_of_plan
from dpcore.planning.splits import settled
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.comparing.compared_points import ErrorSetting, comparable
from dpcore.studies.comparing.error_curves import Fairness, at_setting
from dpcore.synthesis.fitting import as_written, deal, fit, plant, whole
from dpcore.synthesis.released_counts import read as read_counts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class NotebookTable:
    """A table with its public declaration.

    Attributes:
        dataset: The cells and what is declared of the columns. CONFIDENTIAL.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        at_least: A public minimum of the number of people, for questions about which
            the exact number is private; ``None`` where nobody said one. It counts rows where
            several of one person do.

    """

    dataset: Dataset = field(repr=False)
    relation: NeighboringRelation
    unit: PrivacyUnit
    at_least: int | None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return what is declared of each column."""
        return self.dataset.columns

    def bound_contributions(self, person: str, *, rows: int, key: bytes) -> NotebookTable:
        """Return the table in which at most so many rows of each person count.

        Neighbors differ in all rows of one person. Columns go on by their names, but for
        that of the ID. Bound contributions first, then declare them.

        Args:
            person: The column that says whose row it is. Rows without a value are left out.
            rows: The contribution bound, which must be public.
            key: A secret of your own, 16 to 64 bytes. It chooses the rows that count.

        Raises:
            DataError: No row is left.
            ParameterError: There is no such column, no other one, or no row may count.

        """
        rule = RowCap(owners=(person,), most=rows)
        bounded = at_most(self.dataset, rule, key=key)
        return replace(self, dataset=bounded, unit=replace(self.unit, cap=rows))

    def declare(
        self,
        name: str,
        *,
        bounds: tuple[float, float] | None = None,
        labels: Sequence[str] = (),
        missing: float | str | None = None,
        unit: str = "",
        at_least: int | None = None,
    ) -> NotebookTable:
        """Return the table with bounds or labels of a column, which must be public.

        ``missing`` is imputed for missing values; people without a value are left out
        where it is ``None``, and ``at_least`` is then how many have a value at least.

        Raises:
            ParameterError: There is no such column, or it cannot be declared so.

        """
        column = self._column(name)
        kind = column.kind
        if labels and not kind.has_labels:
            kind = ColumnKind.CATEGORY
        declared = replace(
            column,
            kind=kind,
            bounds=Interval(lower=bounds[0], upper=bounds[1]) if bounds else column.bounds,
            labels=tuple(labels) or column.labels,
            missing=MissingPolicy.DROP if missing is None else MissingPolicy.REPLACE,
            replacement=missing,
            unit=unit,
            at_least=at_least,
        )
        return replace(self, dataset=self.dataset.with_columns(declared))

    def ask(
        self,
        statistic: str,
        columns: str | Sequence[str],
        *,
        epsilon: float,
        delta: float = 0.0,
        mechanism: str | None = None,
        **parts: Any,  # noqa: ANN401 - those of the statistic
    ) -> Request:
        """Return a question with its mechanism and cost. Nothing is computed of the table.

        Args:
            statistic: A name of ``StatisticKind``, such as "mean" or "cross table".
            columns: The column in question, or several.
            epsilon: What the mechanism is calibrated to.
            delta: The same, for mechanisms that need it.
            mechanism: A key of the catalog, such as "laplace", "bit" or "gaussian"; by
                default the first one that is offered for the statistic.
            **parts: What else the statistic needs: ``by`` for groups, ``equals`` or
                ``between`` for counts and shares, ``bins``, ``q``, ``weight``, ``pair``,
                ``tables``. ``from_terms`` of each shape in ``dpcore/analyses`` says which.

        Raises:
            ParameterError: The parts do not fit together, or ``at_least`` is needed.

        """
        kind = _one_of(StatisticKind, statistic)
        names = [columns] if isinstance(columns, str) else columns
        terms = QuestionTerms(
            kind=kind,
            columns=tuple(map(self._column, names)),
            relation=self.relation,
            unit=self.unit,
            named=self._column,
            size_of=self._size,
        )
        given = {name: part for name, part in parts.items() if part is not None}
        shape = shape_of({"kind": kind} | ({"group": True} if "by" in given else {}))
        try:
            asked = shape.from_terms(terms, **given)
        except TypeError as error:
            text = str(error).partition("() ")[2] or "a part has another type"
            raise ParameterError(f"“{kind}”: {text}.") from None
        key = mechanism or next(iter(offered(asked.kind)))
        return Request(query=asked, mechanism_key=key, epsilon=epsilon, delta=delta)

    def losses(self, request: Request) -> StatisticLosses:
        """Return everybody's privacy loss from a release. CONFIDENTIAL."""
        query = request.query
        return per_instance_losses(
            request.plan,
            query.statistic,
            query.values(self.dataset),
            relation=self.relation,
            delta=request.used_delta,
            rows=self.unit.rows,
        )

    def open_account(
        self, path: str | Path | None, *, epsilon: float, delta: float = 0.0, key: bytes
    ) -> NotebookAccount:
        """Return the account of the people in the table, opened if there is none.

        Args:
            path: The ledger, an SQLite file; ``None`` for one that ends with the process.
            epsilon: The budget of all releases together.
            delta: The same.
            key: A secret of your own, 16 to 64 bytes. With the cells it makes the name of
                the account.

        Raises:
            LedgerError: The ledger cannot be used.

        """
        ledger = Ledger.in_memory() if path is None else Ledger.at(Path(path))
        name = self.dataset.fingerprint(key)
        budget = PrivacyBudget.of(epsilon=epsilon, delta=delta)
        ledger.open_account(name, budget, self.relation, self.unit.rows)
        return NotebookAccount(table=self, ledger=ledger, name=name)

    def _column(self, name: str) -> Column:
        ending = self.dataset.ending
        return self.dataset.column(name if name.endswith(ending) else name + ending)

    def _size(self, columns: Sequence[Column]) -> TableSize:
        replaced = all(column.missing is MissingPolicy.REPLACE for column in columns)
        public = replaced and self.unit.keeps_number(self.relation)
        fewest = fewest_values(columns, self.at_least or 0)
        if not public and not fewest:
            raise ParameterError(
                "the number of people is private here. Open the table with at_least=..., a "
                "public minimum, or declare a value for missing ones."
            )
        return TableSize(people=self.dataset.people if public else fewest, public=public)


@dataclass(frozen=True, kw_only=True)
class NotebookAccount:
    """The account of a table in a ledger: what is spent, and what it answered."""

    table: NotebookTable
    ledger: Ledger
    name: str = field(repr=False)

    @property
    def spent(self) -> PrivacyCost:
        """Return the cost of all releases so far."""
        return self._account.spent

    @property
    def releases(self) -> tuple[Release, ...]:
        """Return all releases about this table, in order."""
        return self.ledger.releases(self.name)

    def release(self, request: Releasable) -> Release:
        """Return the answer; the first time it is drawn securely, and its cost spent.

        Raises:
            BudgetExceeded: The cost does not fit into what is left.
            ClaimError: The mechanism does not give the epsilon asked for.

        """
        return release(
            request,
            request.value(as_declared(request, self.table.dataset)),
            ledger=self.ledger,
            fingerprint=self.name,
            mode=Mode.RELEASE,
            now=datetime.now(UTC),
        )

    def release_plan(self, plan: AnalysisPlan) -> tuple[Release, ...]:
        """Return the answers to all questions of a plan, charged as a whole.

        Raises:
            BudgetExceeded: The cost does not fit into what is left.
            ClaimError: A mechanism does not give the epsilon asked for.

        """
        requests = [item.request for item in plan.items]
        return release_all(
            requests,
            [request.value(as_declared(request, self.table.dataset)) for request in requests],
            cost=lambda new: cost_of_plan(new, delta=plan.delta).cost,
            ledger=self.ledger,
            fingerprint=self.name,
            mode=Mode.RELEASE,
            now=datetime.now(UTC),
        )

    def document(self, name: str = "Public notice") -> str:
        """Return a document about all releases, such as "Full report". PUBLIC.

        Raises:
            ParameterError: There is no document of that name.

        """
        document = {one.name: one for one in DOCUMENTS}.get(name)
        if document is None:
            raise ParameterError(f"choose one of: {', '.join(one.name for one in DOCUMENTS)}.")
        account, table = self._account, self.table
        public = table.unit.keeps_number(table.relation)
        facts = LabelFacts(
            budget=account.budget,
            spent=account.spent,
            relation=table.relation,
            unit=table.unit,
            number=table.dataset.people if public else None,
            releases=account.releases,
        )
        background = Background(
            facts=facts,
            dataset=table.dataset,
            everybody=False,
            entries=self.ledger.history(account.name),
            today=datetime.now(UTC).date().isoformat(),
        )
        return document.text(released(self.releases, background))

    @property
    def _account(self) -> Account:
        account = self.ledger.account(self.name)
        if account is None:
            raise LedgerError("the ledger has no account of this table any more.")
        return account


def open_table(
    path: str | Path,
    *,
    relation: NeighboringRelation | str = NeighboringRelation.SUBSTITUTION,
    unit: PrivacyUnit | None = None,
    at_least: int | None = None,
) -> NotebookTable:
    """Return the table in a CSV, Parquet, Arrow, Excel, SPSS, Stata or SAS file.

    Types of columns are proposed from the file and become public by using them; bounds
    never are.

    Args:
        path: The file, packed or not.
        relation: "substitution" or "add-remove".
        unit: The privacy unit; a person with one row by default.
        at_least: A public minimum of the number of people. Needed under add/remove, and
            where people with missing values are left out.

    Raises:
        DataError: The file cannot be read, and why.

    """
    path = Path(path)
    opened = read(unpacked(path.read_bytes()))
    return NotebookTable(
        dataset=Dataset(name=path.stem, frame=opened.frame, columns=opened.columns),
        relation=_one_of(NeighboringRelation, relation),
        unit=unit or PrivacyUnit(),
        at_least=at_least,
    )


def tradeoffs(request: Request, *, place: float = 0.5) -> pd.DataFrame:
    """Return bias, standard deviation and RMSE of the mechanisms at the same true epsilon.

    ``place`` is where the true value is assumed to lie between its bounds, from 0 to 1.
    Computed from public numbers only.

    Raises:
        ParameterError: The answer is not a number with noise on it.

    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    if not comparable(request.query):
        raise ParameterError("the answer is not a number with noise on it.")
    setting = ErrorSetting(
        query=request.query, epsilon=request.epsilon, delta=request.delta or 1e-6, place=place
    )
    curves = at_setting(setting, Fairness.TRUE.with_chosen(request.mechanism_key))
    rows = {
        curve.key: (float(curve.bias[0]), float(curve.spread[0]), float(curve.rmse[0]))
        for curve in curves
    }
    return pd.DataFrame.from_dict(
        rows, orient="index", columns=["bias", "standard deviation", "RMSE"]
    )


def synthetic_table(answer: Release, request: Request, *, seed: int = 0) -> pd.DataFrame:
    """Return rows with the released counts of a question "synthetic table". PUBLIC.

    Released histograms and cross tables of two columns make rows, too. ``seed`` orders the
    rows and places numbers within their bins.

    Raises:
        ParameterError: The answer has no such counts.

    """
    forest = plant(read_counts(answer, request))
    rows = deal(forest, whole(forest, fit(forest)), rng=np.random.default_rng(seed))
    columns = request.query.columns
    # The counts may have chosen the pairs of columns, and with them another order.
    return as_written(rows[[column.name for column in columns]], columns)


def plan(requests: Sequence[Releasable], *, epsilon: float, delta: float = 0.0) -> AnalysisPlan:
    """Return several questions that share an epsilon in equal parts, for ``release_plan``.

    Raises:
        ParameterError: A question is in it twice, or cannot be planned.

    """
    items = tuple(PlannedQuery.of(request) for request in requests)
    return settled(AnalysisPlan(items=items, total=epsilon, delta=delta, split=Split.EQUAL))


def margin_of_error(request: Releasable, *, group: int = USUAL_GROUP) -> Width:
    """Return the margin of error of the noise, at 95% confidence.

    Of several numbers it is the largest; where groups have private sizes, that of a
    ``group`` of so many people. ``half`` is in ``unit``, which is "ranks" for a quantile.
    """
    return request.width(group=group)


_Choice = TypeVar("_Choice", bound=StrEnum)


def _one_of(choices: type[_Choice], name: str) -> _Choice:
    try:
        return choices(name)
    except ValueError:
        raise ParameterError(f"“{name}” is not one of: {', '.join(choices)}.") from None
