"""A release from request to answer, as one call."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from dpcore import __version__
from dpcore.errors import ClaimError, LedgerError
from dpcore.releases import secure
from dpcore.releases.identity import request_id
from dpcore.releases.record import Mode, Release

if TYPE_CHECKING:
    from datetime import datetime

    from dpcore.releases.account import Account
    from dpcore.releases.ledger import Ledger
    from dpcore.releases.releasable import Releasable


def release(
    request: Releasable,
    value: Any,  # noqa: ANN401 - what the request's plan draws from
    *,
    ledger: Ledger,
    fingerprint: str,
    mode: Mode,
    now: datetime,
) -> Release:
    """Return the answer to a request; the first time, draw it and spend its cost.

    Check, debit, draw and store are one transaction of the ledger, so that the same
    request (same table, same parameters, same draw) has one answer and one debit.

    Args:
        request: What is asked.
        value: What ``request.value`` returns for the table. CONFIDENTIAL.
        ledger: Where the table has an account.
        fingerprint: Keyed digest that names the account.
        mode: In release mode a claim that does not hold is refused.
        now: When the answer is drawn, with its time zone.

    Raises:
        BudgetExceeded: The cost does not fit into what is left.
        ClaimError: The mechanism does not give the epsilon asked for, or has no secure
            sampler.
        LedgerError: There is no account, or it has another relation or unit.
        ParameterError: The value or the noise cannot be released.

    """
    refusal = request.refusal(mode)
    if refusal is not None:
        raise ClaimError(refusal)
    account = ledger.account(fingerprint)
    _check_terms(request, account)
    cost, plan = request.cost, request.plan
    name = request_id(request.analysis(fingerprint), request.draw)

    def answer() -> Release:
        drawn = plan.answer(value, cost=cost)
        return Release(
            id=name,
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
            sampler=secure.sampler(),
            intervals=drawn.intervals,
            derived=drawn.derived,
            statement=request.statement,
            budget=None if account is None else account.budget,
            version=__version__,
            units=request.units,
            unsaid=drawn.unsaid,
        )

    return ledger.charge(fingerprint, name, cost, answer, unit_rows=request.unit.rows)


def _check_terms(request: Releasable, account: Account | None) -> None:
    if account is None:
        return  # the ledger says so
    asked = request.relation, request.unit.rows
    if (account.relation, account.unit_rows) != asked:
        message = (
            f"the account of this table is kept for {account.relation.phrase} and at "
            f"most {account.unit_rows} rows a unit. Ask under the same terms."
        )
        raise LedgerError(message)
