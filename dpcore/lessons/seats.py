"""Seats of a class: given by the server, and signed so that no phone can invent one."""

from __future__ import annotations

import hmac
from typing import Final

DIGEST: Final = "sha256"


def token_of(seat: str, *, code: str, key: bytes) -> str:
    """Return what a phone shows for its seat in a class.

    Args:
        seat: Name of the seat, without a full stop.
        code: Code of the class.
        key: Key of the server.

    >>> token_of("a", code="KXTBHRM", key=b"key")[:4]
    'a.dc'

    """
    return f"{seat}.{_signature(seat, code, key)}"


def seat_of(token: str, *, code: str, key: bytes) -> str | None:
    """Return the seat of a token; ``None`` if it was not signed for this class.

    >>> token = token_of("a", code="KXTBHRM", key=b"key")
    >>> seat_of(token, code="KXTBHRM", key=b"key")
    'a'
    >>> seat_of(token, code="KXTBHRN", key=b"key")
    """
    seat, _, signature = token.partition(".")
    expected = _signature(seat, code, key).encode()
    return seat if hmac.compare_digest(signature.encode(), expected) else None


def _signature(seat: str, code: str, key: bytes) -> str:
    return hmac.new(key, f"{code}.{seat}".encode(), DIGEST).hexdigest()
