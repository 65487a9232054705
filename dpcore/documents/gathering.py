"""From records to what documents are about."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dpcore.analyses.base import Releasable
from dpcore.data.columns import Column
from dpcore.data.partitions.table import Table
from dpcore.data.preparation.aggregation import Preparation
from dpcore.data.preparation.steps import steps_of
from dpcore.documents import missing
from dpcore.documents.question import Question
from dpcore.documents.subject import USUAL_DELTA, Change, Head, Subject, Time, limit_of, spelled
from dpcore.errors import DPCoreError
from dpcore.figures.privacy_label import LabelFacts
from dpcore.ledger.chain import Entry, EntryKind
from dpcore.ledger.periods import Period, limit
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.plan_cost import cost_of_plan
from dpcore.privacy_filter import PrivacyBudget
from dpcore.releases.enclosing import enclosures
from dpcore.releases.record import Release
from dpcore.releases.renaming import renamed, request_of


@dataclass(frozen=True, kw_only=True)
class Background:
    """What is public about an account, whatever was asked on it.

    Attributes:
        facts: The account, with whom it protects.
        dataset: The table in use, for what is declared of its columns. CONFIDENTIAL,
            and not looked at.
        everybody: Whether it holds everybody, and is no sample.
        periods: The times that have limits of their own.
        entries: What the account wrote into the ledger, in order.
        today: The day, ISO 8601.

    """

    facts: LabelFacts
    dataset: Table
    everybody: bool
    entries: Sequence[Entry]
    today: str
    periods: Sequence[Period] = ()


def released(
    releases: Sequence[Release],
    behind: Background,
    *,
    tables: Mapping[str, str] | None = None,
    called: Mapping[str, str] | None = None,
) -> Subject:
    """Return what was released on an account.

    ``tables`` names the table of each release, by its id, where there are several, and
    ``called`` has what people call questions now, by their marks; otherwise they have
    the names of their records.
    """
    names = tables or {}
    known = [_as_now(one, behind) for one in releases]
    enclosed = {
        table: enclosures(
            [one for one, _ in known if names.get(one.id) == table], sampled=not behind.everybody
        )
        for table in {names.get(one.id) for one in releases}
    }
    asked = (
        Question.of_release(
            one.of_everybody() if behind.everybody else one,
            request,
            enclosures=enclosed[names.get(one.id)],
        )
        for one, request in known
    )
    questions = [
        _in_table(
            replace(question, called=(called or {}).get(question.mark, one.name)), names.get(one.id)
        )
        for question, one in zip(asked, releases, strict=True)
    ]
    return _subject(
        questions,
        behind,
        charged=None,
        tables=tuple(dict.fromkeys(names.values())),
        delta=float(behind.facts.budget.delta or 0) or USUAL_DELTA,
    )


def _in_table(question: Question, table: str | None) -> Question:
    if table is None:
        return question
    return replace(question, name=f"{question.name}, in “{table}”", table=table)


def planned(basket: AnalysisPlan, behind: Background) -> Subject:
    """Return what is planned for a table.

    Raises:
        ParameterError: A question cannot be carried out.

    """
    requests = [item.request for item in basket.items]
    return _subject(
        [Question.of_item(item) for item in basket.items],
        behind,
        charged=cost_of_plan(requests, delta=basket.delta).cost,
        delta=basket.delta,
    )


def _subject(questions: Sequence[Question], behind: Background, **told: object) -> Subject:
    return Subject(
        facts=behind.facts,
        questions=tuple(questions),
        columns=_columns(questions),
        missing=missing.of_columns(
            question.request.asked for question in questions if question.request is not None
        ),
        everybody=behind.everybody,
        joined=isinstance(steps_of(behind.dataset).whose, Preparation),
        head=_head(behind.entries),
        times=tuple(_time(period, behind.periods) for period in behind.periods),
        today=behind.today,
        **told,  # type: ignore[arg-type] # the two fields that differ
    )


def _as_now(release: Release, behind: Background) -> tuple[Release, Releasable | None]:
    """Return a release in the words of now, with its question.

    The question is ``None`` where the table in use cannot be asked it any more.
    """
    release = renamed(release, behind.dataset, behind.facts.unit)
    request = _request(release, behind)
    return release if request is None else replace(release, title=request.title), request


def _request(release: Release, behind: Background) -> Releasable | None:
    """Return the question of a release, if the table in use can still be asked it."""
    with contextlib.suppress(DPCoreError):
        return request_of(release, behind.dataset, behind.facts.unit)
    return None


def _columns(questions: Sequence[Question]) -> tuple[Column, ...]:
    """Return each column as it was declared, once; twice where that was changed."""
    known = (
        column
        for question in questions
        if question.request is not None
        for column in question.request.asked.columns
    )
    return tuple(dict.fromkeys(known))


def _head(entries: Sequence[Entry]) -> Head | None:
    if not entries:
        return None
    last = entries[-1]
    return Head(
        entries=len(entries),
        digest=last.digest,
        recorded=last.recorded,
        changes=changes_of(entries),
        kinds=tuple(Counter(entry.kind for entry in entries).items()),
    )


def _time(period: Period, known: Sequence[Period]) -> Time:
    allowed = limit(known, period)
    return Time(
        name=period.name,
        days=f"{period.begins.isoformat()} to {period.ends.isoformat()}",
        limit=limit_of(allowed),
        spent=spelled(period.spent, rho=allowed.rho is not None),
    )


def changes_of(entries: Sequence[Entry]) -> tuple[Change, ...]:
    """Return how the budget of an account was changed, from all its entries."""
    told = [
        (entry, limit_of(PrivacyBudget.from_json(entry.content["budget"])))
        for entry in entries
        if entry.kind in {EntryKind.ACCOUNT, EntryKind.BUDGET}
    ]
    return tuple(
        Change(
            when=entry.recorded[:19].replace("T", " "),
            before=before,
            after=after,
            why=str(entry.content["reason"]),
        )
        for (_, before), (entry, after) in pairwise(told)
        if entry.kind is EntryKind.BUDGET
    )
