"""The parts of the page of Study 1. Everything on it is simulated: nobody's data."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.figures.covariances.covariance_study import panel_picture
from dpcore.figures.wording import epsilon_text, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.releases.record import Mode
from dpcore.studies.covariances.covariance_design import STATISTICS
from dpcore.studies.covariances.covariance_findings import findings
from dpcore.studies.covariances.covariance_study import run
from dpcore.studies.covariances.covariance_table import costs, numbers
from dpcore.studies.covariances.covariance_verdicts import Verdict
from ui import results, session
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpcore.studies.covariances.covariance_design import Design
    from dpcore.studies.covariances.covariance_study import Outcome

_SLOT = "study-1"
_NUMBER, _SEED = "_s1_run", "_s1_seed"
_STOPPED = "_s1_stopped"
_AT_FIRST, _PATIENCE = 1.0, 0.4
_PAUSE = 0.1
_MARKS = {
    Verdict.HOLDS: ":material/check:",
    Verdict.FAILS: ":material/close:",
    Verdict.DEPENDS: ":material/rule:",
    Verdict.UNSEEN: ":material/visibility_off:",
}


@dataclass(slots=True, kw_only=True)
class Progress:
    """A run of the study that may still be going on.

    Attributes:
        design: What is run.
        number: Which run of this tab it is.
        outcomes: What it has given so far.

    """

    design: Design
    number: int
    outcomes: list[Outcome] = field(default_factory=list)
    _pending: Iterator[Outcome]

    @property
    def share(self) -> float:
        """Return how much of the run is done."""
        return len(self.outcomes) / len(self.design.scenarios)

    def go_on(self, seconds: float) -> None:
        """Run scenarios for about that long."""
        end = time.monotonic() + seconds
        while self.share < 1 and time.monotonic() < end:
            self.outcomes.append(next(self._pending))


def progress(asked: Design, seed: int) -> Progress:
    """Return the latest run once it is finished or stopped; show how far it is.

    While it goes on, the page ends here. A run proceeds in pieces of a part of a second
    each, between which the button to stop it is heard.
    """
    st.button("Run the study", type="primary", on_click=_run_again, key="s1-run")
    number = _noted(_NUMBER)
    current = session.remember(_SLOT, str(number), lambda: _begin(asked, seed, number))
    if not current.outcomes:
        current.go_on(_AT_FIRST)
    if not _is_over(current):
        st.fragment(_go_on, run_every=_PAUSE)(current)
        st.stop()
    if current.share < 1:
        st.warning(
            f"Stopped after {len(current.outcomes)} of "
            f"{len(current.design.scenarios)} settings. What is shown below is theirs."
        )
    # Always there: an element more would move all others, to be drawn anew.
    hint = st.empty()
    if asked != current.design or seed != session.public(_SEED):
        hint.info("The settings have changed since this run. Run the study to see it.")
    return current


@st.fragment
def panels(current: Progress) -> None:
    """Show means and percentiles of the four statistics, for one correlation."""
    design = current.design
    chosen = st.radio(
        "True correlation",
        list(design.correlations),
        index=design.correlations.index(max(design.correlations, key=abs)),
        format_func=lambda rho: f"{rho:g}",
        horizontal=True,
        key=f"s1-correlation-{current.number}",
    )
    outcomes = [o for o in current.outcomes if o.scenario.correlation == chosen]
    if not outcomes:
        st.info("The run was stopped before it came to this correlation.")
        return
    st.caption(
        f"Thin bars hold 95 % of the releases, thick ones half. Dots are means over "
        f"{design.repetitions:,} releases, lines the exact means. Published and "
        "calibrated are the two kinds of truncation."
    )
    pairs = {"Variances": STATISTICS[:2], "Covariance and correlation": STATISTICS[2:]}
    tabs = st.tabs(list(pairs), key="s1-panels", bind="query-params")
    for tab, names in zip(tabs, pairs.values(), strict=True):
        if not tab.open:
            continue
        for cell, name in zip(tab.columns(2), names, strict=True):
            with cell:
                picture = panel_picture(outcomes, name, watermark=_watermark())
                results.show(picture, f"s1-{name}")


def cost(current: Progress) -> None:
    """Say what a release of the matrix really costs."""
    table = costs(current.design)
    nominal = current.design.epsilon
    worst = table.groupby("mechanism", sort=False)["real epsilon"].max()
    for cell, (label, level) in zip(st.columns(len(worst)), worst.items(), strict=True):
        cell.metric(
            str(label),
            f"ε {epsilon_text(level)}",
            help=f"What {label} really reveals at most, for {nominal:g} asked for.",
        )
    published = CATALOG["truncated-published"].label
    if published in worst:
        mine = table[table["mechanism"] == published]
        low, high = mine["first variance"].min(), mine["first variance"].max()
        st.markdown(
            f"Truncation as published spends up to ε "
            f"{epsilon_text(float(worst[published]))} where {nominal:g} is claimed: a "
            f"variance alone costs {significant(float(low), 4)} to "
            f"{significant(float(high), 4)} instead of its share of "
            f"{significant(current.design.release('bit', 2).epsilons[0])}. How often a "
            "draw is thrown away depends on the secret. BIT clamps instead, which "
            "costs nothing; calibrated truncation adds the noise that is missing."
        )
    with st.expander("What each step costs", key="s1-costs"):
        st.dataframe(table, hide_index=True, key="s1-cost-table")


def verdicts(current: Progress) -> None:
    """Hold what the original said against this run."""
    found = findings(current.design, current.outcomes)
    st.markdown(
        "\n".join(
            f"- {_MARKS[one.verdict]} **{one.verdict}.** "
            f"{literal(one.claim)} {literal(one.evidence)}"
            for one in found
        )
    )


def download(outcomes: Sequence[Outcome]) -> None:
    """Offer the numbers as a file."""
    prefix = "classroom-" if _watermark() else ""
    st.download_button(
        "Download the numbers (CSV)",
        numbers(outcomes).to_csv(index=False),
        file_name=f"{prefix}study-1-covariances.csv",
        mime="text/csv",
        key="s1-download",
        on_click="ignore",
    )
    st.caption("Simulated from the settings above. Public: no table was used.")


def _begin(asked: Design, seed: int, number: int) -> Progress:
    session.set_public(_SEED, seed)
    rng = np.random.default_rng(seed)
    return Progress(design=asked, number=number, _pending=run(asked, rng))


def _go_on(current: Progress) -> None:
    """Show how far the run is, and take it a piece further."""
    done, every = len(current.outcomes), len(current.design.scenarios)
    st.progress(
        current.share,
        text=f"{done} of {every} settings done, "
        f"{current.design.repetitions:,} releases each",
    )
    st.button("Stop", on_click=_stop, key="s1-stop")
    if not _is_over(current):
        current.go_on(_PATIENCE)
    if _is_over(current):
        st.rerun()


def _is_over(current: Progress) -> bool:
    return current.share == 1 or session.public(_STOPPED) == current.number


def _run_again() -> None:
    session.set_public(_NUMBER, _noted(_NUMBER) + 1)


def _stop() -> None:
    session.set_public(_STOPPED, _noted(_NUMBER))


def _noted(name: str) -> int:
    number = session.public(name)
    return number if isinstance(number, int) else 0


def _watermark() -> bool:
    return session.mode() is Mode.CLASSROOM
