"""Everybody's loss, from the guarantee down to single groups. CONFIDENTIAL.

What else can be read from losses is folded away: nothing in an expander is computed
before it is opened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.figures.individual import guarantees, people
from dpcore.figures.individual import one_person as published
from dpcore.formatting import epsilon_text, percent, rounded, significant
from dpcore.individual import generalization
from dpcore.individual.losses import ExposedPerson, GuaranteeLadder, Losses
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.loss_comparisons import BoundCheck, moment_curve
from ui import controls, layout, results, session
from ui.individual.subject import AnySubject, ModelSubject
from ui.study import Study
from ui.text import literal

_MOST = "Confidential: the largest of all losses in this table."
_AVERAGE = "Confidential: the average of all losses in this table."
REPLACED = (
    "The guarantee of this release is about adding or removing a record. Losses here are about "
    "replacing one, which can be as much as removing one and adding another. A loss above "
    "the guarantee is therefore no violation. Choose “the table without the record” above to "
    "compare losses with it."
)
REPLACED_NOT_PROMISED = (NeighboringRelation.SUBSTITUTION, NeighboringRelation.ADD_REMOVE)
_ORDERS = np.geomspace(1, 1000, 60)
_LARGEST = "most exposed"
_SLIDER = ("1", "2", "3", "5", "8", "12", "20", "50", "100", "200", "1000", _LARGEST)
OWN, OWN_LIMIT = "own epsilon", "own epsilon at most"
OWN_DIGITS = dict.fromkeys((OWN, OWN_LIMIT), results.THREE_DIGITS)
"""How the column of ``own`` is shown."""


def show(
    subject: AnySubject,
    study: Study,
    *,
    remarks: Callable[[], object],
    most_exposed: Callable[[], object],
    closer: Callable[[], object],
) -> None:
    """Show everybody's loss from a release.

    What is to be said of such losses, who is most exposed and why, and what else can be
    read from them differs from subject to subject.
    """
    losses, key = subject.exposure, subject.request.mechanism_key
    steps = GuaranteeLadder(
        guarantee=losses.worst_case,
        for_all=losses.for_all,
        certificate=losses.certificate,
        maximum=losses.maximum,
        mean=losses.mean,
        relation=subject.relation,
        promised=subject.guaranteed,
        upper=losses.upper,
        unit=session.unit(),
    )
    chain(steps, key=key)
    alike = (steps.relation, steps.promised) != REPLACED_NOT_PROMISED
    # A place of their own, so that what stands below keeps its own.
    with st.container():
        if not alike:
            st.info(REPLACED)
        remarks()
    picture = people.exposure_picture(losses, key=key, alike=alike, unit=session.unit())
    results.show(picture, "exposure")
    threshold = ask_threshold(losses.worst_case)
    share = percent(losses.exceeding(threshold)[0])
    tell_exceeding(share, threshold, losses.maximum)
    most_exposed()
    _groups(losses, study, rows=lambda: subject.rows(study), mechanism_key=key)
    closer()
    why_not_publish(subject.relation, model=isinstance(subject, ModelSubject))


def moments(subject: AnySubject, study: Study) -> None:
    """Offer the moments of the losses, folded away."""
    key = subject.request.mechanism_key
    layout.folded(
        f"From the average {session.unit().noun} to the most exposed: moments",
        "closer-moments",
        lambda: _moments(subject.exposure, subject.identity(study), key=key),
    )


def _groups(
    losses: Losses, study: Study, *, rows: Callable[[], NDArray[np.intp]], mechanism_key: str
) -> None:
    """Show who bears the loss, by a category; ``rows`` of the table are from 0."""
    name = ask_group(study)
    if name is None:
        return
    column = study.dataset.column(name)
    codes = study.in_memory.codes(column.name)[rows()]
    picture = people.groups_picture(
        losses.by_group(codes, column.labels),
        by=column.title,
        key=mechanism_key,
        unit=session.unit(),
    )
    results.show(picture, "groups")


def ask_group(study: Study) -> str | None:
    """Ask by which column groups are compared; ``None`` where by none."""
    if study.dataset.cap is not None:
        st.caption(f"Groups are compared only where each {session.unit().noun} has one row.")
        return None
    choices = [
        column.name
        for column in study.dataset.columns
        if not column.kind.is_numeric and column.labels
    ]
    if not choices:
        st.caption("Declare a yes/no or category column on “Data” to compare groups.")
        return None
    shown = [study.dataset.short(name) for name in choices]
    position = st.selectbox(
        "Compare groups by",
        range(len(choices)),
        index=None,
        format_func=shown.__getitem__,
        placeholder="a yes/no or category column",
        key=f"groups-{session.generation()}",
        persist_state="session",
    )
    return None if position is None else choices[position]


def why_not_publish(relation: NeighboringRelation, *, model: bool) -> None:
    """Say why these numbers stay with the curator."""
    told = (
        ""
        if relation is NeighboringRelation.SUBSTITUTION and not model
        else " Anyone who learns their own loss can often reconstruct the exact answer."
    )
    st.markdown(
        f"**None of this may be published**, not even the average: it has no guarantee.{told}"
    )


def ranks(most: Sequence[ExposedPerson]) -> list[int]:
    """Return the rank of each of the most exposed people: equal losses share a rank."""
    found = [1]
    for at, (before, person) in enumerate(pairwise(most), 2):
        tied = math.isclose(before.epsilon, person.epsilon)
        found.append(found[-1] if tied else at)
    return found


def own(losses: Losses, entries: Sequence[int]) -> dict[str, list[float]]:
    """Return the column of a list with the losses of some people, by its name."""
    name = OWN_LIMIT if losses.upper else OWN
    return {name: rounded(losses.epsilon[list(entries)], up=losses.upper)}


def chain(steps: GuaranteeLadder, *, key: str) -> None:
    """Show the chain of guarantees in numbers, and offer it as nested bars."""
    text, known = steps.anybody
    in_short(
        steps.guarantee,
        steps.maximum,
        steps.mean,
        {
            "Worst case, this table": (
                text,
                (
                    f"The largest loss of any {session.unit().noun} in this table or joining it. "
                    "It is a proved upper bound, or else a lower bound found by search."
                ),
                known or None,
            )
        },
        upper=steps.upper,
    )
    layout.folded(
        "All four side by side",
        "chain",
        lambda: results.show(guarantees.chain_picture(steps, key=key), "chain"),
    )


def in_short(
    guarantee: float,
    largest: float,
    average: float,
    between: Mapping[str, tuple[str | None, ...]] | None = None,
    *,
    upper: bool = False,
) -> None:
    """Show the guarantee, the largest and the average loss, and what is between."""
    below = "at most" if upper else None
    results.metrics(
        {
            "Guarantee (DP)": (
                epsilon_text(guarantee),
                (
                    "The guarantee: the largest loss over all tables and all "
                    f"{session.unit().nouns}."
                ),
            ),
            **(between or {}),
            "Largest loss here": (significant(largest, up=upper), _MOST, below),
            "Average loss here": (significant(average, up=upper), _AVERAGE, below),
        }
    )


def tell_exceeding(share: str, threshold: float, maximum: float) -> None:
    """Say what share of the units lose more than a number."""
    st.markdown(f"{people.exceeding_text(share, threshold, maximum=maximum, unit=session.unit())}.")


def ask_threshold(usual: float) -> float:
    """Ask for a loss that nobody should exceed."""
    return controls.HERE.number(
        "Threshold ε",
        # Widgets hold public numbers only: no loss stands in for a missing guarantee.
        round(usual / 2, 6) if np.isfinite(usual) else 1.0,
        (0.0, None),
        key=f"threshold-{session.generation()}",
        kept="session",
    )


def _moments(losses: Losses, analysis: str, *, key: str) -> None:
    """Show moments of the losses, with a slider for their order."""
    order = st.select_slider(
        "Order of the moment",
        _SLIDER,
        value="2",
        key="moment-order",
        bind="query-params",
        help=f"Order 1 is the average {session.unit().noun}; the higher, the more the "
        "most exposed "
        "count.",
    )
    curve = session.remember("moments", analysis, lambda: moment_curve(losses.ordered, _ORDERS))
    exact = np.inf if order == _LARGEST else float(order)
    at = (min(exact, float(_ORDERS[-1])), losses.moment(exact))
    if not np.isfinite(losses.maximum):
        st.info("One loss here is infinite, so every moment is infinite.")
        return
    picture = people.moments_picture(
        _ORDERS, curve, at=at, ends=(losses.mean, losses.maximum), key=key, unit=session.unit()
    )
    results.show(picture, "moments")
    if losses.maximum > 0:
        above = losses.maximum / 2
        limit = 1.0 if np.isinf(exact) else (at[1] / above) ** exact
        st.markdown(
            "A moment limits the number of large losses. By this one, at most "
            f"{percent(min(limit, 1.0))} of the {session.unit().nouns} lose "
            f"{significant(above)} or more, half of the largest loss. In fact it is "
            f"{percent(float(np.mean(losses.epsilon >= above)))}."
        )


def overfitting(losses: Losses, delta: float, variation: FloatArray | None) -> None:
    """Show the bound on overfitting that follows from small privacy losses."""
    if variation is None:
        st.info("Total variation distances are not computed for this kind of release.")
        return
    cells = st.columns(2)
    cells[0].metric(
        "Overfitting, by total variation",
        _gap_text(generalization.gap(variation)),
        help="Twice the average total variation distance between the laws with and "
        f"without {session.unit().indefinite}.",
    )
    form = generalization.exponential_gap(losses.epsilon, delta=delta)
    cells[1].metric(
        "The same, as published",
        _gap_text(form),
        help="The mean of e^(2 ε) − 1, plus terms in δ. A bound above 1 is trivial.",
    )
    gap = generalization.gap(variation)
    st.markdown(
        (
            "Take a model learned from this release, with an error between 0 and 1. Its expected "
            f"error on other {session.unit().nouns} of the population is larger than on the "
            f"table by about {significant(gap)} at most. "
            if gap <= 1
            else "Prediction errors between 0 and 1 cannot differ by more than 1, so this bound is "
            "trivial. "
        )
        + "The bound is *estimated* from this table, and is confidential."
    )


def _gap_text(gap: float) -> str:
    return significant(gap) if gap <= 1 else "trivial (above 1)"


def bounds(checks: Sequence[BoundCheck]) -> None:
    """Show published bounds over the exact losses."""
    results.show(published.checks_picture(checks), "bound-checks")
    worst = [check for check in checks if check.understated > 0]
    if worst:
        named = " and ".join(f"“{check.label}”" for check in worst)
        st.markdown(
            literal(
                f"{named} fall below an exact loss here. All pages use the exact privacy "
                "profile, never a bound."
            )
        )
