"""Figures on pages: a chart that stays, and follows each change of its figure.

``st.plotly_chart`` mounts a changed figure anew, and draws it twice. This component
keeps the chart, and gives the change to Plotly. Both scripts come from this server: the
one of the ``plotly`` package, and ``browser/live_chart.js``. Their addresses name
their versions, so that a browser may keep them.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import plotly
import streamlit as st
from plotly.io.json import to_json_plotly
from plotly.utils import PlotlyJSONEncoder
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from ui import session

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

    from dpcore.figures.theme import Spec

_FOLDER: Final = Path(__file__).parent
_SCRIPT: Final = "live_chart.js"
_VERSION: Final = hashlib.sha256((_FOLDER / "browser" / _SCRIPT).read_bytes()).hexdigest()[:12]
_ASSETS: Final = (
    (_FOLDER, ComponentConfig(name=f"chart-{_VERSION}", asset_dir="browser")),
    (
        Path(plotly.__file__).parent,
        ComponentConfig(name=f"plotly-{plotly.__version__}", asset_dir="package_data"),
    ),
)
_PREFIX: Final = "live"
NAME, _PLOTLY = (f"{_PREFIX}.{config.name}" for _, config in _ASSETS)
_PRINTED: Final = """
@media print {
  .live-chart, .live-chart .svg-container { width: 100% !important; }
  .live-chart .main-svg { max-width: 100%; height: auto; }
}
"""


def show(
    figure: Spec, *, key: str, alt: str, on_pick: Callable[[object], None] | None = None
) -> None:
    """Show a figure, which ``alt`` describes to whom it is read aloud.

    Colors and fonts are those of the page, which the browser knows. ``on_pick`` is given
    the ``customdata`` of a point that is clicked.
    """
    sent = {
        "alt": alt,
        "figure": figure,
        "picks": on_pick is not None,
        "script": f"../{_PLOTLY}/plotly.min.js",
    }
    _register()
    _component()(
        key=key,
        data=encoded(sent),
        height=figure["layout"]["height"],
        on_picked_change=on_pick and partial(_picked, on_pick, key),
    )


def encoded(sent: Spec) -> bytes:
    """Return JSON with arrays as bytes, which Plotly reads much faster than digits."""
    try:
        text = json.dumps(sent, default=_plain, allow_nan=False)
    except ValueError:  # JSON has no word for what is not finite; in arrays it may stay
        text = to_json_plotly(sent)
    return text.encode()


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim:
        shape = {"shape": ",".join(map(str, value.shape))} if value.ndim > 1 else {}
        numbers = value.astype(np.float64).tobytes()
        return {"dtype": "f8", "bdata": b64encode(numbers).decode()} | shape
    return PlotlyJSONEncoder().default(value)


def _picked(on_pick: Callable[[object], None], key: str) -> None:
    on_pick(cast("dict[str, object]", session.public(key))["picked"])


def _register() -> None:
    """Tell the server where the scripts are, if it does not know yet."""
    manager = get_bidi_component_manager()
    if manager.get(NAME) is None:
        for root, config in _ASSETS:
            manifest = ComponentManifest(name=_PREFIX, version="", components=[config])
            manager.register_from_manifest(manifest, root)


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component(NAME, css=_PRINTED, js=_SCRIPT, isolate_styles=False)
