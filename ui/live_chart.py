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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeGuard, cast

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

    from dpcore.figures.theme import Picture, Spec

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
_TITLE: Final = 40
"""Pixels above a film: a line of its title. Where it needs more, the figure is lower."""
_RULES: Final = """
.live-title { font-weight: 600; margin: 0; padding-bottom: 1rem; line-height: 1.5; }
@media print {
  .live-chart, .live-chart .svg-container { width: 100% !important; }
  .live-chart .main-svg { max-width: 100%; height: auto; }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """A picture for each position of a slider, shown in the browser while it is dragged.

    A film is made once and kept: whoever makes it caches it.

    Attributes:
        slider: The key of the slider.
        pictures: A picture by a value of the slider; in between the nearest one is shown.
        sent: The same as the browser gets it: the first picture, and of each what is other.

    """

    slider: str
    pictures: Mapping[float, Picture]
    sent: bytes

    @classmethod
    def of(
        cls,
        slider: str,
        pictures: Mapping[float, Picture],
        *,
        texts: Mapping[str, Sequence[object]] | None = None,
        stepped: bool = False,
    ) -> Film:
        """Return the film of pictures that share the height of the first.

        ``texts`` has what is said beside each picture, by the key of its place: the value
        of the metric there, the first bold words, or the number in a box. Once the slider is
        let go, the page writes the same. A ``stepped`` slider has an option for each picture.
        """
        first, *_ = shown = list(pictures.values())
        changes = [list(_changes(_parts(first), _parts(other))) for other in shown]
        film: Spec = {
            "slider": slider,
            "values": list(pictures),
            "changes": changes,
            "height": _height(first) + _TITLE,
            "texts": texts or {},
            "stepped": stepped,
        }
        return cls(slider=slider, pictures=pictures, sent=_sent(_parts(first), film=film))

    def at(self, value: float) -> Picture:
        """Return the picture that is shown where the slider has a value."""
        return self.pictures[min(self.pictures, key=lambda each: abs(each - value))]


def show(picture: Picture, *, key: str, on_pick: Callable[[object], None] | None = None) -> None:
    """Show the figure of a picture, without its title.

    Colors and fonts are those of the page, which the browser knows. ``on_pick`` is given
    the ``customdata`` of a point that is clicked.
    """
    _component()(
        key=key,
        data=_scenes(_sent(_parts(picture), picks=on_pick is not None)),
        height=_height(picture),
        on_picked_change=on_pick and partial(_picked, on_pick, key),
    )


def show_film(*films: Film, key: str, on_wanted: Callable[[], None] | None = None) -> None:
    """Show a film, with the title of the picture that is shown.

    Of several films, each with its slider, the one is shown whose slider moved last. They
    have the same picture where all sliders are let go. ``on_wanted`` is called as a slider
    is reached, by a pointer or a key, whose film has a single picture so far.
    """
    first, *_ = films[0].pictures.values()
    sent = _scenes(*(film.sent for film in films))
    _component()(key=key, data=sent, height=_height(first) + _TITLE, on_wanted_change=on_wanted)


def _scenes(*sent: bytes) -> bytes:
    """Return what the browser gets: a list of films, or of one picture."""
    return b"[" + b",".join(sent) + b"]"


def _height(picture: Picture) -> int:
    return cast("int", picture.spec["layout"]["height"])


def _parts(picture: Picture) -> Spec:
    return {"alt": picture.alt, "figure": picture.spec, "title": picture.title}


def _sent(picture: Spec, **more: object) -> bytes:
    return encoded({"picture": picture, "script": f"../{_PLOTLY}/plotly.min.js"} | more)


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
        numbers = b64encode(value.tobytes()).decode()
        return {"dtype": f"f{value.dtype.itemsize}", "bdata": numbers} | shape
    return PlotlyJSONEncoder().default(value)


def _changes(first: object, other: object, *path: str | int) -> Iterator[tuple[object, object]]:
    """Yield where another picture differs from the first one, and what is there instead.

    Numbers of a curve have half of their digits: a film is seen in passing.
    """
    if isinstance(first, dict) and isinstance(other, dict):
        for name in first | other:
            yield from _changes(first.get(name), other.get(name), *path, name)
    elif _is_of_parts(first) and _is_of_parts(other) and len(first) == len(other):
        for i, pair in enumerate(zip(first, other, strict=True)):
            yield from _changes(*pair, *path, i)
    elif isinstance(other, np.ndarray):
        is_float = other.dtype.kind == "f"
        if not np.array_equal(np.asarray(first), other, equal_nan=is_float):
            yield path, other.astype(np.float32) if is_float else other
    elif first is not other and first != other:
        yield path, other


def _is_of_parts(node: object) -> TypeGuard[Sequence[object]]:
    return isinstance(node, list | tuple) and all(isinstance(each, dict) for each in node)


def _picked(on_pick: Callable[[object], None], key: str) -> None:
    on_pick(cast("dict[str, object]", session.public(key))["picked"])


def _component() -> ComponentRenderer:
    """Return what mounts a chart; a server learns first where the scripts are."""
    manager = get_bidi_component_manager()
    if manager.get(NAME) is None:
        for root, config in _ASSETS:
            manifest = ComponentManifest(name=_PREFIX, version="", components=[config])
            manager.register_from_manifest(manifest, root)
    return _renderer()


@cache
def _renderer() -> ComponentRenderer:
    return st.components.v2.component(NAME, css=_RULES, js=_SCRIPT, isolate_styles=False)
