"""Under which address other devices open the pages of this server."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

_LOCAL = "localhost"
_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - only compared with
# An address of documents, to which nothing is sent: asked is only the way to it.
_ELSEWHERE = ("192.0.2.1", 9)


def page_for_devices() -> str | None:
    """Return the address of the page on screen for other devices, or ``None``."""
    return for_devices(
        str(st.context.url or ""),
        address=str(st.get_option("server.address") or ""),
        hosts=st.get_option("server.allowedHosts"),
        port=int(st.get_option("server.port")),
    )


def for_devices(page: str, *, address: str, hosts: Sequence[str], port: int) -> str | None:
    """Return the address of a page for other devices, or ``None`` if there is none.

    Args:
        page: Address of the page in the browser of whoever teaches.
        address: Where the server listens; empty for everywhere.
        hosts: Host names that the server admits; none for any.
        port: Port that the server listens on.

    >>> page, home = "http://localhost:8501/lessons", "127.0.0.1"
    >>> for_devices(page, address=home, hosts=[home], port=8501)
    >>> hosts = [home, "studio.lan"]
    >>> for_devices(page, address="0.0.0.0", hosts=hosts, port=8501)
    'http://studio.lan:8501/lessons'

    """
    parts = urlsplit(page)
    if parts.hostname and not _is_local(parts.hostname):
        return page  # Behind a proxy, too.
    if address and _is_local(address):
        return None
    named = [host for host in hosts if not _is_local(host) and "*" not in host]
    if named:
        host = named[0]
    elif hosts and "*" not in hosts:
        return None
    else:
        host = own_address() if address in _EVERYWHERE else address
    if not host:
        return None
    place = f"[{host}]" if ":" in host else host
    scheme = parts.scheme or "http"
    return urlunsplit(parts._replace(scheme=scheme, netloc=f"{place}:{port}"))


def command(host: str, *, port: int) -> str:
    """Return what starts the server so that other devices can open its pages.

    >>> command("studio.lan", port=8501).split(" --server.")[1:3]
    ['port 8501', 'address 0.0.0.0']

    """
    options = [
        ("port", str(port)),
        ("address", _EVERYWHERE[1]),
        *(("allowedHosts", name) for name in (_LOCAL, "127.0.0.1", host)),
    ]
    said = " ".join(f"--server.{name} {value}" for name, value in options)
    return f".venv/bin/streamlit run asgi.py {said}"


def explain() -> None:
    """Say how the server is started so that other devices can open its pages."""
    st.warning(
        "Phones and other devices cannot open this server, because it admits this "
        "computer only. Restart it with this command. Everybody in your network can "
        "then open the studio."
    )
    host = own_address() or "NAME-OF-THIS-COMPUTER"
    port = int(st.get_option("server.port"))
    st.code(command(host, port=port), language=None, wrap_lines=True)


def own_address() -> str:
    """Return the address of this computer in its network; empty if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(_ELSEWHERE)
            found = str(way.getsockname()[0])
        except OSError:
            return ""
    return "" if _is_local(found) else found


def _is_local(host: str) -> bool:
    """Return whether a host is this computer to itself alone."""
    if host.lower().rstrip(".") == _LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
