"""What to look at in a release, level by level, after NIST SP 800-226.

The publication (Guidelines for Evaluating Differential Privacy Guarantees, March 2025)
stacks what a guarantee rests on; the questions here are in our words. What the program
knows is filled in, and what only people know is left blank and marked.
"""

from __future__ import annotations

from typing import Final

from dpcore.analyses.secure import sampler
from dpcore.documents.context import DocumentContext, own, spelled
from dpcore.documents.page import Blanks, Facts, Page, Paragraph, Section
from dpcore.formatting import capital

_FLOATS: Final = (
    "Noise is drawn by {sampler}, exactly, and rounded once. Sensitivities include the "
    "rounding errors of the statistic."
)
_TIMING: Final = "Not defended: somebody who measures the server's time or memory may learn more."


def checklist(subject: DocumentContext) -> Page:
    """Return the checklist, filled where the program knows."""
    levels = (
        ("1. Privacy parameter", _parameter(subject)),
        ("2. Unit of privacy", _unit(subject)),
        ("3. Definition and trust model", _model(subject)),
        ("4. Utility and bias", _utility(subject)),
        ("5. Algorithms and their correctness", _algorithms(subject)),
        ("6. Implementation and side channels", _implementation(subject)),
        ("7. Security and access", _security()),
        ("8. Collection and exposure of the data", _collection(subject)),
    )
    return Page(
        title="Checklist after NIST SP 800-226",
        pieces=(
            Paragraph(
                "Each level rests on those below it: an ε says nothing if the level "
                "under it fails. What is underlined and empty only people can answer."
            ),
            *(Section(title=title, pieces=(Facts(pairs),), whole=True) for title, pairs in levels),
            Blanks(("Filled in by", "Date", "Signature")),
        ),
        numerals=subject.numerals,
        mark=subject.mark,
        foot=subject.foot,
    )


Pairs = tuple[tuple[str, str], ...]


def _parameter(subject: DocumentContext) -> Pairs:
    return (
        ("What do these releases cost?", spelled(subject.cost)),
        ("What may all releases cost?", subject.limit),
        (
            "How are costs added up?",
            (
                "By a filter over the whole account; a plan fixed before its first "
                "answer is charged the tightest valid total."
            ),
        ),
        ("Who chose the budget, and how?", own(subject.typed.decided)),
        ("Was it compared with other deployments?", ""),
    )


def _unit(subject: DocumentContext) -> Pairs:
    unit = subject.facts.unit
    return (
        ("Who is protected?", capital(subject.whom)),
        ("What makes two tables neighbors?", capital(unit.change(subject.facts.relation))),
        (f"Is that how {unit.nouns} appear in the data?", ""),
        ("Over which period does the limit hold?", own(subject.typed.period)),
        (f"Are the same {unit.nouns} in other tables that are released?", ""),
    )


def _model(subject: DocumentContext) -> Pairs:
    delta = subject.cost.delta
    kind = "(ε, δ), approximate" if delta else "ε, pure"
    return (
        ("Which definition?", f"Differential privacy: {kind}"),
        ("Which model?", "Central: whoever holds the table is trusted with all of it."),
        ("Who holds the table?", own(subject.typed.publisher)),
        ("Who is not trusted?", "Everybody who sees what is released."),
    )


def _utility(subject: DocumentContext) -> Pairs:
    errors = "; ".join(f"{q.name}: {q.answer}" for q in subject.questions[:12])
    return (
        ("Which answers, and how far off?", errors or "Nothing yet."),
        (
            "Is the error stated?",
            (
                "Yes: intervals of 95 %, from public numbers only. The bias of bounds "
                "and of filled-in values is in none of them."
            ),
        ),
        ("Is it good enough for the purpose?", ""),
        ("Are small groups served worse, and is that acceptable?", ""),
    )


def _algorithms(subject: DocumentContext) -> Pairs:
    names = dict.fromkeys(q.mechanism for q in subject.questions)
    claims = [f"{q.name}: {q.claimed}" for q in subject.questions if q.claimed]
    return (
        ("Which mechanisms?", ", ".join(names) or "None yet."),
        (
            "Do their claims hold?",
            " ".join(claims) or "Yes: prices follow from exact formulas and are rounded up.",
        ),
        ("Were bounds and categories chosen without the table?", ""),
    )


def _implementation(subject: DocumentContext) -> Pairs:
    drawn = subject.sampler or sampler()
    return (
        ("Floating-point noise?", _FLOATS.format(sampler=drawn)),
        ("Timing and memory?", _TIMING),
        (
            "Can the accounting be checked?",
            "Yes: by the script, which redoes it with dp_accounting and OpenDP alone.",
        ),
    )


def _security() -> Pairs:
    return (
        ("Who can read the table and the server?", ""),
        ("Who can delete or replace the ledger and its key?", ""),
        (
            "Is tampering noticed?",
            (
                "Entries are chained by digests and sealed with a key; changed, cut or "
                "older ledgers pay nothing."
            ),
        ),
    )


def _collection(subject: DocumentContext) -> Pairs:
    return (
        ("How was the data collected, and on what ground?", ""),
        ("Who else has copies, and for how long?", ""),
        (f"What else about these {subject.facts.unit.nouns} is public?", ""),
    )
