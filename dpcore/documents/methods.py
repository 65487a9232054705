"""The paragraph on methods, to be pasted into a paper."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

from dpcore.analyses.secure import sampler
from dpcore.documents import claims
from dpcore.documents.context import DocumentContext, spelled
from dpcore.formatting import delta_text, significant
from dpcore.mechanisms.catalog import EXPONENTIAL
from dpcore.version import VERSION

_CITED: Final = {
    "gaussian": "Gaussian noise is calibrated by its exact privacy profile (Balle and Wang 2018).",
    EXPONENTIAL.key: "Quantiles are chosen by the exponential mechanism (McSherry and "
    "Talwar 2007).",
    "laplace": "The scale of Laplace noise is the sensitivity divided by ε (Dwork, "
    "McSherry, Nissim and Smith 2006).",
}
"""What is said of a mechanism by its key, and of no other mechanism: the calibrations
of ``mechanisms/gaussian``, ``mechanisms/exponential`` and ``mechanisms/laplace``."""


def methods(subject: DocumentContext) -> str:
    """Return what was done, in sentences for a paper, with sources."""
    return subject.numerals.written(" ".join(_sentences(subject)))


def _sentences(subject: DocumentContext) -> list[str]:
    facts, count = subject.facts, len(subject.questions)
    tense = "will be" if subject.planned else "was" if count == 1 else "were"
    unit = facts.unit
    said = [
        (f"{_counted(count)} {tense} released under differential privacy (Dwork and "
        f"Roth 2014) in the central model. The privacy unit is one {unit.noun} with "
        f"{unit.owned}. Neighboring tables differ by "
        f"{claims.neighbors(facts.relation, unit)}."),
        ("Values were clamped to public bounds. Missing values were imputed with "
        "public values or left out."),
        f"Mechanisms: {_mechanisms(subject)}.",
        *(text for key, text in _CITED.items() if _used(subject, key)),
        f"Random numbers come from a secure source ({subject.sampler or sampler()}).",
        f"The total privacy cost is {spelled(subject.cost, rho=False)}"
        + (", the tightest valid total of a plan fixed before its first answer."
           if subject.planned else ". A privacy filter adds up costs, because each "
           "release may be chosen after seeing earlier ones."),
    ]  # fmt: skip
    pld = subject.totals.pld
    if math.isfinite(pld) and count:
        said.append(
            "Composed as a fixed set by privacy loss distributions (dp_accounting), "
            f"the answers are (ε = {significant(pld, up=True)}, "
            f"δ = {delta_text(subject.delta)})-differentially private."
        )
    if any(question.level is not None for question in subject.questions):
        said.append(
            "Intervals hold with 95% for all numbers of an answer together. They are "
            "computed from public numbers and do not include the effects of clamping "
            "and imputation."
        )
    said.append(f"Computed with Epsilon Studio, version {VERSION}.")
    return said


def _counted(count: int) -> str:
    return "One answer" if count == 1 else f"{count} answers"


def _mechanisms(subject: DocumentContext) -> str:
    known = Counter(question.mechanism for question in subject.questions)
    return ", ".join(f"{name} ({count})" for name, count in known.items()) or "none"


def _used(subject: DocumentContext, key: str) -> bool:
    return any(question.key == key for question in subject.questions)
