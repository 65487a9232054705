"""The pages of phones: plain HTTP beside Streamlit, so that a class costs little.

A module is loaded once for the process, and no message of a browser can empty it.
Nothing in it comes from a table.

A tab of Streamlit runs the whole page for every answer and every look at what is asked.
A phone needs a question and a few buttons: one static page, and some short requests.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

import streamlit as st
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from dpcore.lessons.classroom import (
    DIGEST,
    LASTS,
    ClassroomRefusal,
    Room,
    Rooms,
    seat_of,
    token_of,
    typed,
)
from epsilon_studio.hosts import is_local, own_address
from epsilon_studio.location import command

ROOMS: Final = Rooms()
KEY: Final = secrets.token_bytes(32)


if TYPE_CHECKING:
    from starlette.requests import Request


PATH: Final = "/class"
"""Where phones join, below the base path of the server."""
HEADER: Final = "x-class"
"""A header that pages of other sites cannot send without being allowed to."""
COOKIE: Final = "seat"
SECONDS: Final = 2
"""How long a phone waits before it asks again."""
_IPV6_NETWORK = 64
_PAGE = Path(__file__).with_name("phone.html").read_text(encoding="utf-8")
_SERVED = threading.Event()
_STATUS = {
    ClassroomRefusal.UNKNOWN: HTTPStatus.NOT_FOUND,
    ClassroomRefusal.FULL: HTTPStatus.FORBIDDEN,
    ClassroomRefusal.CROWDED: HTTPStatus.FORBIDDEN,
    ClassroomRefusal.GUESSING: HTTPStatus.TOO_MANY_REQUESTS,
    ClassroomRefusal.HURRY: HTTPStatus.TOO_MANY_REQUESTS,
}


def routes() -> list[Route]:
    """Return the routes of the phones, for the server to serve."""
    _SERVED.set()
    return [
        Route(path(), _page),
        Route(path("{code}"), _page),
        Route(path("{code}/seat"), _take_seat, methods=["POST"]),
        Route(path("{code}/question"), _question),
        Route(path("{code}/answer/{lesson}/{choice:int}"), _answer, methods=["POST"]),
    ]


def are_served() -> bool:
    """Return whether this server was started with the pages of phones."""
    return _SERVED.is_set()


def path(*parts: str) -> str:
    """Return the path of a page of phones on this server."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return "/".join(["", *filter(None, [base, PATH.strip("/"), *parts])])


async def _page(_: Request) -> Response:
    return HTMLResponse(_PAGE, headers={"Cache-Control": "no-cache"})


async def _take_seat(request: Request) -> Response:
    """Give a phone a seat; one that has a seat in this class keeps it."""
    if HEADER not in request.headers:
        return Response(status_code=HTTPStatus.FORBIDDEN)
    code = typed(request.path_params["code"])
    if _seat(request, code) is not None and ROOMS.room(code) is not None:
        return JSONResponse({})
    refusal = ROOMS.join(code, client=_client(request), now=datetime.now(UTC))
    if refusal is not None:
        return JSONResponse({"refusal": refusal.value}, _STATUS[refusal])
    response = JSONResponse({})
    response.set_cookie(
        COOKIE,
        token_of(secrets.token_urlsafe(9), code=code, key=KEY),
        max_age=int(LASTS.total_seconds()),
        path=path(code),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response


async def _question(request: Request) -> Response:
    code = typed(request.path_params["code"])
    seat = _seat(request, code)
    if seat is None:
        return Response(status_code=HTTPStatus.FORBIDDEN)
    return _state_response(ROOMS.room(code), seat)


async def _answer(request: Request) -> Response:
    code = typed(request.path_params["code"])
    seat = _seat(request, code)
    if seat is None or HEADER not in request.headers:
        return Response(status_code=HTTPStatus.FORBIDDEN)
    lesson, choice = request.path_params["lesson"], request.path_params["choice"]
    ROOMS.answer(code, lesson=lesson, seat=seat, choice=choice)
    return _state_response(ROOMS.room(code), seat)


def _state_response(room: Room | None, seat: str) -> Response:
    if room is None:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    return JSONResponse(
        {"again": SECONDS, **_question_state(room, seat)}, headers={"Cache-Control": "no-store"}
    )


def _question_state(room: Room, seat: str) -> dict[str, Any]:
    """Return what a phone shows; which answer is right, once the question is closed."""
    question = room.question
    if question is None:
        return {}
    chosen = room.answered(room.lesson, seat)
    found: dict[str, Any] = {
        "lesson": room.lesson,
        "situation": room.situation,
        "question": question.text,
        "choices": [choice.text for choice in question.choices],
        "chosen": chosen,
        "open": room.open,
    }
    if not room.open:
        found |= {"right": question.right.text, "because": question.right.why}
        if chosen is not None:
            found["why"] = question.choices[chosen].why
    return found


def _seat(request: Request, code: str) -> str | None:
    return seat_of(request.cookies.get(COOKIE, ""), code=code, key=KEY)


def _client(request: Request) -> str:
    """Return a name of the network address of a phone that only this server can make.

    A device chooses among many addresses of version 6: its network counts.
    """
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        network = host
    else:
        address = getattr(address, "ipv4_mapped", None) or address
        bits = _IPV6_NETWORK if address.version == ipaddress.IPV6LENGTH else 32
        network = str(ipaddress.ip_network((address, bits), strict=False))
    return hmac.new(KEY, network.encode(), DIGEST).hexdigest()


_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - only compared with


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
    if parts.hostname and not is_local(parts.hostname):
        return page  # Behind a proxy, too.
    if address and is_local(address):
        return None
    named = [host for host in hosts if not is_local(host) and "*" not in host]
    if named:
        host = named[0]
    elif hosts and "*" not in hosts:
        return None
    else:
        host = own_address() if address in _EVERYWHERE else address
    if not host:
        return None
    place = f"[{host}]" if ":" in host else host
    return urlunsplit(parts._replace(scheme=(parts.scheme or "http"), netloc=f"{place}:{port}"))


def explain() -> None:
    """Say how the server is started so that other devices can open its pages."""
    st.caption(
        "Phones cannot open this server yet. Restart it with this command. Everybody in your "
        "network can then open the studio."
    )
    port = int(st.get_option("server.port"))
    st.code(f"{command()} --classroom --port {port}", language=None, wrap_lines=True)
