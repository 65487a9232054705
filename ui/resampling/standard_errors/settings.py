"""The settings of the page of standard errors. All of them are public."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dpcore.figures.resampling.bootstrap import NamedMethod, methods, others
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.studies.resampling.bootstrap_study import Ages, Experiment, Normal, Population
from ui import controls

_POPULATIONS: dict[str, Population] = {"ages of adults": Ages(), "normal": Normal()}
_BOUNDS = {"any statistic (proved)": Bound.GENERIC, "means": Bound.MEAN}


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapSettings:
    """Everything on the page that can be set. All of it is public.

    The experiment has the noise as published; ``factor`` is by how much more variance
    it is repaired, ``None`` until found. ``tail`` is that of conservative errors;
    the corrected noise is calibrated by ``bound``.
    """

    experiment: Experiment
    delta: float
    tail: float
    level: float
    bound: Bound
    tables: int
    seed: int
    factor: float | None = None

    @property
    def shown(self) -> tuple[NamedMethod, ...]:
        """Return the three estimators of the source, and the corrected rule."""
        return methods(tail=self.tail, level=self.level)

    @property
    def all_shown(self) -> tuple[NamedMethod, ...]:
        """Return these with the other clipping, and the rigorous rule."""
        return (*self.shown, *others(level=self.level))

    def key(self, *names: str) -> str:
        """Return what work depends on: the experiment without its population's people.

        Args:
            names: Other attributes that it depends on.

        """
        e = self.experiment
        rest = [getattr(self, name) for name in names]
        known = (e.population.name, e.people, e.rho, e.times, e.factor)
        return repr((*known, *rest))


def ask_settings() -> BootstrapSettings:
    """Show the controls and return what they are set to.

    Raises:
        ParameterError: The settings do not go together.

    """
    first, second, third, fourth = controls.row(4)
    name = first.selectbox(
        "Population",
        list(_POPULATIONS),
        key="se-population",
        note="Simulated tables are drawn from it. Ages: adults of California in the "
        "census of 2000, within 0 and 100. Normal: a standard normal variable within "
        "-3 and 3. Your own column is at the end of the page.",
    )
    people = second.number(
        "People in a table", 500, (2, 20_000, 100), key="se-people", note="n, a public number."
    )
    times = third.number(
        "Bootstraps",
        50,
        (2, 500, 10),
        key="se-times",
        note="k: how many times the table is resampled. A standard error needs two.",
    )
    rho = fourth.number(
        "Claimed privacy ρ",
        0.5,
        (1e-4, 20.0, 0.1),
        key="se-rho",
        note="What all bootstraps together are claimed to cost, in zero-concentrated "
        "DP. Smaller is more private.",
    )
    st.caption(
        "People from 2 to 20,000, bootstraps from 2 to 500, ρ from 0.0001 to 20. A "
        "number outside is not taken: the page then shows the last one that was."
    )
    with st.expander("More settings", key="se-more"):
        rest = _more()
    experiment = Experiment(population=_POPULATIONS[name], people=people, rho=rho, times=times)
    return replace(rest, experiment=experiment)


def ask_delta(cell: controls.Cell) -> float:
    """Show the control of the delta at which the privacy of bootstraps is stated."""
    typed = cell.charged_delta("δ", 1e-6, (1e-12, 1e-2), key="se-delta")
    return typed.inside


def _more() -> BootstrapSettings:
    """Show the other controls; the experiment is still to be filled in."""
    first, second, third = controls.row(3)
    delta = ask_delta(first)
    level = second.slider("Confidence of the intervals", 0.95, (0.5, 0.99, 0.01), key="se-level")
    tail = third.number(
        "α′: how rarely a conservative error may subtract too much noise",
        0.05,
        (0.0, 0.9),
        key="se-tail",
        note="Only so much noise is subtracted that noise alone would show less spread "
        "with this probability. 0 is the most conservative: all of the noise counts as "
        "sampling. The error may still be too small more often than that.",
    )
    bound = first.selectbox(
        "Repair the noise for",
        list(_BOUNDS),
        key="se-bound",
        note="How much noise is enough. The bound for any statistic is proved. That "
        "for means needs less noise; it is proved for a change from one bound to the "
        "other, and checked numerically for the rest.",
    )
    tables = second.number("Simulated tables", 1000, (100, 20_000, 100), key="se-tables")
    seed = third.seed(key="se-seed")
    return BootstrapSettings(
        experiment=Experiment(),
        delta=delta,
        tail=tail,
        level=level,
        bound=_BOUNDS[bound],
        tables=tables,
        seed=seed,
    )
