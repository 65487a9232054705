"""The released counts of the table in use, and which of them can be kept."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import streamlit as st

from dpcore.analyses.reading import is_model
from dpcore.errors import DataError
from dpcore.releases.record import Release
from dpcore.releases.renaming import request_of
from dpcore.synthesis import released_counts
from dpcore.synthesis.forest import Forest, plant
from dpcore.synthesis.released_counts import Counted
from ui import recovery, session
from ui.study import Study
from ui.text import literal


@dataclass(frozen=True, kw_only=True, eq=False)
class Sources:
    """Released counts. PUBLIC.

    Attributes:
        key: Names of the releases.
        forest: What is kept, and what is not.
        level: Confidence of the intervals of one question.

    """

    key: str
    forest: Forest
    level: float


def found(study: Study) -> Sources | None:
    """Return the released counts of the table in use; ``None`` if there are none."""
    releases: tuple[Release, ...] = ()
    with recovery.told():
        releases = session.ledger().releases(study.fingerprint)
    known: list[Counted] = []
    for release in releases:
        if is_model(release.request):
            continue
        with contextlib.suppress(DataError):
            request = request_of(release, study.dataset, study.terms.unit)
            counts = released_counts.read(release, request)
            if counts is not None:
                known.append(counts)
    if not known:
        return None
    levels = [one.intervals.level for one in releases if one.intervals is not None]
    return Sources(
        key=" ".join(release.id for release in releases), forest=plant(known), level=min(levels)
    )


def tell(sources: Sources) -> None:
    """Say which released counts the table keeps, and which it cannot."""
    forest = sources.forest
    st.markdown(
        "**Made from these released counts, and from nothing else:**\n\n"
        + "\n".join(f"- {literal(one.title)}" for one in forest.kept)
    )
    if forest.left_out:
        st.markdown(
            "Released, and not kept:\n\n"
            + "\n".join(f"- {literal(one.title)}: {why}" for one, why in forest.left_out)
        )
