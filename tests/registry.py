"""The pages of the app, as its registry names them."""

import ast
from pathlib import PurePath

from tests.conftest import ROOT

(_MENUS,) = (
    node
    for node in ast.walk(ast.parse((ROOT / "app.py").read_text()))
    if isinstance(node, ast.Dict)
)
_PAGES = [
    (
        ast.literal_eval(menu),
        PurePath(ast.literal_eval(page.args[0])).stem,
        next(ast.literal_eval(k.value) for k in page.keywords if k.arg == "title"),
    )
    for menu, pages in zip(_MENUS.keys, _MENUS.values, strict=True)
    for page in pages.elts
]
NAMES = {stem: name for _, stem, name in _PAGES}
"""What the link of each page says, by its file."""
HEADINGS = NAMES | {"home": "See what differential privacy does to your data"}
"""The title above each page."""
MENUS = {name: menu for menu, _, name in _PAGES if menu}
"""The menu of the top bar that a page is in, where it is not in the bar itself."""
WITHOUT_A_TABLE = {
    "lab",
    "sensitivity",
    "study1",
    "study2",
    "figures12",
    "about",
    "glossary",
    "lessons",
}
"""Pages that never read the table in use."""
