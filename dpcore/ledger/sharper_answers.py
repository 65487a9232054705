"""Which answers of a ledger can be sharpened, and the request that does so.

Why the total holds, and where it would not, is in ``analyses.sharpening``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from dpcore import secure_noise
from dpcore.analyses import sharpening
from dpcore.analyses.base import Request
from dpcore.analyses.identity import canonical
from dpcore.analyses.measurement import Direct
from dpcore.analyses.sharpening import EARLIER, SHARPENED, EarlierAnswer, SharpenedMechanism
from dpcore.codec import NUMBER
from dpcore.errors import LedgerError, ParameterError
from dpcore.ledger.account import Account
from dpcore.mechanisms.catalog import DISCRETE
from dpcore.releases.record import Release, sharper

_OTHER_VERSION = "It was drawn by another version of the sampler, so its exact law is not known."


def obstacle(earlier: Release, account: Account, releases: Sequence[Release]) -> str | None:
    """Return why an answer cannot be sharpened, in a sentence; ``None`` if it can.

    ``releases`` are all answers about its table.
    """
    drawn_here = earlier.sampler in {secure_noise.sampler(), sharpening.sampler()}
    reasons = {
        "It has a sharper answer already.": earlier.id in sharper(releases),
        "An answer with this mechanism can be sharpened only once.": (
            bool(earlier.sharpens) and earlier.mechanism != DISCRETE.key
        ),
        "Only an answer with Laplace noise can be sharpened.": earlier.mechanism not in SHARPENED,
        "The difference is proved to be enough for a budget in ε, not in ρ.": (
            account.budget.rho is not None
        ),
        "It was charged together with the other answers of a plan.": earlier.plan is not None,
        "A period would be charged less than its answers reveal.": bool(account.periods),
        _OTHER_VERSION: not drawn_here,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def check(release: Release, account: Account, releases: Sequence[Release]) -> None:
    """Raise LedgerError if an answer that sharpens another one must not be stored."""
    earlier = next((one for one in releases if one.id == release.sharpens), None)
    if earlier is None or release.plan is not None:
        raise LedgerError("a sharper answer needs the earlier one in this ledger, and no plan.")
    reason = obstacle(earlier, account, releases)
    if reason is not None:
        raise LedgerError(f"nothing was charged. {reason}")
    told = EARLIER.read(release.request["sharpens"])
    epsilon = NUMBER.read(earlier.request["epsilon"])
    known = replace(told, epsilon=epsilon, values=earlier.values)
    alike = math.isclose(told.scale, earlier.noise, rel_tol=secure_noise.TOLERANCE)
    if told != known or not alike or _question(release) != _question(earlier):
        raise LedgerError("nothing was charged. The ledger describes the earlier answer otherwise.")


def _question(release: Release) -> str:
    """Return what a release is asked, whatever its epsilon."""
    asked = release.request
    return canonical({name: asked[name] for name in asked.keys() - {"epsilon", "sharpens"}})


def sharper_request(earlier: Release, request: Request, epsilon: float) -> Request:
    """Return the request for a sharper answer.

    Args:
        earlier: The answer.
        request: What it answers, as ``reading.request_from`` says.
        epsilon: That of the sharper answer, by itself.

    Raises:
        ParameterError: The answer is no noise on each number, has other noise than this
            version gives it, or no less epsilon.
        ClaimError: The noise does not give the epsilon of the earlier answer.

    """
    plan = request.plan
    if type(plan) is not Direct or not isinstance(plan.mechanism, SharpenedMechanism):
        raise ParameterError(
            "This answer is computed from several noisy numbers and cannot be sharpened."
        )
    if plan.noise != earlier.noise:
        raise ParameterError(_OTHER_VERSION)
    scale = plan.mechanism.secure_scale(
        len(earlier.values), sensitivity=plan.sensitivity, cost=request.cost
    )
    before = EarlierAnswer(
        id=earlier.id, epsilon=request.epsilon, scale=scale, values=earlier.values
    )
    return replace(request, epsilon=epsilon, draw=1, sharpens=before)
