"""The page of standard errors: claims, tabs, and averages of several answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from dpcore.data.quantities import Quantity
from dpcore.errors import ParameterError
from dpcore.figures.resampling.averages import (
    limits_picture,
    normality_picture,
    rivals_picture,
    sharing_picture,
)
from dpcore.figures.resampling.bootstrap import (
    apart,
    copies_picture,
    coverage_picture,
    errors_picture,
    length,
    levels_picture,
    one_picture,
    one_shot_picture,
    ranges_picture,
    scores_picture,
    share_text,
)
from dpcore.formatting import in_full, percent, significant
from dpcore.inference.bootstrap_intervals import BoughtVariance
from dpcore.postprocessing.combining import laplace_variance, laplace_weights, published_weights
from dpcore.privacy.bootstrap_cost import (
    ASYMPTOTIC,
    PUBLISHED,
    claimed_epsilon,
    resampled_delta,
    resampled_step,
)
from dpcore.privacy.bootstrap_profiles import Bound, renyi_two, zcdp_level
from dpcore.studies.resampling import bootstrap_study, laplace_averages
from dpcore.studies.resampling.bootstrap_study import (
    BootstrapLevels,
    Experiment,
    Runs,
    bought_coverage,
    exact_coverage,
    mean_length,
    one_table,
    parts,
    run,
)
from dpcore.studies.resampling.laplace_averages import Equipartition, Rivals
from ui import confidential, controls, results, session, work
from ui.form import DeclaredStudy, Listed, NumberSetting, Pane, SettingsForm, Slide
from ui.resampling import standard_errors_release
from ui.resampling.standard_errors_settings import FORM, BootstrapSettings, design, find_noise

_YOURS: Final = "Your table"
_PIECES = 4
_SHARE = 0.1
_CORRECTED = 3
"""The place of the corrected rule among those that are shown."""
_CLOSE = 1 - 1e-6
"""Levels that are attained are known up to that share, by discretizing the loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The actual privacy loss of the bootstraps; ``delta`` is at the claimed epsilon."""

    levels: BootstrapLevels
    delta: float


def _claim(asked: BootstrapSettings) -> None:
    """Show the claimed, the measured and the corrected privacy, and the intervals of each."""
    e, found = asked.experiment, _found(asked)
    factor = None if found is None else _repair(asked)
    claim = f"ε = {significant(claimed_epsilon(e.rho, asked.delta), 4)}"
    actual, level = "…", percent(asked.level)
    if found is not None:
        pair = apart(found.levels.claimed, found.levels.attained * _CLOSE)
        actual = f"ε ≥ {pair[1] if pair else significant(found.levels.attained, 4)}"
    unbiased, conservative, _, corrected = (
        share_text(exact_coverage(_with(e, factor if i == _CORRECTED else None), one.method))
        for i, one in enumerate(asked.shown)
    )
    rows = [
        ("Privacy", claim, actual, "…" if factor is None else claim),
        ("Noise variance", "1 ×", "1 ×", "…" if factor is None else f"{significant(factor, 4)} ×"),
        (f"Coverage, {level} interval", level, unbiased, "…" if factor is None else corrected),
    ]
    results.table(
        [dict(zip(("", "claimed", "actual", "corrected"), row, strict=True)) for row in rows],
        key="se-claim",
    )
    st.caption(
        f"Coverage with the conservative error: {conservative}, and {share_text(_least(asked))} "
        "with negligible noise."
    )
    if found is not None:
        st.markdown(_reason(asked, found))
    if factor is not None:
        longer = length(mean_length(_with(e, factor), asked.shown[_CORRECTED].method), e)
        st.markdown(f"The corrected {level} interval is {longer}. {_rival(asked)}")


def _with(experiment: Experiment, factor: float | None) -> Experiment:
    return experiment if factor is None else replace(experiment, factor=factor)


def why(asked: BootstrapSettings) -> str:
    """Return the nominal coverage beside the actual one."""
    e = asked.experiment
    worst = min(asked.shown[:3], key=lambda one: exact_coverage(e, one.method))
    covered = exact_coverage(e, worst.method)
    more = (e.bagged_error_given_table / e.one_shot_error_given_table) ** 2 - 1
    return (
        "**Why:** noise and sampling error of the bootstraps cannot be separated. With the "
        f"{worst.name} error, {percent(asked.level)} intervals cover "
        f"**{share_text(covered)}**. Resampling adds {percent(more)} variance."
    )


def _reason(asked: BootstrapSettings, found: _Found) -> str:
    """Return why privacy is worse than claimed, by two numbers that anyone can check."""
    e, real = asked.experiment, found.levels
    text = (
        f"At most ε = {significant(real.mean, 4, up=True)} for means, "
        f"{significant(real.generic, 4, up=True)} for any other statistic. A row that is "
        "drawn several times changes a resample several times as much."
    )
    proof = renyi_two(resampled_step(1.0, rho=e.rho, times=e.times), people=e.people)
    pair = apart(2 * e.rho / e.times, proof)
    if pair:
        text += (
            " The Rényi divergence of order 2 between neighboring tables is "
            f"**{pair[1]}** per bootstrap, where the claim allows 2ρ/k = {pair[0]}."
        )
    pair = apart(asked.delta, found.delta)
    if pair:
        text += f" At the claimed ε, δ is at least {pair[1]} instead of {significant(asked.delta)}."
    return text


def _found(asked: BootstrapSettings) -> _Found | None:
    """Return what the bootstraps really reveal, once all of it is added up."""
    e = asked.experiment

    def pieces() -> Iterator[float]:
        yield from parts(rho=e.rho, delta=asked.delta, people=e.people, times=e.times)
        yield resampled_delta(
            1.0,
            rho=e.rho,
            times=e.times,
            people=e.people,
            epsilon=claimed_epsilon(e.rho, asked.delta),
            bound=Bound.ATTAINED,
        )

    found = work.follow(
        "se-measured",
        repr((e.rho, e.times, e.people, asked.delta)),
        _PIECES,
        pieces,
        doing="Composing the bootstraps",
    )
    if found is None or len(found) < _PIECES:
        return None
    *levels, delta = found
    real = BootstrapLevels.of(levels, rho=e.rho, delta=asked.delta, times=e.times)
    return _Found(levels=real, delta=delta)


def _rival(asked: BootstrapSettings) -> str:
    """Return what the same rho buys when a part of it pays for the variance."""
    e = asked.experiment
    bought = BoughtVariance(
        width=e.population.bounds.width, people=e.people, rho=e.rho, share=_SHARE
    )
    variance = e.population.sd**2 * (e.people - 1) / e.people
    mine = 2 * float(bought.half_width(variance, level=asked.level))
    return (
        f"Paying {percent(_SHARE)} of ρ for a private variance instead gives one that is "
        f"{length(mine, e)}."
    )


def _least(asked: BootstrapSettings) -> float:
    """Return the coverage of the conservative interval where noise hardly counts."""
    clear = replace(asked.experiment, rho=1e9 * asked.experiment.rho)
    return exact_coverage(clear, asked.shown[1].method)


def _repair(asked: BootstrapSettings) -> float | None:
    """Return the factor on the noise that makes the claim hold, once it is found."""
    e = asked.experiment
    return find_noise(
        "se-repair", asked.bound, rho=e.rho, delta=asked.delta, times=e.times, people=e.people
    )


_METHODS: Final = (
    "A **bootstrap** is a resample: n rows drawn from the n rows of the table, with "
    "replacement. About 37% are not drawn at all. Gaussian noise of variance k Δ²/(2ρ) is "
    "added to its mean. Here Δ is the sensitivity of the mean (range divided by n) and k "
    "the number of bootstraps. The average of all k is m*, and s² is their "
    "sample variance.\n\n**Standard error**: √(s² − kV c/(k − 1) + V) with V = Δ²/(2ρ), the "
    "noise of the average. Here c is k − 1 (*unbiased*), 0 (*most conservative*) or a "
    "quantile (*conservative*). It is the lower α′ quantile of a chi-squared law with "
    "k − 1 degrees of freedom. "
    "As published, a negative variance is replaced by 0, which gives intervals of length "
    "0.\n\n**Corrected**: V + (n/(n − 1) + 1/k) max(0, s² − kV c/(k − 1)), "
    "which includes the error of resampling, and a t quantile. **Rigorous**: an upper "
    "confidence limit for the variance, and the remaining error probability for the "
    "mean.\n\n**Privacy**: as published, the sum is claimed to be ρ-zCDP. All k are "
    "composed by privacy loss distributions. This page uses the exact profile of one "
    "noisy resample (at least), a bound for means and a bound for any statistic (at "
    "most). *Corrected* noise is chosen so that the upper bound meets the "
    "claim.\n\n**Exact** coverages assume that means over tables and resamples are "
    "normal; simulated ones do not. Sources: T. Brawner and J. Honaker, *Bootstrap "
    "inference and differential privacy: standard errors for free* (2018), eqs. 6 to 37, "
    "figures 2 to 9; B. Balle, G. Barthe and M. Gaboardi, *Privacy amplification by "
    "subsampling* (2018), theorem 10; Z. Wang, G. Cheng and J. Awan, *Differentially "
    "private bootstrap* (2022); P. Kairouz, S. Oh and P. Viswanath, *The composition "
    "theorem for differential privacy* (2015)."
)


_LEAST, _MOST = 1e-6, 1_000_000
_MOST_ANSWERS = 20


def _rivals(asked: BootstrapSettings, *, epsilon: float, draws: int) -> None:
    """Compare averages of Laplace draws with Gaussian noise, at equal privacy."""
    each = Rivals(epsilon=epsilon, delta=asked.delta)
    with st.spinner("Comparing the noise of averages …"):
        pictures = session.remember(
            "se-rivals",
            repr((epsilon, asked.delta, draws)),
            lambda: (rivals_picture(each, draws), limits_picture(each)),
        )
    results.show(pictures[0], "se-rivals", simulated=True)
    st.markdown(
        "**Claimed:** the average of k Laplace draws is better than Gaussian noise for k below "
        f"log(1.25/δ) = {significant(each.published_limit)}. **Actual:** compared with exactly "
        f"calibrated Gaussian noise, for k below {significant(each.limit)}. **Corrected:** at "
        f"this δ an average of {draws} draws has ε = {significant(each.level(draws))}, so less "
        "noise is sufficient and the average stays better. One draw is always the most accurate. "
        "Averaging only makes the noise nearly normal."
    )
    results.show(pictures[1], "se-limits", simulated=True)


def _normality(asked: BootstrapSettings, *, most: int, size: int, samples: int) -> None:
    """Test averages of Laplace draws for normality."""
    found = work.follow(
        "se-normality",
        repr((most, size, samples, asked.seed)),
        most,
        lambda: laplace_averages.run(
            range(1, most + 1), samples, np.random.default_rng(asked.seed), size=size
        ),
        doing="Testing samples for normality",
    )
    if not found:
        return
    for picks in (False, True):
        results.show(normality_picture(found, picks=picks), f"se-normality-{picks}", simulated=True)
    st.markdown(
        "**Claimed:** from 10 draws on, the average is indistinguishable from a normal variable "
        "(the original reports 90.8% and 92.7%, apparently with exchanged names). **Limitation:** "
        "a sample of this size shows nothing about events of probability 10⁻⁶, which matter "
        "for δ."
    )


def _sharing(asked: BootstrapSettings, *, epsilon: float, times: int) -> None:
    """Compare the ways in which equal answers may share a budget."""
    parts = Equipartition(epsilon=epsilon, delta=asked.delta, times=times)
    with st.spinner("Sharing the budget …"):
        picture = session.remember(
            "se-sharing", repr((epsilon, asked.delta, times)), lambda: sharing_picture(parts)
        )
    results.show(picture, "se-sharing", simulated=True)
    st.caption("“Too much” marks methods that spend more than the claimed ε.")
    st.markdown(
        "With Laplace noise, one answer with the whole budget is never worse. Gaussian noise "
        "can be divided among any number of answers without loss. This made a free standard "
        "error seem possible."
    )


def _combining(_: BootstrapSettings, *, epsilons: tuple[float, ...]) -> None:
    """Weigh several Laplace answers of different privacy."""
    if not 1 <= len(epsilons) <= _MOST_ANSWERS:
        raise ParameterError(f"give 1 to {_MOST_ANSWERS} answers, separated by commas.")
    if not all(_LEAST <= epsilon <= _MOST for epsilon in epsilons):
        raise ParameterError(f"give every answer an ε from {in_full(_LEAST)} to {_MOST:,}.")
    right, wrong = laplace_weights(epsilons), published_weights(epsilons)
    best, printed = (laplace_variance(epsilons, weights) for weights in (right, wrong))
    st.markdown(
        "**An answer with a smaller ε has more noise and should get a smaller weight.** With "
        f"weights ε² the variance is {significant(best)} (sensitivity 1). With the published "
        f"exponent it is {significant(printed)} ({significant(printed / best)} times larger)."
    )
    results.table(
        {
            "ε": epsilons,
            "weight": right,
            "weight as published": wrong,
            "variance of this answer": 2 / np.square(epsilons),
        },
        key="se-weight-table",
    )


def _epsilon(key: str) -> NumberSetting:
    return NumberSetting(
        label="ε", value=1.0, within=(0.01, 10.0, 0.1), key=key, note=controls.EPSILON_HELP
    )


_AVERAGES: Final = {
    "Combining results": Pane(
        show=_combining,
        form=SettingsForm(
            row={
                "epsilons": Listed(
                    label="ε of each answer",
                    value="0.1, 0.5, 1",
                    key="se-weights",
                    note="Separated by commas. The answers are to the same question.",
                )
            }
        ),
    ),
    "Averages of Laplace": Pane(
        show=_rivals,
        form=SettingsForm(
            row={
                "epsilon": _epsilon("se-rival-epsilon"),
                "draws": Slide(
                    label="Laplace draws averaged, up to", value=20, within=(2, 50), key="se-draws"
                ),
            }
        ),
    ),
    "How normal": Pane(
        show=_normality,
        form=SettingsForm(
            row={
                "most": Slide(
                    label="Draws averaged, up to", value=20, within=(2, 50), key="se-most"
                ),
                "size": NumberSetting(
                    label="Values in a sample",
                    value=100,
                    within=(12, 2000),
                    key="se-sample",
                    note="The original: 100.",
                ),
                "samples": NumberSetting(
                    label="Samples for each",
                    value=1000,
                    within=(100, 10_000, 100),
                    key="se-samples",
                ),
            }
        ),
    ),
    "Sharing a budget": Pane(
        show=_sharing,
        form=SettingsForm(
            row={
                "epsilon": _epsilon("se-share-epsilon"),
                "times": NumberSetting(
                    label="Answers",
                    value=50,
                    within=(1, 1000),
                    key="se-answers",
                    note="The number of answers that share the budget and are averaged.",
                ),
            }
        ),
    ),
}


_TIMES = (2, 5, 10, 20, 50, 100, 150, 200)
_FINE = (2, 3, 5, 10, 15, 20, 30, 50, 100, 150, 200)
_LEVELS = (1, 2, 5, 10, 20, 50, 100, 200)
_DRAWS_A_PART = 3_000_000
_MOST_A_PART = 100
_AGAINST_K = 400
_ANOTHER = "_se_another"
_SAFE_SHARE, _SAFE_TAIL = 0.2, 0.01


def _averages(asked: BootstrapSettings) -> None:
    """Show the claims of the source about averages of several results."""
    place = controls.row((1, 2))[0]
    _AVERAGES[place.selectbox("Average", list(_AVERAGES), key="se-average")](asked)


def _own(asked: BootstrapSettings) -> None:
    """Offer a release of the table in use."""
    query = standard_errors_release.show(asked)
    if query is not None:
        draw = partial(standard_errors_release.show_column, query, asked)
        confidential.area("standard-errors", "the coverage for your column", draw)


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
    """Show the coverage of intervals with a private variance, on the same tables."""
    e = asked.experiment
    rng = np.random.default_rng([asked.seed, 1])
    plain = BoughtVariance(width=e.population.bounds.width, people=e.people, rho=e.rho)
    tail = min(_SAFE_TAIL, (1 - asked.level) / 5)
    safe = replace(plain, share=_SAFE_SHARE, tail=tail)
    (held, paid), (safely, longer) = (
        bought_coverage(e, one, runs, rng, level=asked.level) for one in (plain, safe)
    )
    mine = mean_length(e, asked.shown[1].method)
    st.markdown(
        f"**The alternative.** Pay {percent(plain.share)} of ρ for the variance and the rest "
        f"for the mean. On the same tables the coverage is {percent(held)}, and intervals are "
        f"{length(paid, e)}. With {percent(safe.share)} and an upper confidence limit of the "
        f"variance, the coverage is {percent(safely)}, and intervals are {length(longer, e)}. "
        f"Conservative bootstrap intervals are {length(mine, e)}, before their noise is "
        "corrected."
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
        f"The bars show noisy means of resamples of one table of {e.people:,} people. The noise "
        f"has standard deviation {significant((e.times * e.bootstraps.noise) ** 0.5)}, and the "
        f"mean over resamples {significant(e.resampling**0.5)}. The rules differ in how much of "
        "the noise they subtract."
    )


def _one_shot(asked: BootstrapSettings) -> None:
    runs = simulated(asked, "se-tables", asked.key("tables", "seed"))
    if runs is None:
        return
    picture = one_shot_picture(asked.experiment, runs)
    results.show(picture, "se-one-shot", simulated=True)
    st.markdown(
        "The source compares errors over tables, where sampling error dominates. For a given "
        "table, averaging bootstraps adds the error of resampling to the noise. So the utility "
        "is not the same."
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
        "The rules subtract a part of the noise from the variance of the bootstraps. "
        "*Unbiased*: its expectation, so the variance may become 0. *Unbiased, noise kept*: at "
        "least the noise of the average is kept. *Conservative*: a lower quantile of the noise, "
        "with probability α′. *Most conservative*: nothing. *Corrected*: conservative, plus the "
        "error of resampling and a t quantile. *Rigorous*: an upper confidence limit, proved "
        "for normal means."
    )
    best = asked.experiment.bootstraps.best_times(asked.experiment.resampling)
    st.markdown(
        "More bootstraps do not improve the unbiased error: each has more noise, and more noise "
        f"must be subtracted. Here about {best:,.0f} bootstraps estimate the sampling "
        "error best."
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
    return max(1, min(_MOST_A_PART, _DRAWS_A_PART // (experiment.people * experiment.times)))


def _privacy(asked: BootstrapSettings) -> None:
    """Show the actual privacy loss for several numbers of bootstraps."""
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
        doing="Composing the bootstraps",
    )
    if not found:
        return
    whole = zcdp_level((2 * e.rho / e.times) ** 0.5, people=e.people)
    picture = levels_picture(found, here=e.times, delta=asked.delta)
    results.show(picture, "se-levels", simulated=True)
    st.markdown(
        "The lower line is attained by two tables that differ in one person. Few bootstraps "
        "are worst, because one with several copies of a row has a large weight. In zCDP, the "
        "definition of the claim, one bootstrap costs n² ρ/k = "
        f"{significant(whole)} instead of ρ/k."
    )
    _modes(asked)


def _modes(asked: BootstrapSettings) -> None:
    """List three choices of the noise, with the actual guarantee of each."""
    e = asked.experiment
    factors = {
        "as published": PUBLISHED,
        "corrected, limit of many bootstraps (2 − 2/e)": ASYMPTOTIC,
    }
    factor = _repair(asked)
    if factor is not None:
        factors[f"corrected for {e.times} bootstraps"] = factor
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
        doing="Composing the bootstraps",
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
    st.markdown("**Actual guarantee of three choices of the noise**")
    results.table(rows, key="se-modes-table")
    st.caption(
        "A claim holds if “at most” does not exceed it. The factor 2 − 2/e is correct in the "
        "limit of many bootstraps, and may be too small for a given number. Releases use the "
        "factor for their number."
    )


def _copies(asked: BootstrapSettings) -> None:
    """Draw how often a row is drawn."""
    results.show(copies_picture(asked.experiment), "se-copies", simulated=True)
    st.markdown(
        "The source adds noise to each of these parts and releases their sum. The sum is a "
        "resample with one Gaussian noise, as implemented here. If the parts were released "
        "separately, rows with many copies would have almost no protection, as the table shows."
    )


STUDY: Final = DeclaredStudy(
    key="standard-errors",
    view_key="se-station",
    sentence="Check the claim that a private bootstrap yields standard errors at no extra cost.",
    form=FORM,
    design=design,
    older={"se-average": {"Combining answers": "Combining results"}},
    views={
        "Coverage": _coverage,
        "Claim": _claim,
        "Standard errors": _errors,
        "One table": _one,
        "One shot or many": _one_shot,
        "Privacy": _privacy,
        "Copies": _copies,
        "Averages": _averages,
        _YOURS: _own,
    },
    why=why,
    methods=_METHODS,
    own=_YOURS,
)
