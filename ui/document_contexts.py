"""What documents are about, gathered from the account or the plan of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from dpcore.documents import gathering
from dpcore.documents.context import DocumentContext
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.releases.record import Release
from ui import plans, session, typed
from ui.interpretation import facts_of
from ui.study import Study


def released(study: Study, releases: Sequence[Release]) -> DocumentContext:
    """Return what was released on the account of a table, about all its tables."""
    account = session.account(study)
    tables: dict[str, str] = {}
    if len(account.tables) > 1:
        book = session.ledger()
        tables = {
            one.id: name
            for fingerprint, name in account.names.items()
            for one in book.releases(fingerprint)
        }
    subject = gathering.released(
        releases, _behind(study), tables=tables, called=_called(study, releases)
    )
    if not tables:
        return subject
    return replace(
        subject,
        name=account.names.get(study.fingerprint, study.dataset.name),
        before=typed.of_other_tables(study),
    )


def _called(study: Study, releases: Sequence[Release]) -> dict[str, str]:
    """Return the names that people gave to questions themselves, by their marks."""
    titles = {release.title for release in releases}
    known = plans.names(study)
    return {mark: name for mark, name in known.items() if name not in titles}


def planned(study: Study, basket: AnalysisPlan, known: Sequence[Release | None]) -> DocumentContext:
    """Return what is planned for a table, and has no ``known`` answer yet.

    Raises:
        ParameterError: A question cannot be carried out.

    """
    pairs = zip(basket.items, known, strict=True)
    items = tuple(item for item, answer in pairs if answer is None)
    return gathering.planned(replace(basket, items=items), _behind(study))


def _behind(study: Study) -> gathering.Background:
    account = session.account(study)
    return gathering.Background(
        facts=facts_of(study),
        dataset=study.dataset,
        everybody=not study.sampled,
        entries=session.ledger().history(account.name),
        periods=account.periods,
        today=datetime.now(UTC).date().isoformat(),
    )
