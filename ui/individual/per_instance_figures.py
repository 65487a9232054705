"""The parts of the page of Figures 1 and 2. Everything on it is simulated."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import streamlit as st

from dpcore.figures.individual import per_instance_figures as figures
from dpcore.figures.wording import epsilon_text, significant
from dpcore.releases.record import Mode
from dpcore.studies.covariances.covariance_verdicts import Verdict
from dpcore.studies.individual.per_instance_run import (
    Pane,
    Part,
    findings,
    numbers,
    of_pane,
    run,
)
from ui import results, session
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpcore.studies.individual.per_instance_figures import NestedLosses
    from dpcore.studies.individual.per_instance_run import Design

_SLOT = "figures-1-2"
_NUMBER, _STOPPED = "_f12_run", "_f12_stopped"
_AT_FIRST, _PATIENCE = 2.0, 0.4
_PAUSE = 0.1
_MARKS = {
    Verdict.HOLDS: ":material/check:",
    Verdict.FAILS: ":material/close:",
    Verdict.DEPENDS: ":material/rule:",
    Verdict.UNSEEN: ":material/visibility_off:",
}


@dataclass(slots=True, kw_only=True)
class Progress:
    """A run that may still be going on.

    Attributes:
        design: What is simulated.
        number: Which run of this tab it is.
        parts: What it has given so far.

    """

    design: Design
    number: int
    parts: list[Part] = field(default_factory=list)
    _pending: Iterator[Part]

    @property
    def share(self) -> float:
        """Return how much of the run is done."""
        return len(self.parts) / self.design.parts

    @property
    def over(self) -> bool:
        """Tell whether it is finished or was stopped."""
        return self.share == 1 or session.public(_STOPPED) == self.number

    def go_on(self, seconds: float) -> None:
        """Compute parts for about that long."""
        end = time.monotonic() + seconds
        while self.share < 1 and time.monotonic() < end:
            self.parts.append(next(self._pending))


def progress(asked: Design) -> Progress:
    """Return the latest run once it is finished or stopped; show how far it is.

    While it goes on, the page ends here; between its pieces the button to stop it is
    heard.
    """
    st.button("Run the simulation", type="primary", on_click=_run_again, key="f12-run")
    number = _noted(_NUMBER)
    current = session.remember(_SLOT, str(number), lambda: _begin(asked, number))
    if not current.parts:
        current.go_on(_AT_FIRST)
    if not current.over:
        st.fragment(_go_on, run_every=_PAUSE)(current)
        st.stop()
    if current.share < 1:
        st.warning(
            f"Stopped after {len(current.parts)} of {current.design.parts} tables. "
            "What is shown below is theirs."
        )
    hint = st.empty()
    if asked != current.design:
        hint.info("The settings have changed since this run. Run it again to see it.")
    return current


def first(current: Progress) -> None:
    """Show Figure 1 with its two factors."""
    mine = of_pane(current.parts, Pane.NESTED)
    losses = cast("NestedLosses", mine[0].losses)
    cells = st.columns(4)
    cells[0].metric("DP over anybody", f"{significant(losses.times_for_all)} ×")
    cells[1].metric(
        "DP over most exposed",
        f"{significant(losses.times_in_table)} ×",
        help="The most exposed person in the table.",
    )
    cells[2].metric("DP over average", f"{significant(losses.times_on_average)} ×")
    cells[3].metric(
        "Noise σ",
        significant(losses.sigma),
        help="Standard deviation of the noise on each coefficient.",
    )
    results.show(figures.nested_picture(losses, watermark=_watermark()), "f12-first")
    st.caption(
        "“Found” is the most that a search over all possible newcomers comes to, “at "
        "most” what is proved of them: the truth lies between."
    )


def second(current: Progress) -> None:
    """Show both panes of Figure 2, the open one."""
    left, right = st.tabs(
        ["Noise on the coefficients", "One posterior sample"],
        key="f12-pane",
        bind="query-params",
    )
    panes = {
        Pane.BY_SIZE: (left, figures.sizes_picture),
        Pane.BY_PRECISION: (right, figures.precision_picture),
    }
    for pane, (tab, picture) in panes.items():
        if not tab.open:
            continue
        with tab:
            mine = of_pane(current.parts, pane)
            if mine:
                key = f"f12-{pane.name.lower()}"
                results.show(picture(mine, watermark=_watermark()), key)
            else:
                st.info("The run was stopped before it came to this picture.")


def verdicts(current: Progress) -> None:
    """Hold what the text says against this run."""
    st.markdown(
        "\n".join(
            f"- {_MARKS[one.verdict]} **{one.verdict}.** "
            f"{literal(one.claim)} {literal(one.evidence)}"
            for one in findings(current.parts)
        )
    )


def download(current: Progress) -> None:
    """Offer the numbers as a file."""
    st.download_button(
        "Download the numbers (CSV)",
        numbers(current.parts).to_csv(index=False),
        file_name=f"{'classroom-' if _watermark() else ''}figures-1-2.csv",
        mime="text/csv",
        key="f12-download",
        on_click="ignore",
    )
    st.caption("Simulated from the settings above. Public: no table was used.")


def details(current: Progress) -> None:
    """Say what is simulated, and what was reconstructed."""
    simulation = current.design.simulation
    st.markdown(
        "A linear regression with a ridge penalty λ is fitted to a simulated table: "
        f"{simulation.columns} features, each row of length 1, targets between −1 and "
        "1. **Figure 1** and the **left pane** add normal noise of equal size to all "
        "coefficients, just enough for the guarantee "
        f"(ε {epsilon_text(simulation.epsilon)}, δ {significant(simulation.delta)}); "
        "the **right pane** draws the coefficients once from the posterior N(θ̂, "
        "(γH)⁻¹). Everybody's own loss is the exact one between two tables, with and "
        "without the person.\n\n"
        "The guarantee is over all tables. “Anybody” is over all possible newcomers to "
        "this table. A residual of zero is not a loss of zero for the posterior "
        "sample: the person also changes how far it scatters, which is the floor on "
        "the left of that picture.\n\n"
        "Source: Y.-X. Wang, *Per-instance differential privacy*, 2019, figures 1 and "
        "2, section 6. Its text does not print the settings. They were reconstructed "
        "so that Figure 1 shows the factors that the text names (about 6 and more than "
        "10); λ = 2√n does, λ = √n gives 11.5 and 51.8."
    )


def _begin(asked: Design, number: int) -> Progress:
    return Progress(design=asked, number=number, _pending=run(asked))


def _go_on(current: Progress) -> None:
    """Show how far the run is, and take it a piece further."""
    st.progress(
        current.share,
        text=f"{len(current.parts)} of {current.design.parts} tables done",
    )
    st.button("Stop", on_click=_stop, key="f12-stop")
    if not current.over:
        current.go_on(_PATIENCE)
    if current.over:
        st.rerun()


def _run_again() -> None:
    session.set_public(_NUMBER, _noted(_NUMBER) + 1)


def _stop() -> None:
    session.set_public(_STOPPED, _noted(_NUMBER))


def _noted(name: str) -> int:
    number = session.public(name)
    return number if isinstance(number, int) else 0


def _watermark() -> bool:
    return session.mode() is Mode.CLASSROOM
