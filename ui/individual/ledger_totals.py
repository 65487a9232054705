"""What each person has lost over all releases of the ledger. CONFIDENTIAL.

What every release in the ledger reveals about everybody. CONFIDENTIAL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Question, Request
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.label_rounds import LabelRoundsPlan
from dpcore.analyses.reading import (
    StatisticRequest,
    as_declared,
    is_model,
    model_request_from,
    request_from,
)
from dpcore.analyses.subsampled import SubsampledPlan, SubsampledRequest
from dpcore.arrays import FloatArray
from dpcore.errors import DPCoreError
from dpcore.figures.individual.people import LossReference, odometer_picture, totals_picture
from dpcore.formatting import epsilon_text, percent, rounded
from dpcore.individual.model_losses import model_losses
from dpcore.individual.person_totals import Counting, PersonTotals, gather, odometer, person_totals
from dpcore.individual.release_losses import (
    DrawnPlan,
    ReleaseLosses,
    model_release_losses,
    release_losses,
    sampled_losses,
)
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Release, charges, in_force
from ui import controls, layout, recovery, results, session
from ui.individual import one_person
from ui.individual.subject import AnySubject
from ui.study import Study
from ui.text import literal

_MOST = 10
_USUAL_DELTA = 1e-6
_TOP, _ROW = "the most exposed person", "a row of the table"


def show(subject: AnySubject, study: Study) -> None:
    """Show everybody's total over the ledger, and one person's odometer."""
    with recovery.told():
        _show(subject, study)


def _show(subject: AnySubject, study: Study) -> None:
    releases = in_force(session.ledger().releases(study.fingerprint))
    if not releases:
        st.info(_nothing(study))
        st.page_link("pages/release.py", label="Go to Release")
        return
    with st.spinner("Adding up everybody's losses …"):
        ledger = read(releases, study, subject.relation)
        gathered = session.while_shown(
            "gathered-losses",
            ledger.key,
            lambda: gather(ledger.losses, people=study.dataset.people),
        )
    delta, way = _ask(study)
    with st.spinner("Adding up everybody's losses …"):
        totals = session.while_shown(
            "person-totals", f"{ledger.key} {delta}", lambda: gathered.at(delta)
        )
    _uncounted(ledger)
    relation = subject.relation
    others = {release.relation for release in ledger.releases} - {relation}
    st.markdown(f"Losses here are **{relation.comparison}**.")
    if others:
        named = " and ".join(sorted(session.unit().change(other) for other in others))
        st.caption(
            f"The account was charged for {named}. That is another question: a part of "
            "the difference between charge and losses comes from it, and not from the "
            f"{session.unit().nouns}. Choose the same under “Compared with” above."
        )
    compared = LossReference(relation=relation, mixed=bool(others))
    ranking = _everybody(ledger, totals, way, study, compared)
    _one(ledger, totals, ranking, study, compared)
    with st.expander("How losses add up", key="totals-how"):
        _how(subject.relation)


def _ask(study: Study) -> tuple[float, Counting]:
    left, right = controls.row(2)
    budget = session.account(study).budget
    delta = left.delta(
        "δ of the totals",
        float(budget.delta or 0) or _USUAL_DELTA,
        (0.0, 0.1),
        key="totals-delta",
        note="Every total is an ε that goes with this δ. Gaussian noise has none at 0.",
    )
    way = right.selectbox(
        "Composition of losses",
        [Counting.BEST, *(way for way in Counting if way is not Counting.BEST)],
        key="totals-way",
        note="Each is a valid total of the same releases; the smallest is the best.",
    )
    return delta, way


_AT_WORST = " (counted at its worst case)"
"""Of a release whose part in a person's total is no loss of their own."""


def _uncounted(ledger: LedgerLosses) -> None:
    """Say which releases are counted at their worst case."""
    worst = {
        release.known_as
        for release, losses in zip(ledger.releases, ledger.losses, strict=True)
        if losses.own is None
    }
    if worst:
        names = ", ".join(sorted(worst))
        st.caption(
            literal(
                "Counted at the worst case for everybody, because each "
                f"{session.unit().noun}'s own "
                f"loss is not worked out here: {names}."
            )
        )
    if len(set(map(id, ledger.losses))) > ledger.most:
        st.caption(
            f"Of a table of this size the {ledger.most} costliest questions are looked "
            "at closely; beyond these everybody is counted at the worst case."
        )
    for note in ledger.notes:
        st.caption(literal(f"Losses of {note}."))


def _everybody(
    ledger: LedgerLosses, totals: PersonTotals, way: Counting, study: Study, compared: LossReference
) -> list[int]:
    """Show the distribution of totals; return the rows of the most exposed people."""
    losses = session.while_shown(
        "ranked-totals", f"{ledger.key} {totals.delta} {way}", lambda: totals.losses(way)
    )
    events = [event_from(release.event) for release in ledger.releases]
    worst = person_totals(
        [ReleaseLosses(event=event) for event in events], people=1, delta=totals.delta
    )
    account = session.account(study)
    charged = float(account.spent.epsilon)
    if len(account.fingerprints) > 1:
        st.caption(
            "The account was charged for all tables about these "
            f"{session.unit().nouns}. Here losses are computed for the table in use alone."
        )
    results.metrics(
        {
            "Account was charged": (
                f"ε = {epsilon_text(charged)}",
                "Public: the sum of the costs, for the worst case of each release.",
            ),
            "Largest total loss": (
                f"ε = {epsilon_text(losses.maximum)}",
                (
                    "Confidential: what all releases together can reveal about the one "
                    f"{session.unit().noun} of this table with the largest total."
                ),
            ),
            "Average total loss": (
                f"ε = {epsilon_text(losses.mean)}",
                (
                    f"Confidential: the losses of all {session.unit().nouns} of this table, "
                    "added up and "
                    "divided by their number."
                ),
            ),
        }
    )
    picture = totals_picture(
        losses,
        charged=charged,
        planned=float(worst.of[way][0]),
        compared=compared,
        unit=session.unit(),
    )
    results.show(picture, "person-totals")
    rows = [int(row) for row in losses.ranking(_MOST)]
    st.markdown("**Most exposed over the whole ledger**")
    results.table(
        {
            **one_person.who(np.array(rows, dtype=np.intp), study),
            "total epsilon": rounded(losses.epsilon[rows]),
            "most from": _costliest(ledger, rows, totals.delta),
        },
        column_config={"total epsilon": results.THREE_DIGITS},
        key="most-exposed-totals",
    )
    return rows


def _one(
    ledger: LedgerLosses,
    totals: PersonTotals,
    ranking: Sequence[int],
    study: Study,
    compared: LossReference,
) -> None:
    """Show one person's odometer."""
    st.markdown(f"**One {session.unit().noun}'s odometer**")
    left, right = controls.row(2)
    whom = left.radio(
        "Whose",
        [_TOP, _ROW],
        format_func=partial(one_person.with_noun, noun=session.unit().noun),
        key="odometer-whose",
        kept="page",
    )
    row = ranking[0]
    if whom == _ROW:
        count = study.dataset.people
        row = right.number(
            f"Row, from 1 to {count:,}",
            1,
            (1, count),
            key=f"odometer-row-{session.generation()}",
            kept="page",
        )
        row = int(row) - 1
    path = odometer(ledger.losses, row, delta=totals.delta)
    own = _alone(ledger, [row], totals.delta)[:, 0].tolist()
    picture = odometer_picture(
        path,
        titles=[release.known_as for release in ledger.releases],
        own=own,
        charges=[float(cost.epsilon) for cost in charges(ledger.releases)],
        compared=compared,
        unit=session.unit(),
    )
    results.show(picture, "odometer")
    layout.folded(
        f"This {session.unit().noun}'s total, by each composition",
        "odometer-ways-open",
        lambda: _four_ways(ledger, path[-1], row),
    )


def _four_ways(ledger: LedgerLosses, totals: PersonTotals, row: int) -> None:
    """List one person's total by every way of counting."""
    events = [losses.of(row) for losses in ledger.losses]
    with st.spinner("Composing the losses …"):
        pld = session.remember(
            "odometer-pld",
            f"{ledger.key} {totals.delta} {row}",
            lambda: compose(events, delta=totals.delta).pld,
        )
    ways = [(way.value, float(total[0])) for way, total in totals.of.items()]
    ways[-1] = ("the smallest of those above", ways[-1][1])
    ways.append(("for comparison, loss distributions convolved", pld))
    results.table(
        {
            "composition": [name for name, _ in ways],
            "total epsilon": [epsilon_text(value) for _, value in ways],
        },
        key="odometer-ways",
    )


def _alone(ledger: LedgerLosses, rows: Sequence[int], delta: float) -> FloatArray:
    """Return the epsilon of each release for some people, shape ``(r, people)``."""
    people = np.array(rows)
    epsilons = (losses.among(people).epsilon(delta) for losses in ledger.losses)
    return np.array([np.broadcast_to(one, len(rows)) for one in epsilons])


def _costliest(ledger: LedgerLosses, rows: Sequence[int], delta: float) -> list[str]:
    """Return the release that reveals most about each of some people."""
    places = np.argmax(_alone(ledger, rows, delta), axis=0).tolist()
    return [
        f"{place + 1}: {ledger.releases[place].known_as}"
        + (_AT_WORST if ledger.losses[place].own is None else "")
        for place in places
    ]


def _how(relation: NeighboringRelation) -> None:
    st.markdown(
        f"One {session.unit().noun}'s own loss from one release is about two tables only. "
        "Losses of several releases compose like guarantees. Their ε **add up**, and each "
        "Gaussian release gets an equal part of δ. **Advanced composition** gains from many "
        "small ones (Kairouz, Oh and Viswanath 2015). **zCDP** adds up each "
        f"{session.unit().noun}'s ρ and converts once. **Gaussian noise** composes exactly: "
        "the squares of shift over noise add up. The ε of other noise is added. All are "
        f"valid, so the smallest is. Of more than 50,000 {session.unit().nouns} a loss is "
        "rounded up by 0.05% at most.\n\n**From a secret sample** "
        f"{session.unit().indefinite} loses what their own change in the sample reveals, "
        "amplified. **From bootstraps** they lose what their own change by one copy reveals "
        "to somebody who knows how often they were drawn. It is never more than the "
        "guarantee. In convolutions of loss distributions, bootstraps count with the "
        "guarantee.\n\nThis describes the releases that were made. If a release was chosen "
        f"in view of earlier answers, the total of {session.unit().indefinite} is not a "
        "guarantee. The account is therefore charged the worst case. These totals must not "
        "decide who is left out of the next release. Each depends on everybody's records, so "
        f"leaving one {session.unit().noun} out would reveal something about the others.\n\n"
        + (
            "With another record instead of a removed one, each release is counted for "
            "the record that reveals most in it. No single record may do so in all of "
            "them. For a statistic the total is an upper bound; for a model the worst "
            "record is the worst that a search found, not proved.\n\n"
            if relation is NeighboringRelation.SUBSTITUTION
            else ""
        )
        + "Source: Y.-X. Wang, *Per-instance differential privacy*, 2019, section 2; "
        "V. Feldman and T. Zrnic, *Individual privacy accounting*, 2021."
    )


def _nothing(study: Study) -> str:
    """Say that there is no release to add up, and where there are some."""
    real = session.real_releases(study) if session.mode() is Mode.CLASSROOM else 0
    if real:
        plural = "" if real == 1 else "s"
        return f"Nothing in this lesson; the real ledger has {real} release{plural} (Live mode)."
    return (
        "Nothing has been released about this table yet. Release a number, and see "
        f"here what it cost each {session.unit().noun}."
    )


_SAME_NOISE = 1e-9
_MOST_KEPT = 20_000_000
_FEWEST = 10
_Found = tuple[ReleaseLosses, str]
_OTHER_CHANGE = (
    "compare with another record in place of the own one, because the number drawn is fixed"
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
    costs = {_analysis(release): release.cost.epsilon for release in releases}
    closely = set(sorted(costs, key=costs.__getitem__, reverse=True)[:most])
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
        plan: DrawnPlan = request.planned(multiple)
    else:
        plan = request.plan
    if not _same_noise(plan.noise, release.noise):
        return None
    query: Question = request.query
    table = as_declared(request, study.in_memory)
    change = change_counted(request, relation)
    note = "" if change is relation else f"{release.known_as} {_OTHER_CHANGE}"
    if isinstance(plan, LabelRoundsPlan):
        note = f"{release.known_as} are the guarantee for everybody with a label"
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
