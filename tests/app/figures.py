"""The figures that a page shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from streamlit.testing.v1 import AppTest

from ui import live_chart


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFigure:
    """A figure as it is in the browser: of a film, the one that belongs to its slider.

    Attributes:
        title: What it shows.
        alt: What is read aloud instead.
        json: Its traces and its layout.

    """

    title: str
    alt: str
    json: dict[str, Any]

    @property
    def spec(self) -> str:
        """Its traces and its layout as text."""
        return json.dumps(self.json, ensure_ascii=False)


def figures(app: AppTest) -> list[ShownFigure]:
    """Return the figures of the page in their order."""
    return [
        _shown(app, json.loads(one.proto.bytes)[0])
        for one in app.get("bidi_component")
        if one.proto.component_name == live_chart.NAME
    ]


def _shown(app: AppTest, sent: dict[str, Any]) -> ShownFigure:
    picture, film = sent["picture"], sent.get("film")
    if film:
        value = app.session_state[film["slider"]]
        nearest = min(range(len(film["values"])), key=lambda i: abs(film["values"][i] - value))
        for (*path, name), changed in film["changes"][nearest]:
            part = picture
            for step in path:
                part = part[step]
            part[name] = changed
    return ShownFigure(title=picture["title"], alt=picture["alt"], json=picture["figure"])
