"""What a person can touch on a page, and what is wrong with it, at one look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Page

# The elements stay in the page, where a number finds them again.
_LOOK: Final = """() => {
    const kinds = {
        upload: "input[type=file]",
        number: "input[type=number]",
        slider: "[role=slider]",
        choice: "[role=combobox]",
        text: "input[type=text]:not([role=combobox]), textarea",
        check: "label:has(input[type=checkbox])",
        radio: "label:has(input[type=radio])",
        tab: "[role=tab]",
        fold: "summary",
        menu: "[data-testid=stTopNavSection]",
        link: "a[href]",
        button: "button:not([role=tab])",
    };
    // What appears on hover only, or is not the app's.
    const others = ["ElementToolbar", "HeaderActionElements", "MainMenu", "DataFrame",
        "TooltipIcon"].map(name => `, [data-testid=st${name}]`);
    const apart = ".modebar, [inert]" + others.join("");
    const dialog = document.querySelector("[role=dialog][aria-modal=true]");
    const seen = element => {
        const {left, width} = element.getBoundingClientRect();
        // A folded side bar stands beside the window.
        const within = width > 0 && left >= 0 && left < innerWidth;
        return element.matches("input[type=file]")
            || (within && element.checkVisibility({visibilityProperty: true}));
    };
    const name = element => (
        element.getAttribute("aria-label") || element.innerText
        || element.closest("[data-testid^=st]")?.innerText || ""
    ).replace(/\\s+/g, " ").trim().slice(0, 60);
    const known = new Set();
    window.targets = [];
    const targets = [];
    for (const [kind, where] of Object.entries(kinds))
        for (const element of (dialog ?? document).querySelectorAll(where)) {
            if (known.has(element) || !seen(element)) continue;
            if (element.closest(apart)) continue;
            if (element.disabled || element.querySelector("input:disabled")) continue;
            if (kind === "link" && element.origin !== location.origin) continue;
            known.add(element);
            window.targets.push(element);
            const {min, max} = element;
            const ends = {least: min ?? "", most: max ?? ""};
            targets.push({kind, name: name(element), ...ends});
        }
    const all = where => [...document.querySelectorAll(where)];
    const words = document.body.innerText;
    return {
        path: location.pathname,
        headings: all("[data-testid=stMain] h1").map(name),
        faults: [
            ...all("[data-testid=stException]").map(name),
            ...["This app has encountered an error", "Traceback", "Page not found",
                "Connection error"].filter(text => words.includes(text)),
        ],
        targets,
    };
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing to touch.

    Attributes:
        place: Its number at this look.
        kind: What it is: a button, a number, ...
        name: What is written at it.
        least: The least number that it takes, as text; empty where it has none.
        most: The largest one.

    """

    place: int
    kind: str
    name: str
    least: str = ""
    most: str = ""

    def element(self, page: Page) -> ElementHandle:
        """Return the element, which the page may have replaced since."""
        handle = page.evaluate_handle("place => window.targets[place]", self.place)
        element = handle.as_element()
        assert element is not None
        return element


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at a page at rest.

    Attributes:
        path: Of its address.
        headings: Its main headings; a page has one.
        faults: Words of a fault that it shows.
        targets: What can be touched.

    """

    path: str
    headings: list[str]
    faults: list[str]
    targets: list[Target]


def look(page: Page) -> Look:
    """Return what can be touched, and what is wrong."""
    seen = page.evaluate(_LOOK)
    targets = [Target(place=i, **one) for i, one in enumerate(seen.pop("targets"))]
    return Look(targets=targets, **seen)
