"""Take the pictures of the documentation anew: ``python -m tests.browser.pictures``."""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Error, ViewportSize, expect, sync_playwright

from epsilon_studio import hosts
from tests.browser.rest import listened
from tests.browser.server import FLAGS, HOST, ROOT, Server, system_browser
from tests.browser.visitor import Visitor, visit

FOLDER: Final = ROOT / "docs"
TUTORIAL: Final = FOLDER / "tutorial-curator.md"
PICTURES: Final = (
    "home",
    "data",
    "before-release",
    "release",
    "privacy-loss",
    "budget",
    "documents",
    "plan",
    "compare",
    "sign-off",
    "meaning",
    "lesson",
    "teach",
    "laboratory",
)
"""The pictures of the documentation, in the order in which they are taken."""
LARGEST: Final = 2_000_000
"""How many bytes all of them may have together."""
OPTIONS: Final = ("--server.address=0.0.0.0",)
"""How the server of the tutorials is started: phones can join."""
_VIEW: Final[ViewportSize] = {"width": 1280, "height": 900}
_COLORS: Final = 128
_DRAWN: Final = 10_000
# Where the pointer is over nothing that it would change.
_ASIDE: Final = (1270, 890)


def table() -> str:
    """Return the table of the curator's tutorial, which its first block writes."""
    block = re.search(r"```python\n(.+?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    names: dict[str, object] = {}
    exec(block[1].partition("Path(")[0], names)  # noqa: S102 - our own
    return str(names["text"])


def save(name: str, picture: bytes) -> None:
    """Keep a picture of the documentation, in few colors."""
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(_COLORS)
    image.save(FOLDER / f"{name}.png", optimize=True)


def take(visitor: Visitor, name: str) -> None:
    """Take a picture of the page once its figures are drawn, as far as it has any."""
    visitor.settle()
    with suppress(AssertionError, Error):
        skeletons = visitor.page.get_by_test_id("stSkeleton")
        expect(skeletons).to_have_count(0, timeout=_DRAWN)
    visitor.page.mouse.move(*_ASIDE)
    visitor.page.wait_for_timeout(1000)
    save(name, visitor.page.screenshot())


def declare(visitor: Visitor) -> None:
    """Declare the table of the curator's tutorial, and set its budget."""
    visitor.edit_columns()
    visitor.choose("Column", "department")
    labels = visitor.page.get_by_role("textbox", name="Public list of categories")
    labels.fill("care\nkitchen\noffice")
    labels.press("Control+Enter")
    visitor.settle()
    for column, lower, upper in (("age", 18, 70), ("salary", 15_000, 120_000)):
        visitor.choose("Column", column)
        visitor.number("Lower bound", lower)
        visitor.number("Upper bound", upper)
    visitor.page.keyboard.press("Escape")
    visitor.settle()
    visitor.number("Privacy budget ε", 2)


def add(visitor: Visitor) -> None:
    """Add the question of the page to the plan."""
    visitor.button("Add to plan").click()
    visitor.settle()


def curator(visitor: Visitor, shoot: Callable[[str], None]) -> None:
    """Release a mean of the table of the tutorial."""
    shoot("home")
    visitor.send(table(), "staff.csv")
    declare(visitor)
    shoot("data")
    visitor.button("Continue to Release").click()
    visitor.heading("Release").wait_for()
    shoot("before-release")
    visitor.press_release()
    shoot("release")
    visitor.go("privacy_loss")
    visitor.open_confidential()
    shoot("privacy-loss")
    visitor.go("budget")
    shoot("budget")
    visitor.go("documents")
    shoot("documents")


def committee(visitor: Visitor, shoot: Callable[[str], None]) -> None:
    """Plan three questions, compare totals, and make the sheet to sign."""
    visitor.go("release")
    visitor.choose("Column", "age")
    add(visitor)
    visitor.choose("Column", "salary")
    visitor.choose("By group", "department")
    visitor.page.keyboard.press("Escape")
    add(visitor)
    visitor.choose("Column", "department")
    visitor.choose("Who counts", "kitchen")
    add(visitor)
    visitor.go("plan")
    visitor.number("Total ε", 1.5)
    shoot("plan")
    visitor.go("compare")
    shoot("compare")
    visitor.go("sign_off")
    shoot("sign-off")
    visitor.go("meaning")
    shoot("meaning")


def teacher(visitor: Visitor, shoot: Callable[[str], None]) -> None:
    """Walk a lesson, open the tools of a teacher, and show a flawed mechanism."""
    visitor.go("lessons")
    visitor.pick("Her exact age")
    visitor.button("Next: See").click()
    shoot("lesson")
    visitor.button("Teach").click()
    shoot("teach")
    visitor.page.keyboard.press("Escape")
    visitor.go("lab")
    shoot("laboratory")


def walk(visitor: Visitor, shoot: Callable[[str], None]) -> None:
    """Walk the tutorials in their order."""
    for tutorial in (curator, committee, teacher):
        tutorial(visitor, shoot)


def main() -> None:
    """Walk the tutorials, and take the pictures."""
    os.environ[hosts.VARIABLE] = HOST
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), "asgi.py", options=OPTIONS) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=system_browser(), args=FLAGS)
        visitor = visit(listened(browser).new_context(viewport=_VIEW), server.url)
        walk(visitor, partial(take, visitor))
        browser.close()


if __name__ == "__main__":
    main()
