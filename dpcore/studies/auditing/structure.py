"""What can be checked of questions without draws: where their public numbers come from.

A draw cannot show everything. Bins that were looked up, bounds that are the least and
the largest number of the table, or a question that is drawn afresh each time give away
what no single answer does. CONFIDENTIAL: what comes out depends on the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

import numpy as np

from dpcore.analyses.base import Mode, Releasable
from dpcore.analyses.reading import as_declared
from dpcore.data.dataset import Dataset
from dpcore.errors import DPCoreError
from dpcore.formatting import people
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.privacy_filter import PrivacyBudget
from dpcore.studies.auditing import trials

_TRIED: Final = 12
"""So many people are left out or replaced, evenly spaced over the rows."""
_TABLE: Final = "a scratch ledger in memory"
_ENOUGH: Final = Decimal(10**6)
_ROUNDING: Final = 1 + 1e-9


_Outcome = tuple[str, bool | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check of a question.

    Attributes:
        question: What was asked.
        name: What should hold.
        passed: Whether it does; ``None`` where it could not be tried.
        how: How that was checked, in a sentence.

    """

    question: str
    name: str
    passed: bool | None
    how: str


def checks(requests: Sequence[Releasable], dataset: Dataset) -> Iterator[Check]:
    """Yield the checks of all questions about a table, question by question.

    CONFIDENTIAL.
    """
    for request in requests:
        for check in (_names, _bounds, _same_answer, _reach):
            name, passed, how = check(request, dataset)
            yield Check(question=request.title, name=name, passed=passed, how=how)


def _names(request: Releasable, dataset: Dataset) -> _Outcome:
    """Check that the numbers that are named do not depend on who is there."""
    name = "Bins, groups and columns are public"
    try:
        table = trials.narrowed(request, dataset)
        alike = trials.of_one_record(table, 0)
        passed = len({np.shape(request.value(each)) for each in (table, alike)}) == 1
    except DPCoreError:
        how = "Not tested: this question cannot be asked of a table in which "
        return name, None, f"{how}everybody is alike."
    how = "Asked of the table, and of a table in which all rows equal row "
    return name, passed, f"{how}1: as many numbers are named."


def _bounds(request: Releasable, dataset: Dataset) -> _Outcome:
    """Check that no bounds are the least and the largest number of the table."""
    columns = [c for c in request.asked.columns if c.kind.is_numeric]
    table = as_declared(request, dataset)
    known = [c for c in columns if table.column(c.name).bounds is not None]
    looked = [c.name for c in known if table.touches_bounds(c.name)]
    how = "No bounds equal the minimum and maximum of the data." if known else "It uses no bounds."
    if looked:
        names = ", ".join(f"“{name}”" for name in looked)
        how = (
            f"The bounds of {names} equal the minimum and maximum of the data. If they were read "
            "from the table, the noise scale reveals these two values. Declare bounds from "
            "public knowledge."
        )
    return "Bounds are not looked up", not looked, how


def _same_answer(request: Releasable, dataset: Dataset) -> _Outcome:
    """Check that asking twice draws once, in a ledger that is thrown away."""
    name = "The same question has the same answer"
    try:
        first, second, spent = _release_twice(request, dataset)
    except DPCoreError:
        return name, None, "Not tested: this question cannot be released."
    how = "Released twice into a scratch ledger: one answer, identical to the "
    return name, first == second and spent == 1, f"{how}last digit, and one debit."


def _release_twice(
    request: Releasable, dataset: Dataset
) -> tuple[tuple[float, ...], tuple[float, ...], int]:
    book = Ledger.in_memory()
    budget = PrivacyBudget(epsilon=_ENOUGH, delta=Decimal("0.9"))
    book.open_account(_TABLE, budget, request.relation, request.unit.rows)
    value = request.value(as_declared(request, dataset))
    first, second = (
        release(
            request,
            value,
            ledger=book,
            fingerprint=_TABLE,
            mode=Mode.CLASSROOM,
            now=datetime.now(UTC),
        )
        for _ in range(2)
    )
    return first.values, second.values, len(book.releases(_TABLE))


def _reach(request: Releasable, dataset: Dataset) -> _Outcome:
    """Check that people of the table move the answer no farther than is covered."""
    rows = np.unique(np.linspace(0, dataset.people - 1, _TRIED).astype(int)).tolist()
    losses = []
    for row in rows:
        try:
            other = (row + dataset.people // 2) % dataset.people
            found = trials.of_person(request, dataset, row, other)
        except DPCoreError:
            continue
        if found.exact is not None:
            losses.append(found.exact <= found.claim.epsilon * _ROUNDING)
    how = (
        f"{people(len(losses)).capitalize()} of the table, one after the other left "
        "out or replaced by another: by formula, none loses more than the guarantee."
    )
    if not losses:
        how = "Not tested: no formula gives the privacy loss of one person here."
    elif not all(losses):
        how = (
            f"Of {people(len(losses))} tried, {losses.count(False)} would lose more "
            "than the guarantee allows."
        )
    return "No tested loss exceeds the guarantee", all(losses) if losses else None, how
