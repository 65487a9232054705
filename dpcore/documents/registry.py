"""An entry for a public registry of deployments of differential privacy.

The registry (opened by OpenDP in 2025) keeps one YAML file a deployment. The fields are
the registry's own; what the program knows is filled in, and what only the curator knows
is a text that begins with ``BLANK``, under a remark.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias

from dpcore.analyses.secure import sampler
from dpcore.data.columns import Column
from dpcore.data.quantities import bounds_text
from dpcore.documents.context import DocumentContext, counted, spelled
from dpcore.formatting import capital
from dpcore.relations import NeighboringRelation
from dpcore.version import VERSION

BLANK: Final = "TO BE FILLED IN"
_WRITER: Final = f"Written by Epsilon Studio {VERSION}."


def registry_entry(subject: DocumentContext) -> str:
    """Return the entry as YAML."""
    head = [
        "Entry for a registry of differential privacy deployments. Replace every",
        f"text that begins with “{BLANK}”; the rest follows from the ledger.",
        subject.mark,
    ]
    remarks = "".join(f"# {line}\n" for line in head if line)
    content: dict[str, Value] = {
        "url_slug": Noted("to-be-filled-in", "Short name for the address, a-z and -."),
        "status": "Draft",
        "tier": Noted(3, "1, 2 or 3: to be checked with the registry."),
        "deployment": {
            "basic": _basic(subject),
            "dp_variant": _variant(subject),
            "privacy_loss": _loss(subject),
            "deployment_model": _model(subject),
            "accounting": _accounting(subject),
            "implementation": _implementation(subject),
            "administrative": {
                "registry_authors": Noted([BLANK], "Who writes this entry, at least 1."),
                "notes": f"{subject.mark} {_WRITER}".strip(),
            },
        },
    }
    return remarks + yaml_text(content)


def _known(typed: str, blank: str, remark: str) -> Value:
    """Return what was typed, or a blank with a remark."""
    told = " ".join(typed.split())
    return told or Noted(blank, remark)


def _known_list(typed: str, blank: str, remark: str) -> Value:
    """Return a list of the one name that was typed, or of a blank with a remark."""
    told = " ".join(typed.split())
    return [told] if told else Noted([blank], remark)


def _basic(subject: DocumentContext) -> dict[str, Value]:
    models = [q.parameters.get("kind") == "model" for q in subject.questions]
    only_models = bool(models) and all(models)
    kind = "Machine learning model" if only_models else "Summary statistics"
    names = "; ".join(question.said for question in subject.questions)
    dates = [question.when[:10] for question in subject.questions if question.when]
    return {
        "name": Noted(f"{BLANK}: name of the data product", "Only you know."),
        "data_curators": _known_list(
            subject.typed.publisher, f"{BLANK}: organization", "At least 1."
        ),
        "description": f"{counted(len(subject.questions))} about one table: {names}.",
        "intended_use": _known(
            subject.typed.purpose, f"{BLANK}: who uses it, what for", "Only you know."
        ),
        "data_product_type": kind,
        "data_product_region": Noted(f"{BLANK}: country or region", "Only you know."),
        "publication_date": max(dates, default=subject.today),
        # The sector is not required, and not known here.
    }


def _variant(subject: DocumentContext) -> dict[str, Value]:
    facts = subject.facts
    free = ["names, bounds and categories of the columns", "the questions"]
    if facts.number is not None:
        free.append(f"the number of {facts.unit.counted} ({facts.number:,})")
    name = "Approximate DP" if subject.cost.delta else "Pure DP"
    if facts.budget.rho is not None:
        name = "Zero-concentrated DP"
    domain = "; ".join(map(_column, subject.columns))
    return {
        "variant_name": name,
        "data_domain": f"One table with the columns {domain}." if domain else BLANK,
        "unprotected_quantities": f"Published without noise: {', '.join(free)}.",
    }


def _column(column: Column) -> str:
    unit = f" in {column.unit}" if column.unit else ""
    if column.bounds is None:
        return f"{column.title} ({', '.join(column.labels)})"
    return f"{column.title} ({bounds_text(column)}{unit})"


def _loss(subject: DocumentContext) -> dict[str, Value]:
    facts, cost = subject.facts, subject.cost
    unit, known = facts.unit, subject.cost
    person = "Individual" if unit.noun == "person" else capital(unit.noun)
    same = (
        f"; the number of {unit.counted} is public"
        if unit.keeps_number(facts.relation)
        else f"; the number of {unit.counted} is private"
    )
    parameters: dict[str, Value] = {}
    if known.epsilon.is_finite():
        parameters |= {"epsilon": cost.epsilon, "delta": cost.delta}
    if facts.budget.rho is not None and cost.rho.is_finite():
        parameters["rho"] = cost.rho
    way = (
        "as one plan fixed before its first answer"
        if subject.planned
        else "added up by a filter over the account"
    )
    return {
        "privacy_unit": f"{person}-level",
        "privacy_unit_details": f"Neighboring tables differ in "
        f"{unit.change(facts.relation)}; each {unit.noun} with {unit.owned}{same}.",
        "privacy_parameters": parameters,
        "privacy_parameters_details": f"Cost of these answers together, {way}: "
        f"{spelled(cost)}. Limit of the account: {subject.limit}.",
    }


def _model(subject: DocumentContext) -> dict[str, Value]:
    many = len(subject.questions) > 1
    return {
        "model_name": "Central",
        "model_name_details": "Whoever holds the table is trusted with all of it.",
        "actors": Noted(f"{BLANK}: who collects, holds and releases", "Only you know."),
        "release_type": "Many releases" if many else "One release",
        "release_type_details": f"{counted(len(subject.questions))} on one account.",
        "data_source_type": "Static",
        "data_source_type_details": "One table, known by a keyed fingerprint.",
        "access_type": "Non-interactive",
        "access_type_details": "The curator asks; others see what was released.",
    }


def _accounting(subject: DocumentContext) -> dict[str, Value]:
    fixed = any(question.together for question in subject.questions)
    plan = " Plans fixed before their first answer are charged the tightest valid total."
    return {
        "post_processing": "Intervals, and what follows from released numbers, are "
        "computed from public numbers only.",
        "composition": "Epsilon and delta, or rho, are added up in exact decimals, "
        "rounded up, in an append-only ledger." + (plan if fixed or subject.planned else ""),
    }


def _implementation(subject: DocumentContext) -> dict[str, Value]:
    names = ", ".join(dict.fromkeys(q.mechanism for q in subject.questions))
    hidden = "private" if subject.facts.relation is NeighboringRelation.ADD_REMOVE else "protected"
    drawn = subject.sampler or sampler()
    return {
        "preprocessing_and_hyperparameter_tuning": Noted(
            f"{BLANK}: were bounds, categories or budgets chosen by looking at the table?",
            "The program asks for them to be declared without it, and cannot check.",
        ),
        "mechanisms": f"{names or 'None yet'}; drawn by {drawn} with exact samplers, "
        "rounding errors included in the sensitivity. Time and memory of the server "
        "are not protected.",
        "justification": _known(
            subject.typed.decided,
            f"{BLANK}: why this budget; records are {hidden} up to it",
            "Only you know.",
        ),
    }


@dataclass(frozen=True, slots=True)
class Noted:
    """A value with a remark for the one who fills in the file.

    Attributes:
        value: What the field holds.
        remark: One line, written above it as a comment.

    """

    value: str | int | list[str]
    remark: str


Value: TypeAlias = "str | int | Decimal | list[str] | dict[str, Value] | Noted"
"""What a field of a map may hold."""


def yaml_text(content: dict[str, Value], indent: int = 0) -> str:
    r"""Return a map in block style, texts in double quotes, so that each stays a text.

    Numbers are written without an exponent, which some readers take for a text.

    >>> from decimal import Decimal
    >>> print(yaml_text({"a": "no", "b": {"c": Decimal("1E-7")}, "d": ["x"]}), end="")
    a: "no"
    b:
      c: 0.0000001
    d:
      - "x"
    """
    return "".join(_field(name, value, indent) for name, value in content.items())


def _field(name: str, value: Value, indent: int) -> str:
    left = " " * indent
    if isinstance(value, Noted):
        remark = " ".join(value.remark.split())
        return f"{left}# {remark}\n{_field(name, value.value, indent)}"
    if isinstance(value, dict):
        return f"{left}{name}:\n{yaml_text(value, indent + 2)}"
    if isinstance(value, list):
        lines = "".join(f"{left}  - {_scalar(item)}\n" for item in value)
        return f"{left}{name}:\n{lines}"
    return f"{left}{name}: {_scalar(value)}\n"


def _scalar(value: str | int | Decimal) -> str:
    if isinstance(value, str):
        # What JSON quotes, YAML 1.2 reads as the same text.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    text = f"{value:f}"
    return text if "." in text else f"{text}.0"
