"""What to know of losses from a statistic. CONFIDENTIAL, as the page is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.relations import NeighboringRelation

if TYPE_CHECKING:
    from dpcore.individual.exposure import Exposure
    from dpcore.releases.request import Request

_ALIKE = 0.5
_SAID = {
    "laplace": "Laplace noise: a person's loss is how far they move the answer, over "
    "the scale of the noise. Clamping the noisy answer (BIT) would not change it.",
    "bit": "BIT (clamping) changes nobody's loss while the answers with and without "
    "them lie within the bounds: what is moved to a bound is moved without looking at "
    "the table.",
    "truncated-published": "Truncation (redrawing), as published, has the noise of "
    "Laplace and raises losses: how often a draw is thrown away depends on the secret "
    "answer. Its guarantee is larger than the ε it claims for the same reason.",
    "truncated": "Truncation (redrawing), calibrated, adds more noise first, because "
    "how often a draw is thrown away depends on the secret answer. With that noise its "
    "guarantee is the ε you chose.",
}


def tell(asked: Request) -> None:
    """Say it in a line, for mechanisms of which something is to be said."""
    if asked.query.kind.of_ranks or asked.query.kind.of_matrix:
        return
    said = _SAID.get(asked.mechanism_key)
    if said:
        st.caption(said)


def why_not_publish(relation: NeighboringRelation, *, model: bool = False) -> None:
    """Say why these numbers stay with the curator."""
    told = (
        "Compared with another record, a person's loss often depends on their own "
        "value and the public bounds alone, but the average, the picture and the list "
        "above still read everybody's values"
        if relation is NeighboringRelation.SUBSTITUTION and not model
        else "Each number here is a function of everybody's records: who is told their "
        "own loss can often solve for the exact answer"
    )
    st.markdown(
        f"**Why none of this may be published.** {told}. Even the average or a picture "
        "of losses has no privacy guarantee."
    )


def alike(exposure: Exposure) -> None:
    """Say why losses are so much alike compared with another record."""
    st.caption(
        "Compared with another record, everybody could have been at the far bound, so "
        "losses lie close together whoever a person is. Choose “the person had not "
        "been there” above, or a regression model, to see who stands out."
        if exposure.mean > _ALIKE * exposure.worst_case
        else "Compared with another record, each loss counts the farthest value that "
        "the bounds allow."
    )
