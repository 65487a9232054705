"""The data sheet of a synthetic table: what it is, how it was made, and what it is for.

Its sections follow Gebru et al. 2021 (Datasheets for datasets). It holds public facts
alone: the question, its record, and what follows from the released counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpcore.analyses.base import Request
from dpcore.analyses.spanning_tree import SyntheticQuery, TreePlan
from dpcore.documents.context import CuratorInput
from dpcore.documents.rendering import Numerals, render
from dpcore.releases.record import Release
from dpcore.synthesis.pair_distances import PairDistance


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSheet:
    """What the data sheet of a synthetic table is about. PUBLIC.

    Attributes:
        request: The question.
        release: Its answer.
        rows: How many rows the synthetic table has.
        seed: What its rows were dealt out by.
        distances: How far each pair of columns can be from the original.
        typed: What only people know.

    """

    request: Request
    release: Release
    rows: int
    seed: int
    distances: Sequence[PairDistance]
    typed: CuratorInput

    def html(self) -> str:
        """Return the sheet, which opens in any browser and prints on A4."""
        query, plan, release = self.request.query, self.request.plan, self.release
        assert isinstance(query, SyntheticQuery)  # noqa: S101 - of a synthetic table
        assert isinstance(plan, TreePlan)  # noqa: S101 - as above
        columns = [
            (column.title, column.kind.value, len(names))
            for column, names in zip(query.columns, query.names, strict=True)
        ]
        return render(
            "data_sheet.html",
            Numerals.POINT,
            sheet=self,
            query=query,
            plan=plan,
            release=release,
            columns=columns,
            pairs=[
                f"{query.columns[i].title} and {query.columns[j].title}"
                for i, j in plan.recorded(release.labels, release.values).chosen
            ],
            mark="Classroom: not a private release." if release.mode == "classroom" else "",
        )
