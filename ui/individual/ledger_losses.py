"""What every release in the ledger reveals about everybody. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import DPCoreError
from dpcore.figures.wording import percent
from dpcore.individual.model_exposure import expose_model
from dpcore.individual.release_losses import (
    ReleaseLosses,
    model_release_losses,
    release_losses,
)
from dpcore.privacy.composition import PrivacyEvent
from dpcore.releases.model_rebuilding import is_model, model_request_from
from dpcore.releases.rebuilding import as_declared, request_from
from ui import session

if TYPE_CHECKING:
    from dpcore.relations import NeighboringRelation
    from dpcore.releases.record import Release
    from ui.study import Study

_SAME_NOISE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LedgerLosses:
    """The releases of a table, and what each reveals about everybody. CONFIDENTIAL.

    Attributes:
        releases: The releases, in the order of the ledger. Public.
        losses: What each reveals about everybody.
        notes: What to know of losses that are not exact.
        key: Changes with the releases, and with the change that losses are about.

    """

    releases: tuple[Release, ...]
    losses: tuple[ReleaseLosses, ...] = field(repr=False)
    notes: tuple[str, ...]
    key: str


def read(
    releases: tuple[Release, ...], study: Study, relation: NeighboringRelation
) -> LedgerLosses:
    """Return everybody's losses from each release, computed once an analysis."""
    found = []
    for release in releases:
        analysis = release.id.rpartition("-")[0]
        found.append(
            session.remember(
                f"losses {analysis}",
                f"{study.fingerprint} {relation}",
                partial(_losses, release, study, relation),
            )
        )
    ids = " ".join(release.id for release in releases)
    return LedgerLosses(
        releases=releases,
        losses=tuple(losses for losses, _ in found),
        notes=tuple(dict.fromkeys(note for _, note in found if note)),
        key=f"{study.fingerprint} {relation} {ids}",
    )


def _losses(
    release: Release, study: Study, relation: NeighboringRelation
) -> tuple[ReleaseLosses, str]:
    """Return everybody's losses, or the worst case where they are not known.

    With them, what to know of them; empty where they are exact.
    """
    worst = ReleaseLosses(event=PrivacyEvent.from_dict(release.event))
    try:
        if is_model(release.request):
            return _of_model(release, study, relation) or (worst, "")
        return _of_statistic(release, study, relation) or worst, ""
    except DPCoreError:
        return worst, ""


def _of_statistic(
    release: Release, study: Study, relation: NeighboringRelation
) -> ReleaseLosses | None:
    request = request_from(release.request, study.dataset, draw=release.draw)
    plan, query = request.plan, request.query
    if not _same_noise(plan.noise, release.noise):
        return None
    table = as_declared(request, study.dataset)
    return release_losses(
        plan,
        query.statistic,
        query.values(table),
        rows=query.rows(table),
        people=study.dataset.people,
        relation=relation,
        unit_rows=query.unit.rows,
    )


def _of_model(
    release: Release, study: Study, relation: NeighboringRelation
) -> tuple[ReleaseLosses, str] | None:
    request = model_request_from(release.request, study.dataset, draw=release.draw)
    if not _same_noise(request.plan.noise, release.noise):
        return None
    table = as_declared(request, study.dataset)
    exposure = expose_model(
        request,
        request.question.fit(table),
        relation=relation,
        rows=request.question.rows(table),
    )
    losses = model_release_losses(
        request.plan.event,
        exposure,
        noise=request.plan.noise,
        people=study.dataset.people,
    )
    note = exposure.note
    if exposure.audit > 0:
        note = f"{note}; " if note else ""
        note += f"off by at most {percent(exposure.audit)} in an audit by exact refits"
    return losses, f"{release.title}: {note}" if note else ""


def _same_noise(known: float, recorded: float) -> bool:
    """Tell whether this version would draw as the release was drawn."""
    return bool(np.isclose(known, recorded, rtol=_SAME_NOISE, atol=0))
