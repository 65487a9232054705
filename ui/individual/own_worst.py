"""What a person of some value can lose at most, whoever else is there. Public."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.individual.own_worst import own_worst_shift
from dpcore.individual.release_losses import ReleaseLosses
from dpcore.privacy.events import GaussianEvent, LaplaceEvent
from dpcore.statistics.query import Query
from dpcore.wording import epsilon_text
from ui import controls, session

if TYPE_CHECKING:
    from dpcore.releases.request import Request


def show(request: Request) -> None:
    """Ask for a value, and say what its owner may be told of this release."""
    query = request.query
    bounds = query.column.bounds
    if not isinstance(query, Query) or bounds is None or query.unit.rows > 1:
        return
    value = controls.number(
        st,
        "The most that a person of this value can lose, whoever else is there",
        bounds.lower,
        (bounds.lower, bounds.upper),
        key=f"own-value-{session.generation()}-{bounds.lower:g}-{bounds.upper:g}",
        kept="page",
        note="Any value within the public bounds: no record is looked up.",
    )
    shift = own_worst_shift(
        query.kind,
        float(value),
        bounds=bounds,
        size=query.size,
        relation=query.relation,
    )
    plan, guarantee = request.plan, request.real_epsilon
    event = plan.event
    if shift is None or not isinstance(event, LaplaceEvent | GaussianEvent):
        st.caption(
            "For this question there is nothing sharper to tell than the guarantee: ε "
            f"{epsilon_text(guarantee)}."
        )
        return
    losses = ReleaseLosses(event=event, own=np.array([shift / plan.noise]))
    (told,) = np.atleast_1d(losses.epsilon(request.used_delta))
    st.markdown(
        f"They may be told ε **{epsilon_text(min(float(told), guarantee))}**; the "
        f"guarantee for everybody is {epsilon_text(guarantee)}."
    )
