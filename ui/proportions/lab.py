"""Study 2: closer looks at one vector, at trees, and at intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.figures.proportions.lab import prices_picture, simplex_picture, tree_picture
from dpcore.studies.proportions.lab import Point, clouds, merged, prices
from ui import controls, results, session

if TYPE_CHECKING:
    from dpcore.figures.proportions.study import View
    from dpcore.studies.proportions.design import Design

_LOOKS = ["one vector, many releases", "trees of many cells", "intervals"]
_CORNERS = 3
_RELEASES, _DRAWS, _SEED = 200, 4000, 1
_SETS = (2, 3, 5, 10, 20)


@st.fragment
def show(design: Design, view: View) -> None:
    """Show the look that is chosen, at the ε and mechanism of the figures above."""
    first, second, third = st.columns(3)
    look = first.selectbox("Look at", _LOOKS, key="study2-look", bind="query-params")
    if look == _LOOKS[1]:
        leaves = second.select_slider(
            "Cells", [4, 8, 16, 32, 64, 128], 32, key="study2-leaves"
        )
        branching = controls.number(
            third, "Children of a node", 2, (2, 8), key="study2-branching", kept="page"
        )
        results.show(tree_picture(leaves, branching), "tree", simulated=True)
        st.markdown(
            "A tree releases sums as well, and pays with more noise on each layer. "
            "That is worth it only where many cells would otherwise be added up: a "
            "binary tree of four cannot win, whatever the data."
        )
        return
    people = second.selectbox(
        "Number of people",
        design.people,
        key="study2-lab-people",
        persist_state="session",
    )
    point = Point(mechanism=view.mechanism, epsilon=view.epsilon, people=people)
    rng = np.random.default_rng(_SEED)
    if look == _LOOKS[2]:
        share = design.shares[0]
        found = session.remember(
            "study2-prices",
            f"{share} {point}",
            lambda: prices(share, point, sets=_SETS, draws=_DRAWS, rng=rng),
        )
        results.show(prices_picture(found), "prices", simulated=True)
        st.markdown(
            f"Intervals around p1 = {design.shares[0]:g} alone, over {_DRAWS:,} "
            "samples, cut to [0, 1]. The mean of m sets has m times the noise variance "
            "of one release with the whole ε: splitting the budget buys what the "
            "public scale tells for nothing. With many sets every release is so noisy "
            "that the bounds pull it to the middle, and averaging keeps that bias. "
            "Test inversion keeps every proportion that the release does not "
            "contradict."
        )
    elif len(design.shares) < _CORNERS:
        st.info("A triangle needs three cells or more.")
    else:
        shares = merged(design.shares)
        last = len(design.shares)
        names = ("p1", "p2" if last == _CORNERS else "others", f"p{last}")
        drawn = clouds(shares, point, draws=_RELEASES, rng=rng)
        picture = simplex_picture(drawn, shares, names)
        results.show(picture, "simplex", simulated=True)
        st.markdown(
            "Each dot is one release of the same three shares; the diamond is the "
            "truth. A corner means that everybody is in that cell, an edge that a "
            f"cell is empty. All four give ε {view.epsilon:g} by their claim."
        )
