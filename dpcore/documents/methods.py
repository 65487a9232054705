"""The paragraph on methods, to be pasted into a paper."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from dpcore import __version__
from dpcore.documents.subject import spelled
from dpcore.releases.secure import sampler
from dpcore.wording import in_full, significant

if TYPE_CHECKING:
    from dpcore.documents.subject import Subject

_CITED: Final = {
    "gaussian": "Gaussian noise is calibrated by its exact privacy profile (Balle and "
    "Wang 2018).",
    "exponential": "Quantiles are chosen by the exponential mechanism (McSherry and "
    "Talwar 2007).",
    "laplace": "Laplace noise has the scale sensitivity over ε (Dwork, McSherry, "
    "Nissim and Smith 2006).",
}


def methods(subject: Subject) -> str:
    """Return what was done, in sentences for a paper, with sources."""
    return subject.numerals.written(" ".join(_sentences(subject)))


def _sentences(subject: Subject) -> list[str]:
    facts, count = subject.facts, len(subject.questions)
    tense = "will be" if subject.planned else "was" if count == 1 else "were"
    unit = facts.unit
    said = [
        (f"{_counted(count)} {tense} released under differential privacy (Dwork and "
        f"Roth 2014) in the central model. The unit of privacy is one {unit.noun} with "
        f"{unit.owned}; neighboring tables differ in {unit.change(facts.relation)}."),
        ("Values were clamped to bounds, and missing values replaced or left out, as "
        "declared to be public."),
        f"Mechanisms: {_mechanisms(subject)}.",
        *(text for key, text in _CITED.items() if _used(subject, key)),
        (f"Noise is drawn by {subject.sampler or sampler()}, exactly and from a secure "
        "source."),
        f"The cost of all of it is {spelled(subject.cost)}"
        + (", the tightest valid total of a plan fixed before its first answer."
           if subject.planned else ", as counted by a privacy filter that adds up costs"
           ", because each release may be chosen in view of earlier ones."),
    ]  # fmt: skip
    pld = subject.totals.pld
    if math.isfinite(pld) and count:
        said.append(
            f"Composed as one fixed set by privacy loss distributions (dp_accounting), "
            f"this is (ε {significant(pld, up=True)}, δ {in_full(subject.delta)})-"
            "differentially private."
        )
    said.append(
        "Intervals hold 95 times of 100, for all numbers of an answer together, and "
        "were computed from public numbers only. They do not cover what clamping does."
    )
    said.append(f"Computed with Epsilon Studio, version {__version__}.")
    return said


def _counted(count: int) -> str:
    return "One answer" if count == 1 else f"{count} answers"


def _mechanisms(subject: Subject) -> str:
    known = Counter(question.mechanism for question in subject.questions)
    return ", ".join(f"{name} ({count})" for name, count in known.items()) or "none"


def _used(subject: Subject, key: str) -> bool:
    return any(question.key.startswith(key) for question in subject.questions)
