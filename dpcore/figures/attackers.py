"""What epsilon and delta allow an attacker, in one number and one sentence.

All pages say it with these functions, so that one guarantee has one number. What is
known of one person, or of one mechanism, is another thing and is said to be one.
"""

from __future__ import annotations

from dpcore.privacy.interpretation import best_guess, posterior
from dpcore.wording import at_most, epsilon_text, nearest, percent, significant


def surest(epsilon: float, *, delta: float = 0.0, prior: float = 0.5) -> str:
    """Return what becomes of a belief at most, as a percentage rounded up.

    Without a delta it is the belief after any release, with one how often the best
    guess is right: single releases may then say more.

    >>> surest(1.0), surest(1.0, delta=0.01), surest(0.0), surest(1.0, prior=0.1)
    ('73.2 %', '73.4 %', '50 %', '23.2 %')
    """
    if delta > 0:
        return at_most(float(best_guess(epsilon, delta=delta, prior=prior)))
    return at_most(float(posterior(prior, epsilon)))


def belief_text(epsilon: float, *, delta: float = 0.0, prior: float = 0.5, about: str = "") -> str:
    """Return in a sentence what somebody may believe after a release, at most.

    ``about`` says what the belief is about, such as " about a person".

    >>> belief_text(1.0, about=" about a person")
    'an attacker who was 50 % sure about a person becomes at most 73.2 % sure'
    >>> belief_text(1.0, delta=0.01)
    'an attacker who was 50 % sure is then right at most 73.4 % of the time, δ included'
    """
    before = f"an attacker who was {percent(prior)} sure{about}"
    limit = surest(epsilon, delta=delta, prior=prior)
    if delta > 0:
        return f"{before} is then right at most {limit} of the time, δ included"
    return f"{before} becomes at most {limit} sure"


def person_text(
    own: float, guess: float, *, delta: float, prior: float, guarantee: float | None
) -> str:
    """Return what a guarantee, a person's own loss and the whole law say, and why.

    Both epsilons, the person's ``own`` and the ``guarantee`` over all tables (``None``
    if it is about other changes), go with ``delta``; ``guess`` says how often the best
    guess about the person is right.

    >>> said = person_text(0.5, 0.61, delta=0, prior=0.5, guarantee=1.0)
    >>> print(said)  # doctest: +NORMALIZE_WHITESPACE
    By the guarantee, ε 1, an attacker who was 50 % sure becomes at most 73.2 %
    sure, whoever it is about. By this person's own loss, ε 0.5, it is at most
    62.3 %. That is after the release that tells most; over all releases the best
    guess is right 61 % of the time, because most tell less.

    """
    limit = surest(own, delta=delta, prior=prior)
    loss = f"this person's own loss, ε {significant(own)}"
    at = f" at δ {significant(delta)}" if delta > 0 else ""
    if guarantee is None:
        said = (
            f"By {loss}{at}, {belief_text(own, delta=delta, prior=prior)}. (The "
            "guarantee is about another change of the table than this one.)"
        )
    else:
        general = belief_text(guarantee, delta=delta, prior=prior)
        said = (
            f"By the guarantee, ε {epsilon_text(guarantee)}{at}, {general}, whoever it "
            f"is about. By {loss}, it is at most {limit}."
        )
    if delta > 0:
        return (
            f"{said} That is what ε and δ allow; by the whole law of this release the "
            f"best guess is right {nearest(guess)} of the time."
        )
    return (
        f"{said} That is after the release that tells most; over all releases the best "
        f"guess is right {nearest(guess)} of the time, because most tell less."
    )


def odds_text(epsilon: float, delta: float = 0.0, *, noun: str = "person") -> str:
    """Return a guarantee in plain words; ``noun`` is what the privacy unit is called.

    >>> odds_text(1.0)
    'ε 1: an attacker who was 50 % sure about one person becomes at most 73.2 % sure'
    """
    name = f"ε {epsilon_text(epsilon)}"
    if delta > 0:
        name += f", δ {significant(delta, up=True)}"
    return f"{name}: {belief_text(epsilon, delta=delta, about=f' about one {noun}')}"
