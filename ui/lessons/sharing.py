"""A link to the open step, and a code to point a phone at."""

from __future__ import annotations

from io import BytesIO
from urllib.parse import urlencode, urlsplit, urlunsplit

import segno
import streamlit as st

from ui.lessons import hosting
from ui.lessons.choosing import LessonPlace

_SCALE, _WIDTH = 8, 300


def show_sharing(place: LessonPlace) -> None:
    """Show the link once it is asked for."""
    area = st.expander("Link to this step", key="lesson-link", on_change="rerun")
    if not area.open:
        return
    page = hosting.page_for_devices()
    address = link(page or str(st.context.url or ""), place.settings)
    with area:
        if page is None:
            hosting.explain()
        else:
            st.image(code(address), alt="QR code of the link below", width=_WIDTH)
        st.code(address, language=None, wrap_lines=True)
        st.caption("The link opens this step. It contains nothing of a table.")


def code(address: str) -> str:
    """Return a QR code of an address, an SVG picture: dark on light on any page.

    >>> code("http://127.0.0.1:8501/lessons")[:4]
    '<svg'
    """
    drawn = BytesIO()
    segno.make(address, micro=False, error="m").save(
        drawn, kind="svg", scale=_SCALE, light="white", xmldecl=False
    )
    return drawn.getvalue().decode()


def link(page: str, settings: dict[str, str]) -> str:
    """Return the address of a page with these settings and no others.

    >>> link("http://127.0.0.1:8501/lessons?mode=x#top", {"path": "class"})
    'http://127.0.0.1:8501/lessons?path=class'
    """
    parts = urlsplit(page)
    return urlunsplit(parts._replace(query=urlencode(settings), fragment=""))
