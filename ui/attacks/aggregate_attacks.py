"""Attacks on totals and counts: differencing, reconstruction, membership."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

import numpy as np
import streamlit as st

from dpcore.arrays import FloatArray
from dpcore.figures.attackers import surest
from dpcore.figures.attacks import (
    RecoveredShares,
    RecoveryCurve,
    bars_picture,
    curve_picture,
    left_picture,
    machine_picture,
    score_picture,
    values_picture,
)
from dpcore.formatting import (
    at_most,
    capital,
    epsilon_text,
    in_full,
    interval_ends,
    nearest,
    percent,
    significant,
)
from dpcore.inference.proportion_intervals import clopper_pearson
from dpcore.privacy.interpretation import best_guess, posterior
from dpcore.studies.attacks.aggregates import (
    Game,
    Parts,
    ReconstructionMethod,
    Rounds,
    Solver,
    attack,
    epsilons,
    game,
    guessing,
    known_roughly,
    likely_at_most,
    noise_scale,
    parts,
    play,
    private_counts,
    recover,
    rounded_counts,
)
from dpcore.studies.attacks.targets import Target
from ui import controls, results, session, work
from ui.attacks.attack_target import AttackTarget, DeclaredAttack, show_lesson, show_verdict
from ui.form import ChoiceSetting, NumberSetting, Seed
from ui.text import after_number, literal


def _differencing(
    subject: AttackTarget, target: Target, *, person: int, epsilon: float, seed: int
) -> None:
    """Subtract two totals, between which somebody moves in."""
    found = attack(target, person, epsilon=epsilon, rng=np.random.default_rng(seed))
    name, unit = subject.called(person), target.unit
    if subject.masked:
        subject.show(left_picture(found), "differencing")
        exact = f"After minus before is the value of {name}, to the last digit."
    else:
        subject.show(values_picture(found, name=name, what=target.what, unit=unit), "differencing")
        adds = "has" if found.bounds.width > 1 else "adds"
        exact = (
            f"{in_full(found.after)} after, minus {in_full(found.before)} before: "
            f"{name} {adds} **{significant(found.exact, 7)}{after_number(unit)}**."
        )
    show_verdict(
        exact,
        f"Of all values that {name} could have, {percent(found.left)} remain possible "
        f"(95% confidence). An attacker who was 50% sure of something about {name} becomes at "
        f"most {surest(epsilon)} sure.",
    )
    show_lesson(
        f"Two harmless totals of “{literal(target.what)}” are one answer about one "
        "person. Nobody can check every pair of questions that will ever be asked.",
        "Noise on each total, large enough for the largest value that is possible. "
        f"{capital(name)} is in one of the two totals and loses ε = {epsilon_text(epsilon)}. "
        f"People in both lose ε = {epsilon_text(2 * epsilon)}, which the ledger adds up.",
    )


_UNITS: Final = (5, 10)
_RUNS: Final = 20


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


def _reconstruction(
    subject: AttackTarget,
    secret: Target,
    *,
    size: int,
    times: int,
    **rest: Any,  # noqa: ANN401 - fields of the settings
) -> None:
    """Solve for the people behind many counts."""
    bits = secret.amounts[:size]
    asked = _ReconstructionSettings(people=len(bits), counts=len(bits) * times, **rest)
    # The key says which column, and never what is in it.
    column = session.public(subject.key("attack-secret-column"))
    key = f"{asked} {secret.what} {subject.simulated} {column}"
    found = work.follow(
        "reconstruction",
        f"{key} {session.generation()}",
        3 + len(asked.totals),
        partial(_recovered_shares, asked, bits),
        doing=f"Solving {asked.counts:,} equations for {asked.people} people …",
    )
    if found is not None:
        _show_recovered(found, asked, bits, subject, literal(secret.what))


def _recovered_shares(
    asked: _ReconstructionSettings, bits: FloatArray
) -> Iterator[tuple[str | float, FloatArray, float]]:
    """Yield what each kind of counts gives away: its name or total, and the runs."""
    rng = np.random.default_rng(asked.seed)
    inside = parts(asked.kind, people=asked.people, counts=asked.counts, rng=rng)
    solver = Solver.of(inside)
    share = known_roughly(float(bits.mean()))
    solve = partial(recover, solver, bits=bits, share=share, method=asked.method)
    yield "exact", solve(rounded_counts(solver, bits)), 0.0
    for unit in _UNITS:
        yield f"rounded to {unit}s", solve(rounded_counts(solver, bits, unit)), 0.0
    # The chosen total first: it is there if the work is stopped.
    for total in sorted(asked.totals.tolist(), key=lambda one: one != asked.epsilon):
        told = private_counts(solver, bits, epsilon=total, runs=asked.runs, rng=rng)
        yield total, solve(told), noise_scale(solver, total)


def _show_recovered(
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
    limit = max(float(best_guess(asked.epsilon, prior=share)), guess)
    bars = RecoveredShares(
        guessing=guess, careless=careless, private=mean, epsilon=asked.epsilon, ceiling=limit
    )
    subject.show(bars_picture(bars), "reconstruction")
    exact = careless["exact"]
    luck = likely_at_most(asked.people, float(posterior(max(share, 1 - share), asked.epsilon)))
    show_verdict(
        f"{asked.counts:,} exact counts reveal {nearest(exact)} of the column: "
        f"{round(exact * asked.people)} of {asked.people} people. Rounding to "
        f"{_UNITS[0]}s leaves {nearest(careless[f'rounded to {_UNITS[0]}s'])}.",
        f"At a total ε = {epsilon_text(asked.epsilon)} the attack is right about "
        f"{nearest(mean)} of the people ({_runs(shares)}); guessing gets "
        f"{nearest(guess)}. No attack can expect more than {at_most(limit)}.",
    )
    ordered = sorted(private)
    if len(ordered) == len(asked.totals):
        curve = RecoveryCurve(
            epsilons=np.array(ordered),
            shares=[private[total][0] for total in ordered],
            ceilings=np.maximum(best_guess(np.array(ordered), prior=share), guess),
            guessing=guess,
            chosen=asked.epsilon,
        )
        subject.show(curve_picture(curve), "reconstruction-curve")
    show_lesson(
        f"No count names anybody, and many counts name everybody: {asked.counts:,} "
        f"counts of “{what}” are as many equations for {asked.people} unknowns. "
        "Rounding is no protection: more counts make up for it.",
        f"A total for all counts together. Noise of scale {significant(scale)} on each makes "
        f"them cost ε = {epsilon_text(asked.epsilon)} for one person's answer. The best guess "
        "about an unknown answer is right with probability e^ε/(1 + e^ε), at most "
        f"{at_most(float(best_guess(asked.epsilon)))}. By luck one release may reach more, "
        f"but more than {percent(luck)} in at most 1 of 1,000 releases, if people's answers "
        "are independent.",
    )


def _runs(shares: FloatArray) -> str:
    if len(shares) == 1:
        return "one release"
    least, most = nearest(float(shares.min())), nearest(float(shares.max()))
    ends = f"from {least} to {most}" if least != most else "all alike"
    return f"mean of {len(shares)} releases, {ends}"


_ROUNDS: Final = 10_000
_BY_HAND: Final = 200
_WORLD: Final = (
    "The total without noise, with or without this person. Which of them is the released number "
    "closer to?"
)
_GUESSES: Final = "_membership-guesses"
_PRIVATE, _EXACT = "a private total", "the exact total"


def _membership(
    subject: AttackTarget, target: Target, *, person: int, epsilon: float, seed: int
) -> None:
    """Let the reader play whether somebody is in a total, then the machine."""
    name = subject.called(person)
    if subject.masked:
        st.caption(
            "Shown for a person of the largest possible value: how often somebody is "
            "found says what they have. “Show values” shows it for the person chosen."
        )
        target, person = replace(target, amounts=np.array([target.largest])), 0
    private = game(target, person, epsilon=epsilon)
    exact = game(target, person, epsilon=None)
    _machine(subject, private, exact, epsilon, seed)
    _by_hand(subject, target, private, exact, name, epsilon, seed)
    show_lesson(
        f"Knowing that {name} is in a table can be the secret itself: a table of patients, "
        "debtors or complainants. An attacker who knows all others needs one exact number.",
        "Noise that makes both cases likely. Any test at ε = "
        f"{epsilon_text(epsilon)} is right at most {surest(epsilon)} of the time. A person "
        "with a small value is found even less often.",
    )


def _machine(subject: AttackTarget, private: Game, exact: Game, epsilon: float, seed: int) -> None:
    """Let the likelihood ratio test play many rounds against both releases."""
    scores = []
    for about in (exact, private):
        rounds = play(about, _ROUNDS, rng=np.random.default_rng([seed, 1]))
        scores.append(float(rounds.right(about.says_inside(rounds.released)).mean()))
    picture = machine_picture(
        careless=scores[0],
        private=scores[1],
        expected=private.expected,
        epsilon=epsilon,
        limit=float(best_guess(epsilon)),
    )
    subject.show(picture, "membership")
    low, high = clopper_pearson(scores[1] * _ROUNDS, _ROUNDS, confidence=0.95)
    ends = interval_ends(100 * float(low), 100 * float(high))
    nothing = " (this person adds nothing to the total)" if not private.value else ""
    show_verdict(
        f"Against exact totals the likelihood ratio test is right in "
        f"{nearest(scores[0])} of {_ROUNDS:,} rounds{nothing}.",
        f"Against private ones it is right in {nearest(scores[1])} ({ends[0]} to "
        f"{ends[1]}%, 95% confidence; exactly {nearest(private.expected)}), and the "
        f"guarantee is at most {surest(epsilon)}.",
    )


def _by_hand(
    subject: AttackTarget,
    target: Target,
    private: Game,
    exact: Game,
    name: str,
    epsilon: float,
    seed: int,
) -> None:
    """Let the reader guess round after round, and keep the score."""
    st.subheader("Play it yourself")
    if subject.masked:
        st.caption("The two totals reveal the value. Switch on “Show values” to play.")
        return
    released = controls.HERE.radio("You see", [_PRIVATE, _EXACT], key="membership-released")
    about = private if released == _PRIVATE else exact
    rounds = play(about, _BY_HAND, rng=np.random.default_rng([seed, 2]))
    game_id = f"{subject.key('game')} {target.what} {name} {released} {epsilon} {seed}"
    guesses = _guesses(game_id)
    place = min(len(guesses), _BY_HAND - 1)
    unit = after_number(target.unit)
    st.markdown(
        f"You know everybody but {name}, and what {name} would add. A coin decides in "
        f"each round whether {name} is in. The total of “{literal(target.what)}” is:"
    )
    totals = {
        f"without {name}": (significant(about.outside, 9), _WORLD),
        f"with {name}": (significant(about.inside, 9), _WORLD),
        f"released, round {place + 1}": (
            significant(float(rounds.released[place]), 7),
            "The total that the coin chose, with noise.",
        ),
    }
    results.metrics(
        {capital(label): (f"{total}{unit}", meaning) for label, (total, meaning) in totals.items()},
        narrow=True,
    )
    with st.container(horizontal=True):
        for words, guess in ((f"{capital(name)} is in", 1), ("Not in", 0)):
            st.button(
                words,
                key=f"membership-{guess}",
                type="primary",
                disabled=len(guesses) >= _BY_HAND,
                on_click=_guess,
                args=(game_id, guess),
            )
        st.button(
            "Restart",
            key="membership-anew",
            on_click=session.set_public,
            args=(_GUESSES, (game_id, ())),
        )
    if guesses:
        _score(subject, about, rounds, np.array(guesses, dtype=np.float64), epsilon)


def _score(
    subject: AttackTarget,
    about: Game,
    rounds: Rounds,
    guesses: np.ndarray[tuple[int], np.dtype[np.float64]],
    epsilon: float,
) -> None:
    played = len(guesses)
    yours = np.asarray(guesses == rounds.inside[:played], dtype=np.float64)
    machine = rounds.right(about.says_inside(rounds.released))[:played]
    was = "in" if rounds.inside[played - 1] else "not in"
    said = "right" if yours[-1] else "wrong"
    st.markdown(
        f"Round {played}: it was **{was}**. You were {said}. Score: "
        f"**{int(yours.sum())} of {played}**; the likelihood ratio test has {int(machine.sum())}."
    )
    limit = float(best_guess(epsilon)) if about.scale else 1.0
    subject.show(score_picture(yours, machine, limit=limit), "membership-score")


def _guesses(game_id: str) -> tuple[int, ...]:
    """Return the guesses of this game; another game begins without any."""
    kept = session.public(_GUESSES)
    if not isinstance(kept, tuple) or kept[0] != game_id:
        return ()
    return cast("tuple[int, ...]", kept[1])


def _guess(game_id: str, guess: int) -> None:
    session.set_public(_GUESSES, (game_id, (*_guesses(game_id), guess)))


def _epsilon(label: str, key: str, most: float = 20.0) -> NumberSetting:
    return NumberSetting(
        label=label, value=1.0, within=(0.01, most), key=key, note=controls.EPSILON_HELP
    )


DIFFERENCING: Final = DeclaredAttack(
    show=_differencing,
    column="attack-numbers",
    person="New resident (row)",
    row={
        "epsilon": _epsilon("ε of each total", "differencing-epsilon"),
        "seed": Seed(key="differencing-seed"),
    },
)
RECONSTRUCTION: Final = DeclaredAttack(
    show=_reconstruction,
    column="attack-secret",
    yes_no=True,
    split=True,
    row={
        "size": ChoiceSetting(
            label="People attacked", options=(50, 100, 200), value=100, key="reconstruction-people"
        ),
        "times": ChoiceSetting(
            label="Counts a person",
            options=(2, 4, 8),
            value=4,
            key="reconstruction-times",
            note="How many counts are asked for, as a multiple of the people.",
        ),
        "kind": ChoiceSetting(
            label="Counted are", options=tuple(Parts), key="reconstruction-parts"
        ),
        "method": ChoiceSetting(
            label="Solved by",
            options=tuple(ReconstructionMethod),
            key="reconstruction-method",
            note="The linear program takes seconds; it does best at moderate noise.",
        ),
        "epsilon": _epsilon("ε of all counts together", "reconstruction-epsilon", 10_000.0),
        "seed": Seed(key="reconstruction-seed"),
    },
)
MEMBERSHIP: Final = DeclaredAttack(
    show=_membership,
    column="attack-member",
    yes_no=True,
    person="Person to find",
    row={
        "epsilon": _epsilon("ε of the total", "membership-epsilon"),
        "seed": Seed(key="membership-seed"),
    },
)
