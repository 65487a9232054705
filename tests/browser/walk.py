"""A walk at random over all pages in a real browser: whatever is touched, all is well.

``python -m tests.browser.walk --seed 1 --steps 2000`` prints its seed, and at a fault
its last steps. The same seed makes the same choices from what is on the screen.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from playwright.sync_api import Error, sync_playwright

from tests.browser.rest import DEADLINE, listened, settled
from tests.browser.server import FLAGS, Server, system_browser
from tests.browser.targets import Look, Target, look

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, ElementHandle, Page

_LAST: Final = 30
_NEWS: Final = 100
# Milliseconds: for a touch to be done, and for a control that waits for more keys.
_TOUCH, _LATER = 5_000, 1_000
# Touches in a row that may miss what the page replaced meanwhile.
_MISSES: Final = 15
# How often the walk leaves a page by its links, while it has something new and then, or
# by the buttons of the browser.
_LEAVE, _LEAVE_AT_LAST, _BROWSE = 0.08, 0.4, 0.04
_STOP: Final = 0.5
_LINKS: Final = ("link", "menu")
_FAR: Final = ("1e400", "-1e400", "1e308", "1e-9")
_NUMBERS: Final = (*("", "0", "1", "-1", "0.5", "2", "7"), *_FAR)
_TEXTS: Final = (*("", "0", "1", "x", ",;", "0.1, 0.2", "nan", "a\nb", "9" * 400), *_FAR)
_SLIDES: Final = ("ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown")
_LOGGED: Final = re.compile(r"Traceback|may quote data|Error\b")
_PEOPLE: Final = "".join(
    f"{18 + i * i % 71},{500 + 37 * i % 4000},{'nsw'[i % 3]},{'yn'[i % 7 > 0]}\n"
    for i in range(240)
)
_FILES: Final = (
    f"age,income,region,smoker\n{_PEOPLE}",
    "age,smoker\n1,yes\n,no\n3,\n",
    "x\n" + "1\n" * 50,
    "a;b\n1,5;2\n3,5;4\n",
    "",
    "age,age\n1,2\n",
    'age,name\n1,"open\n2,x\n',
)


class FaultError(Exception):
    """Something broke."""


class Walk:
    """One tab that is touched at random, and everything that it may complain in."""

    def __init__(self, page: Page, server: Server, seed: int) -> None:
        self._page = page
        self._server = server
        self._chance = random.Random(seed)
        self._touched: Counter[tuple[str, str, str]] = Counter()
        self._said: list[str] = []
        self._logged = 0
        self._misses = 0
        self.steps: deque[str] = deque(maxlen=_LAST)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self._said.append(f"page error: {error}"))
        page.on("crash", lambda _: self._said.append("the page crashed"))
        page.on("dialog", lambda dialog: dialog.accept())

    def go(self, steps: int, tell: Callable[[str], None] | None = None) -> None:
        """Take that many steps; ``tell`` hears now and then how many were taken.

        Raises:
            FaultError: At the first fault.

        """
        self._page.goto(self._server.url)
        seen = self._check()
        for step in range(steps):
            began = time.monotonic()
            self.steps.append(f"{step}: {seen.path} ")
            try:
                self._move(seen)
                self._misses = 0
            except Error as error:
                self._missed(error)
            seen = self._check()
            self.steps[-1] += f" ({time.monotonic() - began:.1f} s)"
            if tell and (step + 1) % _NEWS == 0:
                tell(f"{step + 1} steps, {len(self._touched)} things touched")

    def _move(self, seen: Look) -> None:
        if not seen.targets:  # Something lies over the page, or is on its way.
            self._press("Escape")
            raise Error("nothing to touch")
        stops = [t for t in seen.targets if t.name == "Stop"]
        if stops and self._chance.random() < _STOP:
            self._touch(stops[0], seen)
        elif self._chance.random() < _BROWSE:
            self._browse()
        else:
            here = [t for t in seen.targets if t.kind not in _LINKS]
            new = any(not self._touched[_known(target, seen)] for target in here)
            leaves = self._chance.random() < (_LEAVE if new else _LEAVE_AT_LAST)
            away = [t for t in seen.targets if t.kind in _LINKS]
            places = (away if leaves else here) or seen.targets
            self._touch(self._choose(places, seen), seen)

    def _choose(self, targets: list[Target], seen: Look) -> Target:
        """Prefer what was touched least."""
        times = [self._touched[_known(target, seen)] for target in targets]
        weights = [1 / (1 + often) ** 2 for often in times]
        return self._chance.choices(targets, weights)[0]

    def _browse(self) -> None:
        moves: dict[str, Callable[[], object]] = {
            "reload": self._page.reload,
            "back": self._page.go_back,
            "forward": self._page.go_forward,
        }
        name = self._chance.choice([*moves])
        self.steps[-1] += name
        moves[name]()
        if not self._page.url.startswith(self._server.url):
            self._page.goto(self._server.url)

    def _touch(self, target: Target, seen: Look) -> None:
        self._touched[_known(target, seen)] += 1
        self.steps[-1] += f"{target.kind} “{target.name}”"
        element = target.element(self._page)
        touches = {
            "number": self._type_number,
            "text": self._type_text,
            "slider": self._slide,
            "choice": self._pick,
            "menu": self._open_menu,
        }
        if target.kind == "upload":
            self._upload(element)
        elif target.kind in touches:
            touches[target.kind](element, target)
        else:
            element.click(timeout=_TOUCH)

    def _type_number(self, element: ElementHandle, target: Target) -> None:
        ways = ["ArrowUp", "ArrowDown", target.least, target.most, *_NUMBERS]
        text = self._chance.choice([way for way in ways if way or way in _NUMBERS])
        self.steps[-1] += f" = {text!r}"
        element.click(timeout=_TOUCH)
        if text.startswith("Arrow"):
            self._page.keyboard.press(text)
        else:
            self._page.keyboard.press("ControlOrMeta+A")
            self._page.keyboard.insert_text(text) if text else self._press("Delete")
        self._press(self._chance.choice(["Enter", "Tab"]))

    def _type_text(self, element: ElementHandle, _: Target) -> None:
        text = self._chance.choice(_TEXTS)
        self.steps[-1] += f" = {text[:20]!r}"
        element.fill(text, timeout=_TOUCH)
        self._press(self._chance.choice(["Enter", "Tab", "ControlOrMeta+Enter"]))

    def _slide(self, element: ElementHandle, _: Target) -> None:
        element.focus()
        for _ in range(self._chance.randint(1, 3)):
            self._press(self._chance.choice(_SLIDES))
        self._await_run()

    def _pick(self, element: ElementHandle, _: Target) -> None:
        element.click(timeout=_TOUCH)
        for _ in range(self._chance.randint(1, 4)):
            self._press("ArrowDown")
        self._press(self._chance.choice(["Enter"] * 6 + ["Escape", "Backspace", "Tab"]))
        self._press("Escape")

    def _open_menu(self, element: ElementHandle, _: Target) -> None:
        element.click(timeout=_TOUCH)
        items = self._page.get_by_role("menuitem")
        items.first.wait_for(timeout=_TOUCH)
        names = items.all_inner_texts()
        name = self._chance.choice(names)
        self.steps[-1] += f" → {name}"
        items.nth(names.index(name)).click(timeout=_TOUCH)

    def _upload(self, element: ElementHandle) -> None:
        content = self._chance.choice(_FILES)
        self.steps[-1] += f" = {content[:20]!r}"
        element.set_input_files(
            {"name": "a.csv", "mimeType": "text/csv", "buffer": content.encode()}
        )
        self._await_run()

    def _press(self, key: str) -> None:
        self.steps[-1] += f" {key}"
        self._page.keyboard.press(key)

    def _await_run(self) -> None:
        """Give a control that waits for more the time to ask for its run."""
        asked = "asked => window.rest.asked > asked"
        known = self._page.evaluate("window.rest.asked")
        with suppress(Error):  # It stood at its end already.
            self._page.wait_for_function(asked, arg=known, timeout=_LATER)

    def _missed(self, error: Error) -> None:
        self.steps[-1] += f" missed: {error.message.splitlines()[0]}"
        self._misses += 1
        if self._misses > _MISSES:
            raise FaultError(f"nothing can be touched any more: {error.message}")

    def _check(self) -> Look:
        """Return what is on the screen at rest.

        Raises:
            FaultError: Something is wrong with it.

        """
        try:
            settled(self._page)
        except Error:
            state = self._page.evaluate("JSON.stringify(window.rest)")
            raise FaultError(f"not at rest after {DEADLINE / 1000:g} s: {state}") from None
        seen = look(self._page)
        log = self._server.log.read_text(encoding="utf-8")
        new, self._logged = log[self._logged :], len(log)
        faults = [*seen.faults, *self._said]
        faults += [line for line in new.splitlines() if _LOGGED.search(line)]
        if len(seen.headings) != 1:
            faults.append(f"headings: {seen.headings}")
        if faults:
            raise FaultError("\n".join(faults))
        return seen

    def _listen(self, message: ConsoleMessage) -> None:
        # Streamlit looks for its server under the address of each page first.
        if message.type == "error" and "/_stcore/" not in message.location["url"]:
            self._said.append(f"console: {message.text} {message.location}")


def _known(target: Target, seen: Look) -> tuple[str, str, str]:
    """Return by what a target is known again; a link is the same on every page."""
    place = "" if target.kind in _LINKS else seen.path
    return place, target.kind, target.name


def walk(
    page: Page, server: Server, *, seed: int, steps: int, tell: Callable[[str], None] | None = None
) -> None:
    """Walk, and say at a fault how it came to it.

    Raises:
        FaultError: With the seed, the last steps and what broke.

    """
    taken = Walk(page, server, seed)
    try:
        taken.go(steps, tell)
    except FaultError as fault:
        story = "\n".join(taken.steps)
        raise FaultError(f"seed {seed}; the last steps:\n{story}\n{fault}") from None


def main() -> int:
    """Walk from the seed that was asked for, in a server and a browser of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    chosen = random.SystemRandom().randrange(1_000_000)
    parser.add_argument("--seed", type=int, default=chosen)
    parser.add_argument("--steps", type=int, default=2_000)
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.steps} steps", flush=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = listened(playwright.chromium.launch(executable_path=system_browser(), args=FLAGS))
        page = browser.new_context().new_page()
        began = time.monotonic()
        try:
            news = partial(print, flush=True)
            walk(page, server, seed=asked.seed, steps=asked.steps, tell=news)
        except FaultError as fault:
            print(fault)
            return 1
        print(f"no fault; {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
