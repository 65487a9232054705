"""The host names that this server answers to, by one setting."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Final

VARIABLE: Final = "EPSILON_STUDIO_HOSTS"
LOCAL: Final = ("localhost", "127.0.0.1")
# An address of documents. Nothing is sent to it: the system only chooses a way to it.
_ELSEWHERE: Final = ("192.0.2.1", 9)


def named() -> tuple[str, ...]:
    """Return the public host names that ``$EPSILON_STUDIO_HOSTS`` lists.

    >>> os.environ[VARIABLE] = "Studio.example.org, 192.168.1.20"
    >>> named()
    ('studio.example.org', '192.168.1.20')
    >>> del os.environ[VARIABLE]
    >>> named()
    ()

    """
    listed = os.environ.get(VARIABLE, "").replace(",", " ").split()
    return tuple(name.lower().rstrip(".") for name in listed)


def own_address() -> str:
    """Return the address of this computer in its network, empty if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(_ELSEWHERE)
            found = str(way.getsockname()[0])
        except OSError:
            return ""
    return "" if is_local(found) else found


def is_local(host: str) -> bool:
    """Return whether a host name means this computer only.

    >>> is_local("127.0.0.2"), is_local("LOCALHOST."), is_local("studio.lan")
    (True, True, False)

    """
    if host.lower().rstrip(".") == LOCAL[0]:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
