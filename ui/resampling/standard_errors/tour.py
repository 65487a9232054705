"""The stations of the page of standard errors; only the open one is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import streamlit as st

from dpcore.data.quantities import Quantity
from dpcore.figures.resampling.bootstrap import (
    copies_picture,
    coverage_picture,
    errors_picture,
    length,
    levels_picture,
    one_picture,
    one_shot_picture,
    ranges_picture,
    scores_picture,
)
from dpcore.inference.bootstrap_intervals import BoughtVariance
from dpcore.privacy.bootstrap_cost import ASYMPTOTIC, PUBLISHED
from dpcore.privacy.bootstrap_profiles import zcdp_level
from dpcore.studies.resampling import bootstrap_study
from dpcore.studies.resampling.bootstrap_study import (
    Experiment,
    Runs,
    bought_coverage,
    mean_length,
    one_table,
    run,
)
from dpcore.wording import percent, significant
from ui import results, session, tabs, work
from ui.resampling.standard_errors import averages
from ui.resampling.standard_errors.settings import BootstrapSettings

_TIMES = (2, 5, 10, 20, 50, 100, 150, 200)
_FINE = (2, 3, 5, 10, 15, 20, 30, 50, 100, 150, 200)
_LEVELS = (1, 2, 5, 10, 20, 50, 100, 200)
_DRAWS_A_PART = 3_000_000
_MOST_A_PART = 100
_AGAINST_K = 400
_ANOTHER = "_se_another"
_SAFE_SHARE, _SAFE_TAIL = 0.2, 0.01


def show(asked: BootstrapSettings) -> None:
    """Draw the stations as tabs."""
    stations = {
        "Coverage": _coverage,
        "Standard errors": _errors,
        "One table": _one,
        "One shot or many": _one_shot,
        "Privacy": _privacy,
        "Copies": _copies,
    }
    tabs.show(stations, asked, key="se-station")


def show_averages(asked: BootstrapSettings) -> None:
    """Draw what the source says besides, of averages of several answers, as tabs."""
    stations = {
        "Combining answers": averages.combining,
        "Averages of Laplace": averages.rivals,
        "How normal": averages.normality,
        "Sharing a budget": averages.sharing,
    }
    tabs.show(stations, asked, key="se-average")


def simulated(asked: BootstrapSettings, slot: str, key: str) -> Runs | None:
    """Return simulated tables of the experiment, or ``None`` while they are made."""
    pieces = work.follow(
        slot,
        key,
        -(-asked.tables // _part(asked.experiment)),
        lambda: run(
            asked.experiment,
            asked.tables,
            np.random.default_rng(asked.seed),
            part=_part(asked.experiment),
        ),
        doing=f"Simulating {asked.tables:,} tables with {asked.experiment.times} bootstraps each",
    )
    return Runs.joined(pieces) if pieces else None


def _errors(asked: BootstrapSettings) -> None:
    runs = simulated(asked, "se-tables", asked.key("tables", "seed"))
    if runs is None:
        return
    picture = errors_picture(asked.experiment, runs, asked.shown)
    results.show(picture, "se-errors", simulated=True)
    picture = scores_picture(asked.experiment, runs, asked.shown)
    results.show(picture, "se-scores", simulated=True)
    _bought(asked, runs)


def _bought(asked: BootstrapSettings, runs: Runs) -> None:
    """Say what intervals cover whose variance was paid for, on the same tables."""
    e = asked.experiment
    rng = np.random.default_rng([asked.seed, 1])
    width = e.population.bounds.width
    plain = BoughtVariance(width=width, people=e.people, rho=e.rho)
    tail = min(_SAFE_TAIL, (1 - asked.level) / 5)
    safe = replace(plain, share=_SAFE_SHARE, tail=tail)
    (held, paid), (safely, longer) = (
        bought_coverage(e, one, runs, rng, level=asked.level) for one in (plain, safe)
    )
    mine = mean_length(e, asked.shown[1].method)
    st.markdown(
        f"**The honest rival.** Pay {percent(plain.share)} of ρ for the variance and "
        f"the rest for the mean: on the same tables {percent(held)} of the intervals "
        f"hold the truth; they are {length(paid, e)}. With {percent(safe.share)}, and "
        f"the variance raised by what its noise may hide, {percent(safely)}; they are "
        f"{length(longer, e)}. The conservative intervals from bootstraps are "
        f"{length(mine, e)}, before their noise is corrected."
    )


def _one(asked: BootstrapSettings) -> None:
    rng = np.random.default_rng([asked.seed, session.count(_ANOTHER)])
    numbers = one_table(asked.experiment, rng)
    e = asked.experiment
    picture = one_picture(
        numbers,
        asked.shown,
        noise=e.times * e.bootstraps.noise,
        people=e.people,
        quantity=Quantity(unit=e.population.unit),
        truth=e.population.mean,
    )
    results.show(picture, "se-one", simulated=True)
    st.button("Draw another table", on_click=session.count_up, args=(_ANOTHER,), key="se-another")
    st.markdown(
        f"Each bar counts noisy means of resamples of one table of {e.people:,} "
        "people. Most of their spread is noise: its standard deviation is "
        f"{significant((e.times * e.bootstraps.noise) ** 0.5)}, that of the mean over "
        f"resamples {significant(e.resampling**0.5)}. The rules differ in how much of "
        "the noise they subtract."
    )


def _one_shot(asked: BootstrapSettings) -> None:
    runs = simulated(asked, "se-tables", asked.key("tables", "seed"))
    if runs is None:
        return
    picture = one_shot_picture(asked.experiment, runs)
    results.show(picture, "se-one-shot", simulated=True)
    st.markdown(
        "The source compares over tables, where the luck of who is in the table hides "
        "the rest. For the table that one has, averaging bootstraps adds the error of "
        "resampling to the noise: not the same utility."
    )


def _coverage(asked: BootstrapSettings) -> None:
    fine = [replace(asked.experiment, times=k) for k in sorted({*_FINE, *_here(asked)})]
    check = st.toggle(
        f"Check by simulation ({_AGAINST_K} tables for each number of bootstraps)",
        key="se-check",
        bind="query-params",
    )
    runs = _runs_by_times(asked) if check else {}
    done = sum(each.tables for each in runs.values())
    known = repr((_without_times(asked, fine), asked.tail, asked.level))
    picture = session.remember(
        "se-coverage",
        f"{known} {asked.seed} {done}",
        lambda: coverage_picture(fine, runs, shown=asked.all_shown),
    )
    results.show(picture, "se-coverage", simulated=True)
    st.caption(
        "All of them subtract noise from the spread of the bootstraps. *Unbiased*: as "
        "much as is expected; what is left may be nothing. *Unbiased, noise kept*: at "
        "least the noise of the average is left. *Conservative*: so little that noise "
        "alone is rarely smaller (α′ is how rarely). *Most conservative*: nothing. "
        "*Corrected*: as the conservative one, with the error of resampling added, and "
        "wider for few bootstraps. *Rigorous*: an upper confidence limit, proved for "
        "normal means."
    )
    best = asked.experiment.bootstraps.best_times(asked.experiment.resampling)
    st.markdown(
        "More bootstraps do not make the unbiased error better: each gets a smaller "
        "part of the budget, and the noise that has to be subtracted grows. Here about "
        f"{significant(best)} of them estimate the sampling error best."
    )
    picture = session.remember("se-ranges", known, lambda: ranges_picture(fine, shown=asked.shown))
    results.show(picture, "se-ranges", simulated=True)


def _without_times(asked: BootstrapSettings, fine: list[Experiment]) -> str:
    """Return what figures over several numbers of bootstraps depend on."""
    e = asked.experiment
    return repr((e.population.name, e.people, e.rho, [each.times for each in fine]))


def _runs_by_times(asked: BootstrapSettings) -> dict[int, Runs]:
    """Return simulated tables for several numbers of bootstraps, as far as done."""
    settings = [replace(asked.experiment, times=k) for k in _TIMES]

    def pieces() -> Iterator[tuple[int, Runs]]:
        rng = np.random.default_rng([asked.seed, 2])
        for e, own in zip(settings, rng.spawn(len(settings)), strict=True):
            for part in run(e, _AGAINST_K, own, part=_part(e)):
                yield e.times, part

    total = sum(-(-_AGAINST_K // _part(e)) for e in settings)
    done = work.follow(
        "se-against",
        asked.key("seed"),
        total,
        pieces,
        doing=f"Simulating {len(_TIMES)} numbers of bootstraps",
    )
    found: dict[int, list[Runs]] = {}
    for k, part in done or ():
        found.setdefault(k, []).append(part)
    return {k: Runs.joined(parts) for k, parts in found.items()}


def _here(asked: BootstrapSettings) -> tuple[int, ...]:
    k = asked.experiment.times
    return (k,) if k <= max(_FINE) else ()


def _part(experiment: Experiment) -> int:
    """Return how many tables take a part of a second."""
    draws = experiment.people * experiment.times
    return max(1, min(_MOST_A_PART, _DRAWS_A_PART // draws))


def _privacy(asked: BootstrapSettings) -> None:
    """Draw what the bootstraps really reveal, for several numbers of them."""
    e = asked.experiment
    times = sorted({*_LEVELS, e.times})
    found = work.follow(
        "se-levels",
        repr((e.rho, e.people, e.times, asked.delta)),
        len(times),
        lambda: (
            bootstrap_study.levels(rho=e.rho, delta=asked.delta, people=e.people, times=k)
            for k in times
        ),
        doing="Adding up what the bootstraps reveal",
    )
    if not found:
        return
    whole = zcdp_level((2 * e.rho / e.times) ** 0.5, people=e.people)
    picture = levels_picture(found, here=e.times, delta=asked.delta)
    results.show(picture, "se-levels", simulated=True)
    st.markdown(
        "The lower line is no bound but a fact: two tables that differ in one person "
        "are that far apart. Few bootstraps are worst, because one that draws a person "
        "several times is a large part of the answer. In the terms of the claim the "
        "truth is bleaker: one bootstrap with ρ/k does have a zCDP level, n² ρ/k = "
        f"{significant(whole)}."
    )
    _modes(asked)


def _modes(asked: BootstrapSettings) -> None:
    """List the three ways to choose the noise, with what each of them really gives."""
    e = asked.experiment
    factors = {
        "as published": PUBLISHED,
        "corrected for very many bootstraps (2 - 2/e)": ASYMPTOTIC,
    }
    if asked.factor is not None:
        factors[f"corrected for {e.times} bootstraps"] = asked.factor
    found = work.follow(
        "se-modes",
        repr((e.rho, e.people, e.times, asked.delta, tuple(factors.values()))),
        len(factors),
        lambda: (
            bootstrap_study.levels(
                rho=e.rho, delta=asked.delta, people=e.people, times=e.times, factor=c
            )
            for c in factors.values()
        ),
        doing="Adding up what each of them reveals",
    )
    if not found:
        return
    rows = [
        {
            "noise": name,
            "factor on its variance": c,
            "claimed ε": one.claimed,
            "ε at least": one.attained,
            "at most, means": one.mean,
            "at most, any statistic": one.generic,
        }
        for (name, c), one in zip(factors.items(), found, strict=False)
    ]
    st.markdown("**Three ways to choose the noise, and what each really gives**")
    results.table(rows, key="se-modes-table")
    st.caption(
        "A claim holds where “at most” does not exceed it. The factor 2 - 2/e is right "
        "in the limit of many bootstraps; for a given number it may be too small. What "
        "is released uses the factor for that number."
    )


def _copies(asked: BootstrapSettings) -> None:
    """Draw how often a row is drawn."""
    results.show(copies_picture(asked.experiment), "se-copies", simulated=True)
    st.markdown(
        "The source adds noise to each of these parts and releases their sum. The "
        "noises add up to one, so that the sum is a resample with one Gaussian noise; "
        "that is how it is done here. Released one by one, the rare parts would be "
        "hardly protected: the table says by how much."
    )
