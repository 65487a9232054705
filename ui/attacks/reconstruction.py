"""Reconstruction: a secret column from many counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from dpcore.arrays import FloatArray
from dpcore.figures.attacks import RecoveredShares, RecoveryCurve, bars_picture, curve_picture
from dpcore.privacy.interpretation import posterior
from dpcore.studies.attacks.reconstruction import (
    Parts,
    ReconstructionMethod,
    Solver,
    ceiling,
    epsilons,
    exact_counts,
    guessing,
    known_roughly,
    likely_at_most,
    noise_scale,
    parts,
    private_counts,
    recover,
    rounded_counts,
)
from dpcore.wording import at_most, epsilon_text, nearest, percent, significant
from ui import controls, session, work
from ui.attacks import subject as people
from ui.attacks import verdicts
from ui.attacks.subject import AttackTarget
from ui.text import literal

_UNITS: Final = (5, 10)
_RUNS: Final = 20
_SIZES: Final = (50, 100, 200)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReconstructionSettings:
    """Public settings."""

    kind: Parts
    method: ReconstructionMethod
    people: int
    counts: int
    epsilon: float
    seed: int

    @property
    def runs(self) -> int:
        """Return how many private releases are attacked for each total."""
        return _RUNS if self.method is ReconstructionMethod.LEAST_SQUARES else 1

    @property
    def totals(self) -> FloatArray:
        """Return the totals to attack: few for the slower method."""
        return epsilons(self.epsilon, 9 if self.method is ReconstructionMethod.LEAST_SQUARES else 5)


def show_reconstruction(subject: AttackTarget) -> None:
    """Ask for a column, a kind of parts and a total; then solve."""
    upper, lower = controls.row([1.4, 1, 1, 1]), controls.row([1.4, 1, 1, 1])
    secret = people.ask_secret((upper[0], upper[1]), subject, "attack-secret")
    size = upper[2].selectbox("People attacked", _SIZES, index=1, key="reconstruction-people")
    times = upper[3].selectbox(
        "Counts a person",
        (2, 4, 8),
        index=1,
        key="reconstruction-times",
        note="How many counts are asked for, as a multiple of the people.",
    )
    kind = lower[0].selectbox("Counted are", list(Parts), key="reconstruction-parts")
    method = lower[1].selectbox(
        "Solved by",
        list(ReconstructionMethod),
        key="reconstruction-method",
        note="The linear program takes seconds; it is better where noise is middling.",
    )
    epsilon = lower[2].number(
        "ε of all counts together",
        1.0,
        (0.01, 10_000.0),
        key="reconstruction-epsilon",
        note=controls.EPSILON_HELP,
    )
    seed = lower[3].seed(key="reconstruction-seed")
    if secret is None:
        return
    bits = secret.amounts[:size]
    asked = _ReconstructionSettings(
        kind=Parts(kind),
        method=ReconstructionMethod(method),
        people=len(bits),
        counts=len(bits) * times,
        epsilon=epsilon,
        seed=int(seed),
    )
    # The key says which column, and never what is in it.
    column = session.public(subject.key("attack-secret-column"))
    key = f"{asked} {secret.what} {subject.made_up} {column}"
    found = work.follow(
        "reconstruction",
        f"{key} {session.generation()}",
        3 + len(asked.totals),
        partial(_pieces, asked, bits),
        doing=f"Solving {asked.counts:,} equations for {asked.people} people …",
    )
    if found is not None:
        _shown(found, asked, bits, subject, literal(secret.what))


def _pieces(
    asked: _ReconstructionSettings, bits: FloatArray
) -> Iterator[tuple[str | float, FloatArray, float]]:
    """Yield what each kind of counts gives away: its name or total, and the runs."""
    rng = np.random.default_rng(asked.seed)
    inside = parts(asked.kind, people=asked.people, counts=asked.counts, rng=rng)
    solver = Solver.of(inside)
    share = known_roughly(float(bits.mean()))
    solve = partial(recover, solver, bits=bits, share=share, method=asked.method)
    yield "exact", solve(exact_counts(solver, bits)).shares, 0.0
    for unit in _UNITS:
        told = rounded_counts(solver, bits, unit)
        yield f"rounded to {unit}s", solve(told).shares, 0.0
    # The chosen total first: it is there if the work is stopped.
    for total in sorted(asked.totals.tolist(), key=lambda one: one != asked.epsilon):
        told = private_counts(solver, bits, epsilon=total, runs=asked.runs, rng=rng)
        yield total, solve(told).shares, noise_scale(solver, total)


def _shown(
    found: list[tuple[str | float, FloatArray, float]],
    asked: _ReconstructionSettings,
    bits: FloatArray,
    subject: AttackTarget,
    what: str,
) -> None:
    careless = {n: float(s.mean()) for n, s, _ in found if isinstance(n, str)}
    private = {n: (s, b) for n, s, b in found if not isinstance(n, str)}
    if asked.epsilon not in private:
        st.info("Stopped before the private counts were attacked. Go on above.")
        return
    shares, scale = private[asked.epsilon]
    mean, guess = float(shares.mean()), guessing(bits)
    share = known_roughly(float(bits.mean()))
    limit = float(ceiling(asked.epsilon, share=share))
    limit = max(limit, guess)
    bars = RecoveredShares(
        guessing=guess, careless=careless, private=mean, epsilon=asked.epsilon, ceiling=limit
    )
    subject.show(bars_picture(bars), "reconstruction")
    exact = careless["exact"]
    larger = max(share, 1 - share)
    luck = likely_at_most(asked.people, float(posterior(larger, asked.epsilon)))
    verdicts.show_verdict(
        f"{asked.counts:,} exact counts give away {nearest(exact)} of the column: "
        f"{round(exact * asked.people)} of {asked.people} people. Rounding to "
        f"{_UNITS[0]}s leaves {nearest(careless[f'rounded to {_UNITS[0]}s'])}.",
        f"At a total ε {epsilon_text(asked.epsilon)} the attack is right about "
        f"{nearest(mean)} of the people ({_runs(shares)}); guessing gets "
        f"{nearest(guess)}. No attack can expect more than {at_most(limit)}.",
    )
    ordered = sorted(private)
    if len(ordered) == len(asked.totals):
        curve = RecoveryCurve(
            epsilons=np.array(ordered),
            shares=[private[total][0] for total in ordered],
            ceilings=np.maximum(ceiling(np.array(ordered), share=share), guess),
            guessing=guess,
            chosen=asked.epsilon,
        )
        subject.show(curve_picture(curve), "reconstruction-curve")
    verdicts.show_lesson(
        f"No count names anybody, and many counts name everybody: {asked.counts:,} "
        f"counts of “{what}” are as many equations for {asked.people} unknowns. "
        "Rounding is no protection: more counts make up for it.",
        f"A total for all counts together. Noise of scale {significant(scale)} on each "
        f"makes them cost ε {epsilon_text(asked.epsilon)} for one person's answer, so "
        "that the best guess about a person whose answer is open is right with "
        f"probability at most e^ε/(1 + e^ε) = {at_most(limit_of(asked.epsilon))}. By "
        f"luck one release may reach more, but more than {percent(luck)} in at most 1 "
        "of 1,000 releases, if people's answers are independent.",
    )


def _runs(shares: FloatArray) -> str:
    if len(shares) == 1:
        return "one release"
    ends = f"from {nearest(float(shares.min()))} to {nearest(float(shares.max()))}"
    return f"mean of {len(shares)} releases, {ends}"


def limit_of(epsilon: float) -> float:
    """Return how often the best guess at even odds is right, at most."""
    return float(ceiling(epsilon, share=0.5))
