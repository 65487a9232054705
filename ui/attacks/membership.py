"""Membership: is this person in the table? Played by hand and by a machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.figures.attackers import surest
from dpcore.figures.attacks import machine_picture, score_picture
from dpcore.inference.share_intervals import clopper_pearson
from dpcore.studies.attacks.membership import Game, Rounds, game, play
from dpcore.studies.attacks.reconstruction import ceiling
from dpcore.studies.attacks.targets import Target
from dpcore.wording import capital, epsilon_text, interval_ends, nearest, significant
from ui import controls, session
from ui.attacks import subject as people
from ui.attacks import verdicts
from ui.attacks.subject import AttackTarget
from ui.text import after_number, literal

_ROUNDS: Final = 10_000
_BY_HAND: Final = 200
_WORLD: Final = (
    "The total without noise, in one of the two worlds. Which of both is the released "
    "number closer to?"
)
_RELEASED: Final = "The total of the world that the coin chose, with noise."
_GUESSES: Final = "_membership-guesses"
_PRIVATE, _EXACT = "a private total", "the exact total"


def show_membership(subject: AttackTarget) -> None:
    """Ask whom the game is about, let the reader play, then the machine."""
    cells = controls.row([1.4, 1, 1, 1, 1.2])
    target = people.ask_numbers((cells[0], cells[4]), subject, "attack-member", yes_no=True)
    if target is None:
        return
    person = people.ask_person(cells[1], subject, target, "Who is looked for")
    epsilon = cells[2].number(
        "ε of the total", 1.0, (0.01, 20.0), key="membership-epsilon", note=controls.EPSILON_HELP
    )
    seed = int(cells[3].seed(key="membership-seed"))
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
    verdicts.show_lesson(
        f"To learn that {name} is in a table can be the secret itself: a table of "
        "patients, of debtors, of those who complained. Who knows all others needs one "
        "exact number.",
        "Noise that makes both worlds likely. Whatever test is tried, at ε "
        f"{epsilon_text(epsilon)} it is right at most {surest(epsilon)} of the time; a "
        "person whose value adds little to the total is found even less often.",
    )


def _machine(subject: AttackTarget, private: Game, exact: Game, epsilon: float, seed: int) -> None:
    """Let the likelihood ratio test play many rounds against both releases."""
    scores = []
    for about in (exact, private):
        rounds = play(about, _ROUNDS, rng=np.random.default_rng([seed, 1]))
        right = rounds.right(about.says_inside(rounds.released))
        scores.append(float(right.mean()))
    limit = float(ceiling(epsilon, share=0.5))
    picture = machine_picture(
        careless=scores[0],
        private=scores[1],
        expected=private.expected,
        epsilon=epsilon,
        limit=limit,
    )
    subject.show(picture, "membership")
    low, high = clopper_pearson(scores[1] * _ROUNDS, _ROUNDS, confidence=0.95)
    ends = interval_ends(100 * float(low), 100 * float(high))
    nothing = " (this person adds nothing to the total)" if not private.value else ""
    verdicts.show_verdict(
        f"Against exact totals the likelihood ratio test is right in "
        f"{nearest(scores[0])} of {_ROUNDS:,} rounds{nothing}.",
        f"Against private ones it is right in {nearest(scores[1])} ({ends[0]} to "
        f"{ends[1]} %, 95 % confidence; exactly {nearest(private.expected)}), and the "
        f"promise is at most {surest(epsilon)}.",
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
        st.caption("The two totals say the value. Switch on “Show values” to play.")
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
    row = st.container(horizontal=True, gap="large")
    numbers = {
        f"without {name}": significant(about.outside, 9),
        f"with {name}": significant(about.inside, 9),
        f"released, round {place + 1}": significant(float(rounds.released[place]), 7),
    }
    for label, number in numbers.items():
        row.metric(
            capital(label),
            f"{number}{unit}",
            width="content",
            help=_RELEASED if label.startswith("released") else _WORLD,
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
        st.button("Start anew", key="membership-anew", on_click=_start, args=(game_id,))
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
        f"**{int(yours.sum())} of {played}**; the machine has {int(machine.sum())}."
    )
    limit = float(ceiling(epsilon, share=0.5)) if about.scale else 1.0
    subject.show(score_picture(yours, machine, limit=limit), "membership-score")


def _guesses(game_id: str) -> tuple[int, ...]:
    """Return the guesses of this game; another game begins without any."""
    kept = session.public(_GUESSES)
    if not isinstance(kept, tuple) or kept[0] != game_id:
        return ()
    return cast("tuple[int, ...]", kept[1])


def _guess(game_id: str, guess: int) -> None:
    session.set_public(_GUESSES, (game_id, (*_guesses(game_id), guess)))


def _start(game_id: str) -> None:
    session.set_public(_GUESSES, (game_id, ()))
