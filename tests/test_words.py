"""Every text of the product is plain: no banned phrase, one notation, short sentences.

Texts are the string constants of the product, without docstrings, and the prose of its
Markdown files and of the templates of its documents.
``python -m tests.test_words FILE...`` lists what is refused in files.
"""

import ast
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ROOT

MOST_WORDS, MOST_MARKS = 25, 2
BANNED = re.compile(
    r"\b(whom|whoever|told|stands|hold against|as it is|that of|so that it)\b"
    r"|\bsuch as [^.;:]* are\b"
    r"|\b(made[- ]up|anew|once more|for good|given away|stays so|admits?|seldom|how exact)\b"
    r"|\b(is|are) none\b|\bto its end\b|\bany table, anybody\b",
    re.IGNORECASE,
)
NOTATION = re.compile(
    r"[\d▯] %(?![▯\w({])"  # 95 %
    r"|(?<![\w.])\d(\.\d+)?e-?\d"  # 1e-05
    r"|(?<![\w-])(?:[Ee]psilon|[Dd]elta|[Rr]ho) [\d▯]"  # epsilon 0.5
    r"|(?<!\w)[εδρ] [\d▯]"  # ε 0.5 for ε = 0.5
)
FORMAT = re.compile(r"[ge%]$|\+|(?<!,)\.[\d▯]*f$|^f$")
"""A number that is written without ``dpcore.formatting``: 1e+05, 20000, or other digits."""
_KEY = re.compile(r"[\w-]*[a-z][\w-]*")
_HOVER = re.compile(r"%\{[^}]*:[^}]*[ge]\}")
_NO_TEXT = ("dpcore/data/", "dpcore/formatting.py", "dpcore/privacy_filter.py")
_PARSED = {
    "dpcore/planning/comparison.py": 1,
    "dpcore/analyses/model_errors.py": 1,
    "dpcore/documents/rendering.py": 1,
    "dpcore/statistics/quantiles.py": 3,
    "ui/planning/private_choice.py": 1,
    "ui/planning/privacy_loss.py": 1,
    "ui/proportion_study.py": 1,
}
"""How many are read again as numbers, or name what is stored, by file."""
LEFT = {"README.md": 1, "docs": 7, "dpcore/analyses": 1, "ui": 2}
"""How many are left, by room: numbers that may only fall. A room that is not here has none."""
_VALUE = "▯"
"""Stands for a value that is put into a text."""
_TAG = re.compile(r"(?s)\{[{%].*?[%}]\}")
_END = re.compile(r"(?<=[.!?])[\"”’)*]*\s+(?=[\"“‘(*`A-Z▯ε])|\n\s*\n|\n\s*(?:[-*|]|\d+\.)\s+")
_PART = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*#]|\d+\.)\s)")
_NO_PROSE = re.compile(r"(?s)```.*?```|<style.*?</style>|^[ \t]*(?:\||:::)[^\n]*$", re.MULTILINE)
_CODE = re.compile(
    r"[{};]\s*\n|=>|</|\bSELECT\b|NOT NULL|\bfunction\b|\(\?|\\[bswd]|^[\w./-]*$|::|import "
)


def texts(path):
    """Return the texts of a file with the numbers of their lines."""
    source = path.read_text("utf-8")
    if path.suffix == ".j2":
        return [(1, text) for text in template_texts(source) if " " in text]
    if path.suffix == ".md":
        return [(1, re.sub(r"\s*\n\s*", " ", part)) for part in _PART.split(prose(source))]
    tree = ast.parse(source)
    found, inside = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            found.append((node.lineno, "".join(map(constant, node.values))))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))  # a docstring
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append((node.lineno, node.value)) if id(node) not in inside else None
    return [(line, text) for line, text in found if " " in text and not _CODE.search(text)]


def template_texts(source):
    """Return the texts of a template of a page: between its tags, and quoted in them."""
    source = re.sub(r"(?s)\{#.*?#\}", "", source)
    quoted = [text for tag in _TAG.findall(source) for text in re.findall(r'"([^"]*)"', tag)]
    shown = _TAG.sub(lambda tag: _VALUE if tag[0].startswith("{{") else "<>", source)
    return quoted + [" ".join(part.split()) for part in re.split(r"<[^>]*>", shown)]


def constant(part):
    """Return a part of an f-string, and a mark instead of a value."""
    return part.value if isinstance(part, ast.Constant) else _VALUE


def number_formats(path):
    """Return how numbers are written in the texts of a file, past ``dpcore.formatting``."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _HOVER.findall(node.value)
        if isinstance(node, ast.JoinedStr):
            said = "".join(part.value for part in node.values if isinstance(part, ast.Constant))
            specs = [getattr(part, "format_spec", None) for part in node.values]
            written = ["".join(map(constant, spec.values)) for spec in specs if spec]
            yield from () if _KEY.fullmatch(said) else filter(FORMAT.search, written)


def prose(text):
    """Return Markdown without blocks of code and tables."""
    return _NO_PROSE.sub("", text)


def sentences(text):
    """Return the sentences and the entries of lists of a text."""
    return [part for part in _END.split(text) if part and part.strip()]


def refused(text):
    """Return what is refused in a text, each with its kind."""
    yield from (("phrase", match[0]) for match in BANNED.finditer(text))
    yield from (("notation", match[0]) for match in NOTATION.finditer(text))
    for sentence in sentences(text):
        if len(sentence.split()) > MOST_WORDS:
            yield "long", sentence
        if "%{" not in sentence and len(re.findall(r"[;:](?!/)", sentence)) > MOST_MARKS:
            yield "chain", sentence


def product():
    """Return the files that have texts of the product."""
    rooms = [path for room in ("dpcore", "ui", "pages") for path in (ROOT / room).rglob("*.py")]
    rooms += (ROOT / "dpcore/documents/templates").glob("*.html.j2")
    rooms += [ROOT / "app.py", ROOT / "asgi.py", ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return sorted(path for path in rooms if path.exists())


def room(path):
    """Return the room of a file: a folder of ``dpcore``, or of the product."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[0] == "dpcore" and len(parts) > 2 else parts[0]


def counted():
    """Return how many texts are refused, by room and kind."""
    return Counter(
        (room(path), kind)
        for path in product()
        for _, text in texts(path)
        for kind, _ in refused(text)
    )


@pytest.mark.slow
def test_texts_are_plain():
    found = Counter()
    for (name, _), number in counted().items():
        found[name] += number
    more = {name: (number, LEFT.get(name, 0)) for name, number in found.items()}
    assert {name: both for name, both in more.items() if both[0] > both[1]} == {}


@pytest.mark.slow
def test_numbers_have_one_form():
    found = {}
    for path in product():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".py" and not name.startswith(_NO_TEXT):
            found[name] = list(number_formats(path))
    assert {name: len(written) for name, written in found.items() if written} == _PARSED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("It covers 95 % of tables.", "notation"),
        ("It fails with δ = 1e-05.", "notation"),
        ("It costs ε 0.5 today.", "notation"),
        ("Whom does it touch?", "phrase"),
        ("Ages such as these are clamped.", "phrase"),
        ("The model is fitted anew.", "phrase"),
        ("The list has made-up names.", "phrase"),
        (" ".join(["word"] * 26), "long"),
        ("One: two; three: four.", "chain"),
    ],
)
def test_what_is_refused(text, kind):
    assert [found for found, _ in refused(text)] == [kind]


def test_what_is_allowed():
    text = "It costs ε = 0.5 at δ = 10⁻⁵. In 95% of releases the error is below 3 % of it."
    assert list(refused(text.replace("3 %", "3%"))) == []
    assert len(sentences(text)) == 2


if __name__ == "__main__":
    chosen = [Path(name).resolve() for name in sys.argv[1:]]
    for path in chosen or product():
        for line, text in texts(path):
            for kind, what in refused(text):
                sys.stdout.write(f"{path.relative_to(ROOT)}:{line}: {kind}: {what}\n")
    total = Counter()
    for (_, kind), number in counted().items():
        total[kind] += number
    sys.stdout.write(f"{dict(total)}\n")
