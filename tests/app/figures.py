"""The figures that a page shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from streamlit.testing.v1 import AppTest

from ui import live_chart


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFigure:
    """A figure as it was sent to the browser.

    Attributes:
        alt: What is read aloud instead.
        spec: Its traces and its layout, as JSON.

    """

    alt: str
    spec: str

    @property
    def json(self) -> dict[str, Any]:
        """Its traces and its layout."""
        read: dict[str, Any] = json.loads(self.spec)
        return read


def figures(app: AppTest) -> list[ShownFigure]:
    """Return the figures of the page in their order."""
    sent = [
        json.loads(one.proto.bytes)
        for one in app.get("bidi_component")
        if one.proto.component_name == live_chart.NAME
    ]
    return [
        ShownFigure(alt=one["alt"], spec=json.dumps(one["figure"], ensure_ascii=False))
        for one in sent
    ]
