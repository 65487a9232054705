"""The settings of the page of standard errors. All of them are public.

The controls that ask for noisy bootstraps of the table in use. All are public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.number import Query
from dpcore.data.columns import Column
from dpcore.errors import ParameterError
from dpcore.figures.resampling.bootstrap import NamedMethod, methods, others
from dpcore.formatting import significant
from dpcore.privacy.bootstrap_cost import Correction, calibration_steps, claimed_epsilon, rho_for
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.resampling.bootstrap_study import Ages, Experiment, Normal, Population
from ui import controls, session, work
from ui.asking import columns
from ui.controls import Cell
from ui.form import Charged, ChoiceSetting, NumberSetting, Seed, SettingsForm, Slide
from ui.study import Study

_POPULATIONS: dict[str, Population] = {"ages of adults": Ages(), "normal": Normal()}
_BOUNDS = {"any statistic (proved)": Bound.GENERIC, "means": Bound.MEAN}


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapSettings:
    """Everything on the page that can be set. All of it is public.

    The experiment has the noise as published. ``tail`` is that of conservative errors;
    the corrected noise is calibrated by ``bound``.
    """

    experiment: Experiment
    delta: float
    tail: float
    level: float
    bound: Bound
    tables: int
    seed: int

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
        return repr((*(e.population.name, e.people, e.rho, e.times, e.factor), *rest))


FORM: Final = SettingsForm(
    row={
        "population": ChoiceSetting(
            label="Population",
            options=tuple(_POPULATIONS),
            value=next(iter(_POPULATIONS)),
            key="se-population",
            note="Simulated tables are drawn from it. Ages: adults of California in the "
            "census of 2000. Normal: a standard normal variable within −3 and 3.",
        ),
        "people": NumberSetting(
            label="People in a table", value=500, within=(2, 20_000, 100), key="se-people"
        ),
        "times": NumberSetting(
            label="Bootstraps",
            value=50,
            within=(2, 500, 10),
            key="se-times",
            note="k, the number of resamples of a table.",
        ),
        "rho": NumberSetting(
            label="Claimed ρ",
            value=0.5,
            within=(1e-4, 20.0, 0.1),
            key="se-rho",
            note="The claimed zCDP cost of all bootstraps together.",
        ),
    },
    more={
        "delta": Charged(
            label="δ", value=1e-6, within=(1e-12, 1e-2), key="se-delta", note=controls.DELTA_HELP
        ),
        "level": Slide(
            label="Confidence of the intervals",
            value=0.95,
            within=(0.5, 0.99, 0.01),
            key="se-level",
        ),
        "tail": NumberSetting(
            label="α′ of conservative errors",
            value=0.05,
            within=(0.0, 0.9),
            key="se-tail",
            note="The probability that noise alone varies less than the amount subtracted. "
            "0 subtracts nothing.",
        ),
        "bound": ChoiceSetting(
            label="Correct the noise for",
            options=tuple(_BOUNDS),
            value=next(iter(_BOUNDS)),
            key="se-bound",
            note="The bound for any statistic is proved. The bound for means needs less "
            "noise and is partly checked numerically.",
        ),
        "tables": NumberSetting(
            label="Simulated tables", value=1000, within=(100, 20_000, 100), key="se-tables"
        ),
        "seed": Seed(key="se-seed"),
    },
)


def design(
    *,
    population: str,
    people: int,
    times: int,
    rho: float,
    bound: str,
    **rest: Any,  # noqa: ANN401 - fields of the settings
) -> BootstrapSettings:
    """Return what the form is set to."""
    experiment = Experiment(
        population=_POPULATIONS[population], people=people, rho=rho, times=times
    )
    return BootstrapSettings(experiment=experiment, bound=_BOUNDS[bound], **rest)


_NUMBERS = [StatisticKind.MEAN, StatisticKind.SUM]
_LABELS = [StatisticKind.PROPORTION, StatisticKind.COUNT]
_STEPS = 11
_NOISE = {
    Correction.FINITE: "corrected",
    Correction.ASYMPTOTIC: "corrected, in the limit",
    Correction.PUBLISHED: "as published",
}


def ask(study: Study) -> BootstrapRequest | None:
    """Show the controls of bootstraps of the table in use; return what they ask.

    ``None`` while something is missing, or the noise is still being searched for.

    Raises:
        ParameterError: The question cannot be answered this way.

    """
    query = ask_question(study)
    if query is None:
        return None
    *places, last = controls.row(4)
    delta = last.charged_delta("δ", 1e-6, (1e-12, 1e-2), key="se-delta").inside
    request = ask_bootstraps(query, places, delta=delta)
    return request if noise_is_known(request) else None


def ask_question(study: Study) -> Query | None:
    """Show the controls of the question; ``None`` while something is missing.

    Raises:
        ParameterError: The question cannot be asked of this column.

    """
    first, second, third, _ = controls.row(4)
    with first.place:
        position = columns.choose(study.dataset)
    if columns.folded(study.in_memory, position, "se-bounds") is None:
        return None
    study = session.require_study()
    column = study.dataset.columns[position]
    number = column.kind.is_numeric
    kind = second.selectbox(
        "Statistic",
        _NUMBERS if number else _LABELS,
        key="se-number-statistic" if number else "se-label-statistic",
        kept="table",
        note=f"Only sums with one term for each {session.unit().noun} can be bootstrapped.",
    )
    membership = None if number else _members(third, column)
    return Query(
        kind=kind,
        column=column,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size(column),
        membership=membership,
    )


def _members(cell: Cell, column: Column) -> Membership:
    if not column.labels:
        raise ParameterError("declare the public list of categories of this column first.")
    label = cell.selectbox(
        f"Of {session.unit().nouns} with",
        column.labels,
        key=f"se-label-{session.generation()}-{hash(column.labels)}",
        kept="session",
    )
    return Membership(label=label)


def ask_epsilon(cell: Cell) -> controls.Typed:
    """Show the control of the ε of all bootstraps together."""
    return cell.charged_epsilon(
        "ε for this release",
        0.5,
        (1e-3, 50.0, 0.1),
        key="se-release-epsilon",
        kept="table",
        more="δ is set separately.",
    )


def ask_bootstraps(query: Query, places: Sequence[Cell], *, delta: float) -> BootstrapRequest:
    """Show the controls of several bootstraps."""
    epsilon = ask_epsilon(places[0])
    times = places[1].number(
        "Bootstraps to release", 50, (2, 500, 10), key="se-release-times", kept="table"
    )
    correction = places[2].selectbox(
        "Noise",
        list(_NOISE),
        format_func=_NOISE.__getitem__,
        key="se-correction",
        kept="table",
        note="Corrected: the claim holds for this number of bootstraps. In the limit: for very "
        "many. As published: the claim fails, so in Classroom mode only.",
    )
    # What is proved for changes from one bound to the other covers all of a share.
    bound = Bound.MEAN if query.kind.of_members else Bound.GENERIC
    return BootstrapRequest(
        query=query,
        rho=rho_for(epsilon.inside, delta),
        delta=delta,
        times=times,
        correction=correction,
        bound=bound,
    )


def noise_is_known(request: BootstrapRequest) -> bool:
    """Search for the noise, if it has to be; tell whether it was found."""
    if request.correction is not Correction.FINITE:
        return True
    found = find_noise(
        "se-release-repair",
        request.bound,
        rho=request.rho,
        delta=request.delta,
        times=request.times,
        people=request.query.size.people,
    )
    return found is not None


def find_noise(
    slot: str, bound: Bound, *, rho: float, delta: float, times: int, people: int
) -> float | None:
    """Return the factor on the noise that makes the claim hold, once it is found."""
    steps = work.follow(
        slot,
        repr((rho, times, people, delta, bound.value)),
        _STEPS,
        lambda: calibration_steps(rho=rho, delta=delta, times=times, people=people, bound=bound),
        # So that nobody takes an older search for it.
        doing=f"Calibrating the noise of {times} bootstraps for ε = "
        f"{significant(claimed_epsilon(rho, delta), 4)}",
    )
    if steps is None:
        return None
    if not steps or math.isinf(steps[-1].high):
        st.info("The calibration was stopped before it finished.")
        return None
    return steps[-1].high
