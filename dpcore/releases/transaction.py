"""A release from request to answer, as one call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

import numpy as np

from dpcore.budget import PrivacyCost, computed, typed
from dpcore.errors import ClaimError, LedgerError, ParameterError
from dpcore.mechanisms.catalog import CATALOG
from dpcore.releases import secure
from dpcore.releases.identity import analysis_id, request_id
from dpcore.releases.record import Mode, Release
from dpcore.statistics.kinds import StatisticKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.base import Mechanism, Sensitivity
    from dpcore.mechanisms.catalog import Entry
    from dpcore.releases.labelled import LabelledIntervals
    from dpcore.releases.ledger import Ledger
    from dpcore.statistics.query import Query

MOST_PEOPLE = 10**8
"""The largest table whose rounding errors are covered where the range is infinite."""
CLAIM_TOLERANCE = 1e-9
"""By how much of itself an epsilon may be off for the error of computing it."""
_EXACT = {StatisticKind.COUNT, StatisticKind.HISTOGRAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked, of which mechanism, at what price. PUBLIC.

    Attributes:
        query: The question.
        mechanism_key: Key of the mechanism in the catalog.
        epsilon: What the mechanism is calibrated to.
        delta: The same; not used where the mechanism needs none.
        draw: The how-manieth answer to this question is asked for, from 1.

    """

    query: Query
    mechanism_key: str
    epsilon: float
    delta: float = 0.0
    draw: int = 1

    def __post_init__(self) -> None:
        if self.mechanism_key not in CATALOG:
            message = f"the mechanism must be one of {', '.join(CATALOG)}."
            raise ParameterError(message)

    @property
    def entry(self) -> Entry:
        """Return what the catalog says about the mechanism."""
        return CATALOG[self.mechanism_key]

    @property
    def used_delta(self) -> float:
        """Return ``delta``, or 0 where the mechanism needs none."""
        return self.delta if self.entry.needs_delta else 0.0

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of the answer as floats compute it.

        Counts are exact. What else has no finite range is at most as large as the
        change by one unit times ``MOST_PEOPLE``.
        """
        sensitivity, bounds = self.query.sensitivity, self.query.bounds
        if self.query.kind in _EXACT:
            return sensitivity
        largest = max(abs(bounds.lower), abs(bounds.upper))
        if math.isinf(largest):
            largest = sensitivity.largest * MOST_PEOPLE
        return secure.widen(sensitivity, largest)

    @property
    def mechanism(self) -> Mechanism:
        """Return the mechanism that draws the answer."""
        return self.entry.calibrate(
            sensitivity=self.sensitivity,
            epsilon=self.epsilon,
            delta=self.used_delta,
            bounds=self.query.bounds,
        )

    @property
    def real_epsilon(self) -> float:
        """Return the epsilon that the mechanism gives at ``used_delta``."""
        return self.mechanism.epsilon(self.sensitivity, delta=self.used_delta)

    @property
    def claim_holds(self) -> bool:
        """Tell whether the mechanism gives the epsilon that it is calibrated to."""
        return self.real_epsilon <= self.epsilon * (1 + CLAIM_TOLERANCE)

    @property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs: its real epsilon where the claim fails."""
        holds = self.claim_holds
        return PrivacyCost(
            epsilon=typed(self.epsilon) if holds else computed(self.real_epsilon),
            delta=typed(self.used_delta),
            rho=computed(self.mechanism.rho(self.sensitivity)),
        )

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        return {
            "query": self.query.parameters(),
            "mechanism": self.mechanism_key,
            "epsilon": float(self.epsilon),
            "delta": float(self.used_delta),
        }

    def analysis(self, fingerprint: str) -> str:
        """Return the name of the analysis of this table, the same for every draw."""
        return analysis_id(fingerprint, self.parameters())


def release(
    request: Request,
    value: FloatArray,
    *,
    ledger: Ledger,
    fingerprint: str,
    mode: Mode,
    now: datetime,
    intervals: Callable[[FloatArray], LabelledIntervals] | None = None,
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
        intervals: Intervals around the released values, from public numbers only.

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
    cost, mechanism = request.cost, request.mechanism
    name = request_id(request.analysis(fingerprint), request.draw)

    def answer() -> Release:
        drawn = secure.draw(
            mechanism, value, sensitivity=request.sensitivity, cost=cost
        )
        query = request.query
        return Release(
            id=name,
            request=request.parameters(),
            title=query.title,
            labels=query.statistic.labels,
            values=tuple(np.asarray(drawn).tolist()),
            mechanism=request.mechanism_key,
            mechanism_label=request.entry.label,
            noise=mechanism.noise,
            cost=cost,
            event=mechanism.event(request.sensitivity).to_dict(),
            relation=query.relation,
            unit=query.unit_text,
            created=now.astimezone(UTC).isoformat(timespec="seconds"),
            draw=request.draw,
            mode=mode,
            sampler=secure.sampler(),
            intervals=intervals(drawn) if intervals else None,
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
