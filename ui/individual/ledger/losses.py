"""What every release in the ledger reveals about everybody. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpcore.analyses.base import Question, Request
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.reading import (
    StatisticRequest,
    as_declared,
    is_model,
    model_request_from,
    request_from,
)
from dpcore.analyses.subsampled import SubsampledPlan, SubsampledRequest
from dpcore.errors import DPCoreError
from dpcore.formatting import percent
from dpcore.individual.model_losses import model_losses
from dpcore.individual.release_losses import (
    Plan,
    ReleaseLosses,
    model_release_losses,
    release_losses,
    sampled_losses,
)
from dpcore.privacy.events import event_from
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Release
from ui import session
from ui.study import Study

_SAME_NOISE = 1e-9
_MOST_KEPT = 20_000_000
_FEWEST = 10
_Found = tuple[ReleaseLosses, str]
_OTHER_CHANGE = (
    "compare with another record in place of the person's, because the number of "
    "people who are drawn is fixed"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LedgerLosses:
    """The releases of a table, and what each reveals about everybody. CONFIDENTIAL.

    Attributes:
        releases: The releases, in the order of the ledger. Public.
        losses: What each reveals about everybody.
        notes: What to know of losses that are not exact.
        key: Changes with the releases, and with the change that losses are about.
        most: So many different questions are looked at closely, the costliest ones;
            the losses of more do not fit into memory. Public.

    """

    releases: tuple[Release, ...]
    losses: tuple[ReleaseLosses, ...] = field(repr=False)
    notes: tuple[str, ...]
    key: str
    most: int


def read(
    releases: tuple[Release, ...], study: Study, relation: NeighboringRelation
) -> LedgerLosses:
    """Return everybody's losses from each release, computed once an analysis."""
    about = f"{study.fingerprint} {relation}"
    kept = session.while_shown("ledger-losses", about, dict[str, _Found])
    most = max(_FEWEST, _MOST_KEPT // max(study.dataset.people, 1))
    closely = _priciest(releases, most)
    for analysis in kept.keys() - closely:
        del kept[analysis]
    found: dict[str, _Found] = {}
    for release in releases:
        analysis = _analysis(release)
        if analysis in closely and analysis not in kept:
            kept[analysis] = _losses(release, study, relation)
        found[analysis] = kept.get(analysis) or (_worst(release), "")
    ids = " ".join(release.id for release in releases)
    both = [found[_analysis(release)] for release in releases]
    return LedgerLosses(
        releases=releases,
        losses=tuple(losses for losses, _ in both),
        notes=tuple(dict.fromkeys(note for _, note in both if note)),
        key=f"{about} {ids}",
        most=most,
    )


def change_counted(request: StatisticRequest, relation: NeighboringRelation) -> NeighboringRelation:
    """Return which change of a record losses are about, where ``relation`` is asked.

    Where a fixed number of people is drawn, there is no table with one person less.
    """
    if isinstance(request, Request):
        return relation
    if isinstance(request, SubsampledRequest) and request.people is None:
        return relation
    return request.query.relation


def _analysis(release: Release) -> str:
    return release.id.rpartition("-")[0]


def _priciest(releases: tuple[Release, ...], most: int) -> set[str]:
    costs = {_analysis(release): release.cost.epsilon for release in releases}
    return set(sorted(costs, key=costs.__getitem__, reverse=True)[:most])


def _worst(release: Release) -> ReleaseLosses:
    return ReleaseLosses(event=event_from(release.event))


def _losses(release: Release, study: Study, relation: NeighboringRelation) -> _Found:
    """Return everybody's losses, or the worst case where they are not known.

    With them, what to know of them; empty where they are exact.
    """
    note = ""
    if release.relation is not relation:
        note = f"{release.known_as} are its guarantee, which is for "
        note += study.terms.unit.change(release.relation)
    worst = _worst(release), note
    try:
        if is_model(release.request):
            return _of_model(release, study, relation) or worst
        return _of_statistic(release, study, relation) or worst
    except DPCoreError:
        return worst


def _of_statistic(release: Release, study: Study, relation: NeighboringRelation) -> _Found | None:
    unit = study.terms.unit
    request = request_from(release.request, study.dataset, draw=release.draw, called=unit)
    if isinstance(request, BootstrapRequest):
        multiple = event_from(release.event).parameter
        plan: Plan = request.planned(multiple)
    else:
        plan = request.plan
    if not _same_noise(plan.noise, release.noise):
        return None
    query: Question = request.query
    table = as_declared(request, study.in_memory)
    change = change_counted(request, relation)
    note = "" if change is relation else f"{release.known_as} {_OTHER_CHANGE}"
    values, rows = query.values(table), query.rows(table)
    people = study.dataset.people
    if isinstance(plan, SubsampledPlan):
        found = sampled_losses(
            plan, query.statistic, values, rows=rows, people=people, relation=change
        )
    else:
        found = release_losses(
            plan,
            query.statistic,
            values,
            rows=rows,
            people=people,
            relation=change,
            unit_rows=query.unit.rows,
        )
    return found, note


def _of_model(release: Release, study: Study, relation: NeighboringRelation) -> _Found | None:
    unit = study.terms.unit
    request = model_request_from(release.request, study.dataset, draw=release.draw, called=unit)
    if not _same_noise(request.plan.noise, release.noise):
        return None
    table = as_declared(request, study.in_memory)
    exposure = model_losses(
        request, request.question.fit(table), relation=relation, rows=request.question.rows(table)
    )
    losses = model_release_losses(
        request.plan.event, exposure, noise=request.plan.noise, people=study.dataset.people
    )
    note = exposure.note
    if exposure.error > 0:
        note = f"{note}; " if note else ""
        note += f"off by at most {percent(exposure.error)} in an audit by exact refits"
    return losses, f"{release.known_as}: {note}" if note else ""


def _same_noise(known: float, recorded: float) -> bool:
    """Tell whether this version would draw as the release was drawn."""
    return bool(np.isclose(known, recorded, rtol=_SAME_NOISE, atol=0))
