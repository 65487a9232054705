"""Showing results: figures with their twins, and the badges of what may leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.figures.wording import significant
from dpcore.releases.record import Mode
from dpcore.releases.table import to_csv
from ui import session
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.delta_generator import DeltaGenerator

    from dpcore.figures.theme import Picture
    from dpcore.releases.record import Release

_CHART = {
    "displaylogo": False,
    "displayModeBar": False,
    "toImageButtonOptions": {"format": "svg"},
}

THREE_DIGITS = st.column_config.NumberColumn(format="%.3g")
"""How a column of a table is shown whose numbers may be large or small."""
_SIX_DIGITS = st.column_config.NumberColumn(format="%.6g")
_ENDLESS = st.column_config.TextColumn(help="∞: the release has no bound in ρ.")
_NARROW = 3
_MOST_NUMBERS = 200
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
        _table(twin, picture.table, key=f"table-{key}")


def _table(place: DeltaGenerator, table: pd.DataFrame, key: str) -> None:
    """Show a table with digits enough to tell its rows apart, and ∞ as such."""
    names = [str(name) for name in table.columns]
    numbers = [name for name in names if table[name].dtype.kind == "f"]
    endless = [name for name in numbers if np.isinf(table[name]).any()]
    shown = table.copy()
    for name in endless:
        shown[name] = [significant(number, 6) for number in table[name]]
    place.dataframe(
        shown,
        column_config={name: _SIX_DIGITS for name in numbers if name not in endless},
        hide_index=True,
        key=key,
    )
    if len(names) > _NARROW:
        place.caption(f"{len(names)} columns; scroll sideways to see all.")


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
                    "ε": f"{release.cost.epsilon:.6g}",
                    "answer": _joined(release),
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
        column_config={"what": _MEDIUM, "answer": _MEDIUM, "ρ": _ENDLESS},
        hide_index=True,
        key="releases",
    )
    whole = st.expander("All numbers of one release", key="whole", on_change="rerun")
    if whole.open:
        with whole:
            _whole(releases)


def _whole(releases: Sequence[Release]) -> None:
    """Show one release in full, wrapped, with its files."""
    known = {release.id: release for release in reversed(releases)}
    chosen = st.selectbox(
        "Release", list(known), format_func=lambda name: _named(known[name])
    )
    release = known[chosen]
    pairs = list(zip(release.labels, release.values, strict=True))
    pairs += release.derived.items()
    st.markdown(
        " · ".join(
            f"{literal(label)}: **{significant(value, 6)}**"
            for label, value in pairs[:_MOST_NUMBERS]
        )
        + (f" {literal(release.unit)}" if release.unit else "")
    )
    if len(pairs) > _MOST_NUMBERS:
        st.caption(
            f"The first {_MOST_NUMBERS} of {len(pairs):,}; all are in the files."
        )
    st.caption(
        f"Cost: ε {significant(float(release.cost.epsilon), 6, up=True)}, δ "
        f"{significant(float(release.cost.delta), up=True)}, ρ "
        f"{significant(float(release.cost.rho), up=True)}. "
        f"{literal(release.mechanism_label)}, draw {release.draw}."
    )
    downloads([release], "one")


def _named(release: Release) -> str:
    when = release.created[:19].replace("T", " ")
    return f"{release.title}, draw {release.draw}, {when} UTC"


def _joined(release: Release) -> str:
    values, labels = release.values, release.labels  # noqa: PD011 - no frame
    if len(values) == 1:
        return significant(values[0], 6)
    named = zip(labels, values, strict=True)
    return ", ".join(f"{label}: {significant(value, 4)}" for label, value in named)
