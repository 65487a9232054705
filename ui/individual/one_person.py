"""One person's view of a release: what an attacker learns about them. CONFIDENTIAL.

Choosing one person of the table. CONFIDENTIAL: row numbers say who stands out.

The choice is not part of the address of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.base import Mode
from dpcore.data.preparation.steps import names_of
from dpcore.errors import DPCoreError, LedgerError
from dpcore.figures.attackers import person_text
from dpcore.figures.individual.one_person import (
    belief_picture,
    bounds_picture,
    delta_text,
    detection_picture,
    game_text,
    laws_picture,
    realized_picture,
)
from dpcore.formatting import capital, epsilon_text, nearest, percent, significant
from dpcore.individual.losses import Losses
from dpcore.individual.model_losses import evidence_of_release, laws_of_model
from dpcore.individual.published_bounds import epsilon_at, profile
from dpcore.mechanisms.person_laws import PersonLaws, ScalarLaws
from dpcore.models.influence import Influence
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Release
from dpcore.studies.individual import hypothesis_tests
from ui import controls, layout, releasing, results, session
from ui.individual import everybody
from ui.individual.subject import AnySubject, ModelSubject, StatisticSubject, Subject
from ui.study import Study
from ui.text import literal, sentence_of

_DRAWS = 20_000
_ROUNDS = 20
_USUAL_DELTA = 1e-6


def show(subject: Subject, study: Study) -> None:
    """Show the view of a subject."""
    replaced = subject.relation is NeighboringRelation.SUBSTITUTION
    asks = (
        "was it their record, or another one in its place that reveals most?"
        if replaced
        else "were they in the table?"
    )
    st.markdown(
        "An attacker who knows everybody else's record, and this "
        f"{session.unit().noun}'s too, sees "
        f"the release and asks one question: {asks}"
    )
    if replaced:
        st.caption(
            f"Below, “with the {session.unit().noun}” means with their own record, and "
            "“without” with "
            "the other record in its place."
        )
    missing = (
        ""
        if isinstance(subject, StatisticSubject)
        else subject.request.law.for_fit(subject.fit).obstacle
    )
    if missing:
        st.info(missing)
        return
    person = choose(subject, study, "one-person")
    if person is None:
        return
    if not np.isfinite(person.epsilon):
        st.warning(
            f"No finite ε holds for this {session.unit().noun}: some releases reveal them with "
            "certainty. Raise the penalty or the noise."
        )
    key = f"{subject.identity(study)} {person.entry}"
    try:
        laws = session.remember("person-laws", key, lambda: _laws_of(subject, person.entry))
    except DPCoreError as error:
        # Of some releases no closed form is known; the other views do without.
        st.info(sentence_of(error))
        return
    sides: dict[str, Callable[[Subject, Person, PersonLaws], None]] = {
        "Two worlds": _worlds,
        "An attacker": _attacker,
        "Actual releases": lambda *about: _realized(study, *about),
        "Bounds": _bounds,
    }
    layout.show(sides, subject, person, laws, key="person-side")
    layout.methods(
        f"Two laws matter for one {session.unit().noun}: the release with their record, and "
        "the release without it (or with the most revealing other record). The "
        "loss is (ε, δ) if the part of one law above e^ε times the other has probability "
        "at most δ. This must hold in both directions (Wang 2019, definition 2).\n\nThe best "
        "test (Neyman and Pearson) compares the two likelihoods. With an "
        "even prior the best guess is right (1 + δ(0))/2 of the time. After a release the "
        "odds of presence are the odds before times the likelihood ratio. For a pure ε they "
        "change by a factor of at most e^ε (compare fact 5 of Wang 2019, with a bound of "
        "2ε).\n\nThe loss that a release really causes, |log of the ratio| at what was "
        "released, is the ex-post loss (Redberg and Wang 2021, definition 3). It is mostly "
        "smaller than ε, and confidential like everything here.",
        "person-definitions",
    )


def _laws_of(subject: Subject, entry: int) -> PersonLaws:
    """Return the two laws of the release for a person.

    Raises:
        DPCoreError: There is no law without the person, or no closed form.

    """
    request = subject.request
    if isinstance(subject, StatisticSubject):
        unit = subject.request.quantity.name
        label = f"released {request.title}" + (f", {unit}" if unit else "")
        return hypothesis_tests.laws_of_statistic(
            subject.request, subject.exposure, entry, label=label
        )
    fit = subject.fit
    law = subject.request.law.for_fit(fit)
    replaced = subject.relation is NeighboringRelation.SUBSTITUTION
    if law.public and (replaced or subject.codes is not None):
        return law.pair(Influence.of_moves(subject.exposure.influence.move[[entry]]))
    if subject.codes is not None and fit.linear:
        return law.unit_pair(fit, subject.codes, entry)
    return laws_of_model(fit, law, entry, rows=request.unit.rows)


def _worlds(subject: Subject, person: Person, laws: PersonLaws) -> None:
    share = controls.HERE.slider(
        "Show δ at this share of the own ε, %",
        50,
        (0, 150),
        key="person-epsilon",
        note="e^ε is how many times as likely a release may be in one world as in the "
        "other. What exceeds that is δ.",
    )
    known = 0 < person.epsilon < np.inf
    epsilon = share / 100 * (person.epsilon if known else float(subject.request.epsilon))
    delta, presence = hypothesis_tests.hockey_stick(laws, epsilon)
    line = laws.line()
    if line is None:
        st.markdown(
            f"At ε = {significant(epsilon)} δ is {delta_text(delta)}. There is no chart: several "
            f"numbers are released at once, or the {session.unit().noun} moves none of them."
        )
        return
    picture = laws_picture(
        line,
        epsilon=epsilon,
        delta=delta,
        own=person.epsilon,
        presence=presence,
        key=subject.request.mechanism_key,
        quantity=subject.request.quantity,
    )
    results.show(picture, "person-worlds")
    side = "presence" if presence else "absence"
    if subject.relation is NeighboringRelation.SUBSTITUTION:
        side = "own record" if presence else "other record"
    st.markdown(
        f"Raise ε, and the shaded area shrinks: at this {session.unit().noun}'s own ε, "
        f"{epsilon_text(person.epsilon)}, it is δ = {significant(subject.exposure.delta)}"
        f". Here the releases that stick out speak for the {session.unit().noun}'s "
        f"{side}."
    )


def attacker(subject: AnySubject, person: Person, laws: PersonLaws) -> tuple[float, float]:
    """Show what the best attacker finds; return how sure before, and how often right.

    Both are probabilities.
    """
    prior = (
        controls.HERE.slider(
            "How sure the attacker is beforehand, %", 50, (1, 99), key="attacker-prior"
        )
        / 100
    )
    guess = hypothesis_tests.best_guess(laws, prior)
    st.markdown(
        person_text(
            person.epsilon,
            guess,
            delta=subject.exposure.delta,
            prior=prior,
            guarantee=guarantee(subject),
        )
    )
    picture = detection_picture(
        laws.roc(), prior=prior, guess=guess, key=subject.request.mechanism_key
    )
    results.show(picture, "person-detection")
    return prior, guess


def _attacker(subject: Subject, person: Person, laws: PersonLaws) -> None:
    prior, guess = attacker(subject, person, laws)
    st.markdown(
        f"In another game the attacker sees two releases, one with the {session.unit().noun} "
        "and one without. The best attacker identifies them correctly "
        f"{nearest(hypothesis_tests.area(laws))} of the time (the area under the curve; 50% "
        "is guessing)."
    )
    rng = np.random.default_rng(1)
    evidence = (
        laws.evidence(_DRAWS, present=False, rng=rng),
        laws.evidence(_DRAWS, present=True, rng=rng),
    )
    if len(evidence[0]) == 0:
        st.caption("Several numbers at once: beliefs after a release are not drawn.")
        return
    exposure = subject.exposure
    picture = belief_picture(
        evidence,
        prior=prior,
        guarantee=exposure.worst_case if exposure.delta == 0 else np.inf,
        key=subject.request.mechanism_key,
    )
    results.show(picture, "person-belief")
    st.caption(f"The band is simulated, by {_DRAWS:,} releases of each dataset.")
    if session.mode() is Mode.CLASSROOM:
        _game(person, laws, prior, guess)


def _game(person: Person, laws: PersonLaws, prior: float, guess: float) -> None:
    """Let the attacker play; the rounds are simulated."""
    st.markdown("**Play the attacker**")
    game = controls.HERE.draw(
        "Game number",
        f"Another number tosses other coins for {_ROUNDS} rounds.",
        key="attacker-game",
    )
    rng = np.random.default_rng([game, person.entry])
    rounds = hypothesis_tests.play(laws, prior=prior, rounds=_ROUNDS, rng=rng)
    board = " ".join("✓" if turn.present == turn.guess else "✗" for turn in rounds)
    st.markdown(f"{board}\n\n{game_text(rounds, guess)}.")
    present = sum(turn.present for turn in rounds)
    st.caption(
        f"In each round a coin ({percent(prior)}) puts the {session.unit().noun} into the "
        f"table or not ({present} times in, here). A release is drawn, and the attacker names "
        "the likelier case."
    )


def _bounds(subject: Subject, person: Person, laws: PersonLaws) -> None:
    found = profile(laws)
    delta = subject.exposure.delta or _USUAL_DELTA
    known = subject.exposure.delta > 0
    picture = bounds_picture(
        found,
        delta=delta,
        own=person.epsilon if known else epsilon_at(laws, delta),
        key=subject.request.mechanism_key,
    )
    results.show(picture, "person-bounds")
    wrong = [bound for bound in found.bounds if bound.understates.any()]
    if wrong:
        names = ", ".join(f"“{bound.label}”" for bound in wrong)
        st.markdown(
            literal(
                f"At a cross, {names} lies below the exact loss: it claims more privacy "
                "than there is. The studio uses the exact profile."
            )
        )
    elif not found.bounds:
        st.markdown(
            "No published bound is needed here: the curve is the exact profile of the "
            "mechanism on these two values."
        )


def _realized(study: Study, subject: Subject, person: Person, laws: PersonLaws) -> None:
    """Show the losses of possible releases, and of the latest actual one."""
    rng = np.random.default_rng(1)
    found = (
        hypothesis_tests.realized(laws, present=False, draws=_DRAWS, rng=rng),
        hypothesis_tests.realized(laws, present=True, draws=_DRAWS, rng=rng),
    )
    if len(found[0].losses) == 0:
        st.info(
            "Several numbers are released here at once; the loss of one release is not "
            "computed for them."
        )
        return
    classroom = session.mode() is Mode.CLASSROOM
    observed = _of_latest(subject, person, laws, study)
    source = "The latest release of this very question is marked."
    if observed is None and classroom:
        number = controls.HERE.draw(
            "Draw number",
            f"Another number draws another release, with the {session.unit().noun} in the table.",
            key="realized-draw",
        )
        seeded = np.random.default_rng([number, person.entry])
        observed = abs(float(laws.evidence(1, present=True, rng=seeded)[0]))
        source = "The release that is marked is simulated: another number, another one."
    if observed is None:
        source = _unmarked(subject)
    exposure = subject.exposure
    picture = realized_picture(found, own=person.epsilon, delta=exposure.delta, observed=observed)
    results.show(picture, "person-realized")
    st.markdown(
        f"{source} Before a release ε has to cover every outcome; afterwards the loss depends "
        f"only on the released number. The curves are simulated, by {_DRAWS:,} releases of each "
        "dataset."
    )


def _of_latest(subject: Subject, person: Person, laws: PersonLaws, study: Study) -> float | None:
    """Return the loss that the latest release of the question caused, if known."""
    try:
        release = releasing.latest(study.fingerprint, subject.request)
    except LedgerError:
        return None  # the side bar says what is wrong
    if release is None:
        return None
    if not isinstance(subject, StatisticSubject):
        return _of_model(subject, person, release)
    if not isinstance(laws, ScalarLaws) or laws.coordinate is None:
        return None
    released = release.values[laws.coordinate]
    loss = abs(float(laws.evidence_of(released)))
    return loss if np.isfinite(loss) else None


def _of_model(subject: Subject, person: Person, release: Release) -> float | None:
    if isinstance(subject, StatisticSubject) or not subject.fit.linear:
        return None
    if subject.request.mechanism_key == "adaptive" or subject.request.unit.rows > 1:
        return None
    if not _of_leaving(subject):
        return None
    coefficients = np.array(release.values).reshape(-1, len(subject.fit.theta))
    loss = evidence_of_release(subject.fit, subject.request.law, person.entry, coefficients)
    return abs(loss)


def _of_leaving(subject: ModelSubject) -> bool:
    """Tell whether losses are those of a single row that leaves."""
    leaves = subject.relation is NeighboringRelation.ADD_REMOVE
    return leaves and subject.codes is None


def _unmarked(subject: Subject) -> str:
    """Say why no release is marked."""
    if isinstance(subject, StatisticSubject) or _of_leaving(subject):
        return "Nothing was released for this very question yet, so none is marked."
    return (
        "A release of a model is marked where losses compare with the table without "
        f"the {session.unit().noun}, and rows stand for themselves."
    )


MOST, TYPICAL, LEAST = (
    "the most exposed person",
    "a typical person (in the middle of all)",
    "the least exposed person",
)
ROW = "a row of the table"
NOT_THERE = (
    "This row has no value of what is asked for, so it is not part of the release. "
    "Choose another one."
)
COMPARED = "Losses here compare with the table without the record, whatever is compared above."
_WHO = [MOST, TYPICAL, LEAST, ROW]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person: their place behind the release, and row, from 0. CONFIDENTIAL."""

    entry: int = field(repr=False)
    row: int = field(repr=False)
    epsilon: float = field(repr=False)


def with_noun(text: str, noun: str) -> str:
    """Return a text about a person with the ``noun`` of the privacy unit instead."""
    return text.replace("person", noun)


def choose(subject: AnySubject, study: Study, key: str, *, usual: str = MOST) -> Person | None:
    """Ask whom to look at; ``None``, with a word why, where that row does not count."""
    left, right = controls.row([2, 1])
    # Who has several rows is told by their number, in the order of the table.
    noun = study.terms.unit.noun
    number_of = "Row" if study.dataset.cap is None else f"Number of the {noun}"
    who = left.selectbox(
        capital(noun),
        _WHO,
        index=_WHO.index(usual),
        format_func=partial(with_noun, noun=noun),
        key=f"{key}-person",
        kept="session",
    )
    exposure = subject.exposure
    rows = subject.rows(study)
    if who == ROW:
        number = right.number(
            number_of,
            1,
            (1, study.dataset.people),
            key=f"{key}-row-{session.generation()}",
            kept="page",
        )
        found = np.flatnonzero(rows == number - 1)
        if len(found) == 0:
            st.info(NOT_THERE)
            return None
        entry = int(found[0])
    elif who == MOST:
        entry = int(exposure.ranking(1)[0])
    else:
        place = exposure.people // 2 if who == TYPICAL else 0
        entry = int(np.flatnonzero(exposure.epsilon == exposure.ordered[place])[0])
    person = Person(entry=entry, row=int(rows[entry]), epsilon=float(exposure.epsilon[entry]))
    called = names_of(study.in_memory, np.array([person.row]))
    named = "".join(f", {name} {said}" for name, (said,) in called.items())
    told = everybody.loss_text(
        f"{number_of} {person.row + 1}{literal(named)}",
        person.epsilon,
        exposure.delta,
        upper=exposure.upper,
    )
    st.markdown(f"{told}.{_as_exposed(who, exposure)}")
    return person


def who(places: NDArray[np.intp], study: Study) -> dict[str, list[int] | list[str]]:
    """Return who some people are: rows of the table, or who has several of them."""
    dataset = study.in_memory
    # No column of the table is called like those that follow.
    called: dict[str, list[int] | list[str]] = {
        f"{name}, whose rows": said for name, said in names_of(dataset, places).items()
    }
    if dataset.cap is not None:
        return called
    return {"row": [int(place) + 1 for place in places], **called}


def _as_exposed(who: str, exposure: Losses) -> str:
    """Say how many others lose as much as the most exposed person."""
    others = len(exposure.at_the_top()) - 1 if who == MOST else 0
    if not others:
        return ""
    unit = session.unit()
    lose = f"{unit.noun} loses" if others == 1 else f"{unit.nouns} lose"
    return f" {others:,} other {lose} as much; this is the first in the table."


def guarantee(subject: AnySubject) -> float | None:
    """Return the epsilon over all tables; ``None`` if losses are about other changes.

    Public.
    """
    alike = subject.relation is subject.request.relation
    return subject.exposure.worst_case if alike else None
