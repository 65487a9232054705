"""Everybody's loss, from the guarantee down to single groups. CONFIDENTIAL.

What else can be read from losses is folded away: nothing in an expander is computed
before it is opened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from dpcore.analyses.model import ModelRequest
from dpcore.analyses.reading import StatisticRequest
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.figures.individual import guarantees, people
from dpcore.figures.individual import one_person as published
from dpcore.formatting import epsilon_text, in_full, percent, rounded, significant
from dpcore.individual import generalization
from dpcore.individual.losses import ExposedPerson, GroupLosses, GuaranteeLadder, Losses
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.loss_comparisons import BoundCheck, moment_curve
from ui import controls, layout, results, session
from ui.individual.subject import AnySubject
from ui.study import Study
from ui.text import literal

_MOST = "Confidential: the largest of all losses in this table."
_AVERAGE = "Confidential: the average of all losses in this table."
_REPLACED = (
    "The guarantee of this release is about adding or removing a record. Losses here are about "
    "replacing one, which can be as much as removing one and adding another. A loss above "
    "the guarantee is therefore no violation. Choose “the table without the record” above to "
    "compare losses with it."
)
_REPLACED_NOT_PROMISED = (NeighboringRelation.SUBSTITUTION, NeighboringRelation.ADD_REMOVE)
_ORDERS = np.geomspace(1, 1000, 60)
_LARGEST = "most exposed"
_SLIDER = ("1", "2", "3", "5", "8", "12", "20", "50", "100", "200", "1000", _LARGEST)
_DIGITS = dict.fromkeys(
    (
        "leverage",
        "leverage without them",
        "pull",
        "residual",
        "moves the answer by",
        "moves the model by",
        "own epsilon",
        "own epsilon at most",
    ),
    results.THREE_DIGITS,
)
"""How columns of what decides a loss are shown."""


def show(
    losses: Losses,
    asked: StatisticRequest | ModelRequest,
    *,
    remarks: Callable[[], object],
    most_exposed: Callable[[], object],
    groups: Callable[[], object],
    closer: Callable[[], object],
) -> None:
    """Show everybody's loss from a release, exact or counted.

    What is to be said of such losses, who is most exposed and why, how groups compare and
    what else can be read from them differs from release to release.
    """
    _guarantees(losses, asked)
    # A place of their own, so that what stands below keeps its own.
    with st.container():
        if (losses.relation, asked.relation) == _REPLACED_NOT_PROMISED:
            st.info(_REPLACED)
        remarks()
    draw = people.counted_picture if losses.counted else people.exposure_picture
    alike = losses.relation is asked.relation
    picture = draw(losses, key=asked.mechanism_key, alike=alike, unit=session.unit())
    results.show(picture, "exposure")
    _exceeding(losses)
    st.markdown("**Most exposed**")
    most_exposed()
    groups()
    closer()
    why = "**None of this may be published**, not even the average: it has no guarantee."
    model = isinstance(asked, ModelRequest)
    if model or losses.relation is not NeighboringRelation.SUBSTITUTION:
        why += " Anyone who learns their own loss can often reconstruct the exact answer."
    st.markdown(why)


def loss_text(called: str, epsilon: float, delta: float, *, upper: bool = False) -> str:
    """Return what somebody loses, without a full stop."""
    at = f" at δ = {in_full(delta)}" if delta else ""
    limit = "at most " if upper else ""
    return f"{called}: own privacy loss {limit}ε = {epsilon_text(epsilon)}{at}"


def moments(subject: AnySubject, study: Study) -> None:
    """Offer the moments of the losses, folded away."""
    layout.folded(
        f"From the average {session.unit().noun} to the most exposed: moments",
        "closer-moments",
        partial(
            _moments, subject.exposure, subject.identity(study), key=subject.request.mechanism_key
        ),
    )


def groups(subject: AnySubject, study: Study) -> None:
    """Show who bears the loss, by a category that is chosen."""
    column = ask_group(study)
    if column is not None:
        codes = study.in_memory.codes(column.name)[subject.rows(study)]
        losses = subject.exposure.by_group(codes, column.labels)
        show_groups(losses, column, subject.request.mechanism_key)


def show_groups(losses: Sequence[GroupLosses], by: Column, key: str) -> None:
    """Draw the losses of the groups of a column."""
    picture = people.groups_picture(losses, by=by.title, key=key, unit=session.unit())
    results.show(picture, "groups")


def ask_group(study: Study) -> Column | None:
    """Ask by which column groups are compared; ``None`` where by none."""
    if study.dataset.cap is not None:
        st.caption(f"Groups are compared only where each {session.unit().noun} has one row.")
        return None
    choices = [
        column for column in study.dataset.columns if not column.kind.is_numeric and column.labels
    ]
    if not choices:
        st.caption("Declare a yes/no or category column on “Data” to compare groups.")
        return None
    shown = [study.dataset.short(column.name) for column in choices]
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


def ranks(most: Sequence[ExposedPerson]) -> list[int]:
    """Return the rank of each of the most exposed people: equal losses share a rank."""
    found = [1]
    for at, (before, person) in enumerate(pairwise(most), 2):
        found.append(found[-1] if math.isclose(before.epsilon, person.epsilon) else at)
    return found


def list_people(
    listed: Sequence[ExposedPerson],
    *columns: Mapping[str, Any],
    upper: bool,
    ranked: bool = True,
    key: str = "most-exposed",
) -> None:
    """List people who lose most: what is in the columns of each, and the loss."""
    table: dict[str, Any] = {"rank": ranks(listed)} if ranked else {}
    for each in columns:
        table |= each
    own = rounded([person.epsilon for person in listed])
    table["own epsilon at most" if upper else "own epsilon"] = own
    results.table(table, column_config=_DIGITS, key=key)


def _guarantees(losses: Losses, asked: StatisticRequest | ModelRequest) -> None:
    """Show the chain of guarantees in numbers, and offer it as nested bars."""
    steps = GuaranteeLadder(
        guarantee=losses.worst_case,
        for_all=losses.for_all,
        certificate=losses.certificate,
        maximum=losses.maximum,
        mean=losses.mean,
        relation=losses.relation,
        promised=asked.relation,
        upper=losses.upper,
        unit=session.unit(),
    )
    below = "at most" if losses.upper else None
    numbers: dict[str, tuple[str | None, ...]] = {
        "Guarantee (DP)": (
            epsilon_text(steps.guarantee),
            f"The guarantee: the largest loss over all tables and all {session.unit().nouns}.",
        )
    }
    searched = not math.isnan(steps.for_all)
    if searched:
        text, known = steps.anybody
        numbers["Worst case, this table"] = (
            text,
            (
                f"The largest loss of any {session.unit().noun} in this table or joining it. "
                "It is a proved upper bound, or else a lower bound found by search."
            ),
            known or None,
        )
    numbers["Largest loss here"] = (epsilon_text(steps.maximum), _MOST, below)
    numbers["Average loss here"] = (epsilon_text(steps.mean), _AVERAGE, below)
    results.metrics(numbers)
    if searched:
        picture = partial(guarantees.chain_picture, steps, key=asked.mechanism_key)
        layout.folded("All four side by side", "chain", lambda: results.show(picture(), "chain"))


def _exceeding(losses: Losses) -> None:
    """Ask for a loss that nobody should exceed, and say what share of the units do."""
    usual = losses.worst_case
    limit = controls.HERE.number(
        "Threshold ε",
        # Widgets hold public numbers only: no loss stands in for a missing guarantee.
        round(usual / 2, 6) if np.isfinite(usual) else 1.0,
        (0.0, None),
        key=f"threshold-{session.generation()}",
        kept="session",
    )
    least, most = (percent(share) for share in losses.exceeding(limit))
    share = least if least == most else f"Between {least} and {most}"
    told = people.exceeding_text(share, limit, maximum=losses.maximum, unit=session.unit())
    st.markdown(f"{told}.")


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
            f"{epsilon_text(above)} or more, half of the largest loss. In fact it is "
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
    cells[1].metric(
        "The same, as published",
        _gap_text(generalization.exponential_gap(losses.epsilon, delta=delta)),
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
