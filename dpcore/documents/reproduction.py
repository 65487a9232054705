"""A script and a notebook that redo the accounting without this program, and one draw.

They need ``opendp`` and ``dp_accounting`` alone, and hold public numbers: prices,
scales of noise, and placeholders where a table would be. Each step is a remark and
code; the notebook has them as cells, the script in a row.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from pprint import pformat
from typing import Any, Final

from dpcore.analyses.base import Request
from dpcore.documents.context import DocumentContext, exact
from dpcore.documents.question import DocumentEntry
from dpcore.errors import DPCoreError
from dpcore.privacy.composition import step_of
from dpcore.privacy.events import GaussianEvent, PrivacyEvent, event_from
from dpcore.version import VERSION

_STEPS: Final = Path(__file__).with_name("reproduction_steps.py.txt")
_MARK: Final = "# %% "
_FINER: Final = 10
"""Gaussian noise alone, whose total is known in closed form, gets smaller cells."""
_MOST_DRAWN: Final = 1000


def script(subject: DocumentContext) -> str:
    """Return the script, to be run with nothing but the two libraries."""
    head, *steps = _steps(subject)
    text = "\n".join((f'"""{head[0]}\n"""\n', head[1]))
    return text + "".join(f"\n\n{_remark(told)}\n{code}" for told, code in steps)


def notebook(subject: DocumentContext) -> str:
    """Return the same as a notebook (nbformat 4.5), one cell a step."""
    cells = []
    for place, (told, code) in enumerate(_steps(subject)):
        cells.append(_cell("markdown", f"text-{place}", told))
        cells.append(_cell("code", f"code-{place}", code.strip()))
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def facts(subject: DocumentContext) -> dict[str, Any]:
    """Return the public numbers that the steps need."""
    return {
        "releases": [_release(question) for question in subject.questions],
        "debits": list(_debits(subject)),
        "charged": exact(subject.cost),
        "together": {
            "delta": subject.delta,
            "epsilon": subject.totals.pld,
            "step": _step(subject.questions),
        },
    }


def _release(question: DocumentEntry) -> dict[str, Any]:
    bounds = _bounds(question)
    return {
        "name": question.name,
        "mechanism": question.key,
        "event": question.event,
        "cost": exact(question.cost),
        "step": _step([question]),
        "noise": question.noise,
        "unit_of_noise": question.noise_unit,
        "numbers": _count(question),
        "bounds": bounds,
    }


def _count(question: DocumentEntry) -> int:
    """Return how many numbers are drawn, as far as that is known, and at most 1,000."""
    labels: tuple[str, ...] = ()
    if isinstance(question.request, Request):
        with contextlib.suppress(DPCoreError):
            labels = question.request.query.statistic.labels
    return max(1, min(len(labels) or len(question.numbers), _MOST_DRAWN))


def _bounds(question: DocumentEntry) -> tuple[float, float] | None:
    """Return the bounds of the answer, if they are known and finite."""
    request = question.request
    if not isinstance(request, Request):
        return None
    known = request.query.bounds
    if request.query.kind.of_ranks:
        known = request.query.columns[0].bounds or known
    if not math.isfinite(known.width):
        return None
    return (float(known.lower), float(known.upper))


def _debits(subject: DocumentContext) -> Iterator[dict[str, Any]]:
    """Yield what was charged at once: a release alone, or those of a plan."""
    if subject.planned:
        everything = list(range(len(subject.questions)))
        if everything:
            yield _debit(subject.questions, everything, exact(subject.cost))
        return
    plans: dict[str, list[int]] = {}
    for place, question in enumerate(subject.questions):
        plans.setdefault(question.plan or f"alone {place}", []).append(place)
    for places in plans.values():
        first = subject.questions[places[0]]
        yield _debit(subject.questions, places, exact(first.charged or first.cost))


def _debit(
    questions: Sequence[DocumentEntry], places: list[int], charged: dict[str, str]
) -> dict[str, Any]:
    return {
        "releases": places,
        "charged": charged,
        "step": _step([questions[place] for place in places]),
    }


def _step(questions: Iterable[DocumentEntry]) -> float:
    """Return the width of cells that the program itself discretizes losses into."""
    events = [event_from(question.event) for question in questions]
    squares = math.fsum(e.ratio**2 for e in events if isinstance(e, GaussianEvent))
    counted: Counter[PrivacyEvent] = Counter(
        e for e in events if not isinstance(e, GaussianEvent) and e.tractable
    )
    if squares > 0:
        one = GaussianEvent.from_ratio(math.sqrt(squares))
        if not counted:
            return step_of({one: 1}) / _FINER
        counted[one] = 1
    return step_of(counted)


def _steps(subject: DocumentContext) -> list[tuple[str, str]]:
    """Return each step: what it does, in words, and its code."""
    text = _STEPS.read_text(encoding="utf-8")
    steps: list[tuple[str, str]] = []
    for part in text.split(_MARK)[1:]:
        told, _, code = part.partition("\n")
        steps.append((told.strip(), code.strip() + "\n"))
    told, code = steps[0]
    mark = f" {subject.mark}" if subject.mark else ""
    head = (
        f"{told}\n\nWritten by Epsilon Studio {VERSION} on {subject.today}.{mark} "
        "It needs\n"
        f"pip install opendp=={version('opendp')} "
        f"dp-accounting=={version('dp-accounting')}"
    )
    listed = pformat(facts(subject), width=88, sort_dicts=False)
    return [(head, code.replace("FACTS = {}", f"FACTS = {listed}")), *steps[1:]]


def _remark(told: str) -> str:
    return f"# {told}"


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    more: dict[str, Any] = {}
    if kind == "code":
        more = {"execution_count": None, "outputs": []}
    lines = text.splitlines(keepends=True)
    return {"cell_type": kind, "id": name, "metadata": {}, **more, "source": lines}
