"""What makes two requests the same: names derived from public parameters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from dpcore.errors import ParameterError

# One encoder for all: the chain of a long ledger has thousands of texts.
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical(content: object) -> str:
    """Return the one JSON text of ``content``: sorted keys, shortest floats, no spaces.

    >>> canonical({"b": 0.1, "a": [1, None]})
    '{"a":[1,null],"b":0.1}'

    Raises:
        ParameterError: JSON cannot hold the content, as with NaN or infinity.

    """
    try:
        return _encode(content)
    except (TypeError, ValueError):
        raise ParameterError(
            "the parameters of a request must be finite numbers, text and lists."
        ) from None


def analysis_id(fingerprint: str, parameters: Mapping[str, object]) -> str:
    """Return the name of an analysis of one table, in 32 hexadecimal digits.

    ``fingerprint`` is a keyed digest of the table, so that the name tells nothing about
    the table to whoever lacks the key.
    """
    text = canonical([fingerprint, dict(parameters)])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def mark_of(parameters: Mapping[str, object]) -> str:
    """Return eight digits that a question has on every paper, whatever the table.

    So that a signed page and what was released after it can be held against each other.

    >>> mark_of({"epsilon": 0.1}), mark_of({"epsilon": 0.2})
    ('b7e5462b', 'e1443d25')
    """
    text = canonical(dict(parameters))
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def plan_id(requests: Sequence[str]) -> str:
    """Return the name of a plan that answers some requests together.

    Each of them is answered once, so that no other plan can have the name.

    >>> plan_id(["c0ffee-1", "c0ffee-2"])
    'plan-079d146ab013e41b23dd46225c319711'
    """
    text = canonical(list(requests))
    return f"plan-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def request_id(analysis: str, draw: int) -> str:
    """Return the name of the ``draw``-th answer to an analysis, counted from 1.

    >>> request_id("c0ffee", 2)
    'c0ffee-2'
    """
    if draw < 1:
        raise ParameterError(f"draws are counted from 1, got {draw}.")
    return f"{analysis}-{draw}"
