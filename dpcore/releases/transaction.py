"""A release from request to answer, as one call."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from dpcore.errors import ClaimError, LedgerError
from dpcore.releases import secure
from dpcore.releases.identity import request_id
from dpcore.releases.record import Mode, Release

if TYPE_CHECKING:
    from datetime import datetime

    from dpcore.data.bounds import FloatArray
    from dpcore.releases.ledger import Ledger
    from dpcore.releases.request import Request


def release(
    request: Request,
    value: FloatArray,
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
        value: The statistic of the table, shape ``(k,)``. CONFIDENTIAL.
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
    if not request.entry.releasable:
        message = (
            f"{request.entry.label} has no secure sampler: it can be studied, not "
            "released. Choose another mechanism."
        )
        raise ClaimError(message)
    if mode is Mode.RELEASE and not request.claim_holds:
        message = (
            f"{request.entry.label} gives epsilon {request.real_epsilon:.4g} here, not "
            f"{request.epsilon:g}. Choose another mechanism."
        )
        raise ClaimError(message)
    _check_terms(request, ledger, fingerprint)
    cost, plan = request.cost, request.plan
    name = request_id(request.analysis(fingerprint), request.draw)

    def answer() -> Release:
        drawn = plan.answer(value, cost=cost)
        query = request.query
        return Release(
            id=name,
            request=request.parameters(),
            title=query.title,
            labels=drawn.labels,
            values=drawn.values,
            mechanism=request.mechanism_key,
            mechanism_label=request.entry.label,
            noise=plan.noise,
            cost=cost,
            event=plan.event.to_dict(),
            relation=query.relation,
            unit=query.unit_text,
            created=now.astimezone(UTC).isoformat(timespec="seconds"),
            draw=request.draw,
            mode=mode,
            sampler=secure.sampler(),
            intervals=drawn.intervals,
            derived=drawn.derived,
        )

    return ledger.charge(
        fingerprint, name, cost, answer, unit_rows=request.query.unit.rows
    )


def _check_terms(request: Request, ledger: Ledger, fingerprint: str) -> None:
    account = ledger.account(fingerprint)
    if account is None:
        return  # the ledger says so
    asked = request.query.relation, request.query.unit.rows
    if (account.relation, account.unit_rows) != asked:
        message = (
            f"the account of this table is kept for {account.relation.phrase} and at "
            f"most {account.unit_rows} rows a unit. Ask under the same terms."
        )
        raise LedgerError(message)
