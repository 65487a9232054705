"""Showing results: figures with their twins, and the badges of what may leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.figures.wording import significant
from dpcore.releases.record import Mode
from dpcore.releases.table import to_csv
from ui import session
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.figures.theme import Picture
    from dpcore.releases.record import Release

_CHART = {
    "displaylogo": False,
    "displayModeBar": False,
    "toImageButtonOptions": {"format": "svg"},
}

THREE_DIGITS = st.column_config.NumberColumn(format="%.3g")
"""How a column of a table is shown whose numbers may be large or small."""
_MEDIUM = st.column_config.TextColumn(width="medium")


def show(picture: Picture, key: str) -> None:
    """Show a figure under its takeaway, with its twins in words and numbers."""
    st.markdown(f"**{literal(picture.title)}**")
    st.plotly_chart(picture.figure, key=f"figure-{key}", alt=picture.alt, config=_CHART)
    # Filled only once it is opened: most are not, and a control must answer quickly.
    twin = st.expander(
        "The same in words and numbers", key=f"twin-{key}", on_change="rerun"
    )
    if twin.open:
        twin.markdown(literal(picture.alt))
        twin.dataframe(picture.table, hide_index=True, key=f"table-{key}")


def public_badge() -> None:
    """Mark what stands next as public, or as a classroom exercise."""
    if session.mode() is Mode.CLASSROOM:
        st.badge(
            "Classroom: not a private release", icon=":material/school:", color="gray"
        )
    else:
        st.badge("Public: sanitized, may leave", icon=":material/public:", color="blue")


def downloads(releases: Sequence[Release], key: str) -> None:
    """Offer releases as files. Nothing else can be downloaded."""
    prefix = "classroom-" if session.mode() is Mode.CLASSROOM else ""
    left, right = st.columns(2)
    text = (
        releases[0].to_json()
        if len(releases) == 1
        else "[" + ",\n".join(release.to_json() for release in releases) + "]"
    )
    left.download_button(
        "Download JSON",
        text,
        file_name=f"{prefix}release.json",
        mime="application/json",
        key=f"json-{key}",
        on_click="ignore",
    )
    right.download_button(
        "Download CSV",
        to_csv(releases),
        file_name=f"{prefix}release.csv",
        mime="text/csv",
        key=f"csv-{key}",
        on_click="ignore",
    )


def listing(releases: Sequence[Release]) -> None:
    """List releases, newest first, with their mechanism and real cost."""
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "what": release.title,
                    "answer": _joined(release),
                    "ε": f"{release.cost.epsilon:.6g}",
                    "δ": f"{release.cost.delta:.3g}",
                    "ρ": significant(float(release.cost.rho), up=True),
                    "mechanism": release.mechanism_label,
                    "draw": release.draw,
                    "when (UTC)": release.created[:19].replace("T", " "),
                }
                for release in reversed(releases)
            ]
        ),
        # So that long answers leave room for what they cost.
        column_config={"what": _MEDIUM, "answer": _MEDIUM},
        hide_index=True,
        key="releases",
    )


def _joined(release: Release) -> str:
    values, labels = release.values, release.labels  # noqa: PD011 - no frame
    if len(values) == 1:
        return significant(values[0], 6)
    named = zip(labels, values, strict=True)
    return ", ".join(f"{label}: {significant(value, 4)}" for label, value in named)
