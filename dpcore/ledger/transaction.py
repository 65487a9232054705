"""A release from request to answer, or of several fixed in advance, as one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from dpcore.analyses.base import Mode, Releasable
from dpcore.analyses.identity import request_id
from dpcore.errors import ClaimError, LedgerError
from dpcore.ledger.account import Account
from dpcore.ledger.ledger import Ledger
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.record import InPlan, Release
from dpcore.version import VERSION


def release(
    request: Releasable,
    value: Any,  # noqa: ANN401 - what the request's plan draws from
    *,
    ledger: Ledger,
    fingerprint: str,
    mode: Mode,
    now: datetime,
    called: str = "",
) -> Release:
    """Return the answer to a request; the first time, draw it and spend its cost.

    The answer is drawn first. Check, debit and store are one transaction of the ledger,
    so that the same request (same table, same parameters, same draw) has one answer
    and one debit. A draw that is not stored is discarded.

    Args:
        request: What is asked.
        value: What ``request.value`` returns for the table. CONFIDENTIAL.
        ledger: Where the table has an account.
        fingerprint: Keyed digest that names the account.
        mode: In release mode a claim that does not hold is refused.
        now: When the answer is drawn, with its time zone.
        called: What the curator calls the question. It is kept with a new answer, and
            is no part of what makes two requests the same.

    Raises:
        BudgetExceeded: The cost does not fit into what is left.
        ClaimError: The mechanism does not give the epsilon asked for, or has no secure
            sampler.
        LedgerError: There is no account, or it has another relation or unit.
        ParameterError: The value or the noise cannot be released.

    """
    _check_claim(request, mode)
    account = ledger.account(fingerprint)
    asked = _asked(request, value, fingerprint, account, called)
    return ledger.charge(
        fingerprint,
        asked.name,
        request.due,
        lambda: asked.answer(mode, now),
        unit_rows=request.unit.rows,
    )


def release_all(  # noqa: PLR0913 - names of questions are no part of them
    requests: Sequence[Releasable],
    values: Sequence[Any],
    *,
    cost: Callable[[Sequence[Releasable]], PrivacyCost],
    ledger: Ledger,
    fingerprint: str,
    mode: Mode,
    now: datetime,
    called: Sequence[str] = (),
) -> tuple[Release, ...]:
    """Return the answers to questions that were fixed before the first of them.

    Those without an answer yet are paid for and stored in one transaction, all or
    none: a plan, with one debit of ``cost(those)``, whatever they would cost one after
    another. That is allowed because nothing in the plan was chosen in view of an answer
    in it, so that tighter totals than the sum hold for it; the plan as a whole is one
    release to the budget, and may have been chosen in view of earlier ones. Questions
    that were answered before are free, and are not part of it.

    Args:
        requests: What is asked. The same question twice has one answer.
        values: What each ``request.value`` returns for the table. CONFIDENTIAL.
        cost: What questions cost as one fixed plan, rounded up. It is asked for those
            that have no answer yet, in the order of ``requests``, and again if
            somebody else answers one of them meanwhile.
        ledger: Where the table has an account.
        fingerprint: Keyed digest that names the account.
        mode: In release mode a claim that does not hold is refused.
        now: When the answers are drawn, with its time zone.
        called: What the curator calls each question, if there are such names.

    Returns:
        An answer for each request, in their order. Those that are new say in ``plan``
        that they were made together, and what that cost.

    Raises:
        BudgetExceeded: The cost does not fit into what is left.
        ClaimError: A mechanism does not give the epsilon asked for, or has no secure
            sampler.
        LedgerError: There is no account, or it has another relation or unit.
        ParameterError: A value or noise cannot be released.

    """
    for request in requests:
        _check_claim(request, mode)
    account = ledger.account(fingerprint)
    names: list[str] = []
    asked: dict[str, _Draw] = {}
    known = called or [""] * len(requests)
    for request, value, name in zip(requests, values, known, strict=True):
        one = _asked(request, value, fingerprint, account, name)
        names.append(one.name)
        asked.setdefault(one.name, one)
    if not asked:
        return ()
    made = ledger.charge_all(
        fingerprint,
        {name: one.request.due for name, one in asked.items()},
        lambda new: cost([asked[name].request for name in new]),
        lambda name, plan: asked[name].answer(mode, now, plan),
        unit_rows=requests[0].unit.rows,
    )
    answers = dict(zip(asked, made, strict=True))
    return tuple(answers[name] for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """A request about a table, with what its answer is drawn from. CONFIDENTIAL."""

    request: Releasable
    value: Any = field(repr=False)
    name: str
    account: Account | None
    called: str

    def answer(self, mode: Mode, now: datetime, together: InPlan | None = None) -> Release:
        """Draw the answer, and write it down."""
        request = self.request
        cost, plan = request.cost, request.plan
        drawn = plan.answer(self.value, cost=cost)
        return Release(
            id=self.name,
            request=request.parameters(),
            title=request.title,
            labels=drawn.labels,
            values=drawn.values,
            mechanism=request.mechanism_key,
            mechanism_label=request.mechanism_label,
            noise=plan.noise,
            cost=cost,
            event=plan.event.to_dict(),
            relation=request.relation,
            unit=request.unit_text,
            created=now.astimezone(UTC).isoformat(timespec="seconds"),
            draw=request.draw,
            mode=mode,
            sampler=request.sampler,
            intervals=drawn.intervals,
            derived=drawn.derived,
            statement=request.statement,
            budget=None if self.account is None else self.account.budget,
            version=VERSION,
            units=request.units,
            unsaid=drawn.unsaid,
            plan=together,
            nouns=request.unit.nouns if request.unit.is_named else "",
            name=self.called,
            charged=None if request.due == cost else request.due,
        )


def _asked(
    request: Releasable,
    value: Any,  # noqa: ANN401 - what the request's plan draws from
    fingerprint: str,
    account: Account | None,
    called: str,
) -> _Draw:
    """Name a request; refuse one that does not fit the account."""
    _check_terms(request, account)
    name = request_id(request.analysis(fingerprint), request.draw)
    return _Draw(request=request, value=value, name=name, account=account, called=called)


def _check_claim(request: Releasable, mode: Mode) -> None:
    refusal = request.refusal(mode)
    if refusal is not None:
        raise ClaimError(refusal)


def _check_terms(request: Releasable, account: Account | None) -> None:
    if account is None:
        return  # the ledger says so
    asked = request.relation, request.unit.rows
    if (account.relation, account.unit_rows) != asked:
        raise LedgerError(
            f"the account of this table is kept for {account.relation.phrase} and at "
            f"most {account.unit_rows} rows a unit. Ask under the same terms."
        )
