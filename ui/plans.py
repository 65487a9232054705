"""The plan of the table in use: in this tab, and in a file beside its account.

A plan is public, column names and bounds included, and spends nothing.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import ROUND_DOWN, Decimal
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

import streamlit as st

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.identity import mark_of
from dpcore.data.columns import MissingPolicy
from dpcore.data.quantities import replacement_text
from dpcore.documents import assumptions
from dpcore.errors import DataError, DPCoreError, LedgerError, ParameterError
from dpcore.formatting import epsilon_text
from dpcore.ledger.store import StoredTexts, default_folder
from dpcore.planning.analysis_plan import (
    LEAST,
    LONGEST_NAME,
    MOST,
    AnalysisPlan,
    PlannedQuery,
    Split,
)
from dpcore.planning.comparison import Option
from dpcore.planning.group_sizes import (
    SmallestGroup,
    earlier_group_sizes,
    paid_twice,
    smallest_group,
)
from dpcore.planning.plan_files import Loaded, from_json, to_json, traced
from dpcore.planning.redeclared import Declared, RedeclaredQuery, adopted, changes
from dpcore.planning.splits import scaled, settled
from dpcore.releases.record import Release
from dpcore.statistics.conditions import PAIR_ONLY
from ui import accounts, assumed_sizes, releasing, session, typed
from ui.study import Study
from ui.text import literal

_FOLDER = "plans"
_LOST, _WORDS = "_plan-lost", "_plan-words"
_P = ParamSpec("_P")


def _of_table_in_use(do: Callable[Concatenate[Study, _P], None]) -> Callable[_P, None]:
    """Let a press be about the table in use; what the plan cannot have leaves a notice."""

    @wraps(do)
    def done(*about: _P.args, **more: _P.kwargs) -> None:
        study = session.study()
        if study is not None:
            try:
                do(study, *about, **more)
            except DPCoreError as error:
                session.notice(str(error))

    return done


def plan(study: Study) -> AnalysisPlan:
    """Return the plan of a table: of this tab, as it was kept, or an empty one."""
    known = cast("AnalysisPlan | None", session.public(_named(study)))
    unit = study.terms.unit
    columns = [
        (c.name, c.display_name, c.unit, c.description, c.complete) for c in study.dataset.columns
    ]
    words = [(unit.noun, unit.plural), *columns]
    if known is not None and session.public(_WORDS) != words:
        # Names, units and meanings are those that are declared now.
        known = from_json(to_json(known), study.dataset, unit).basket
    elif known is None:
        known = _kept(study) or _empty(study)
    if known.follows_budget:
        known = replace(known, total=_left(study, known))
    known = _allocated(known)
    session.set_public(_named(study), known)
    session.set_public(_WORDS, words)
    return known


def names(study: Study) -> dict[str, str]:
    """Return the names given to questions of an account's plans, by their marks."""
    found: dict[str, str] = {}
    for fingerprint in session.account(study).fingerprints:
        text = _plans().read(fingerprint) if session.of_account(study) else None
        with contextlib.suppress(ValueError, LookupError, TypeError, DPCoreError):
            items = json.loads(text or "{}").get("items", ())
            found |= {
                mark_of(item["request"]): str(item["name"])
                for item in items
                if not item.get("titled")
            }
    for item in plan(study).items:
        mark = mark_of(item.request.parameters())
        found.pop(mark, None)
        if item.own_name:
            found[mark] = item.own_name
    return found


def keep(study: Study, basket: AnalysisPlan) -> None:
    """Keep the plan of a table. Where the disk refuses, the tab still has it."""
    if basket == session.public(_named(study)):
        return
    session.set_public(_named(study), basket)
    if not session.of_account(study):
        return
    with contextlib.suppress(LedgerError):
        _plans().keep(study.fingerprint, to_json(basket))


def load(study: Study, text: bytes) -> None:
    """Put the plan of a file in the place of the one in use.

    Raises:
        DataError: The file holds no plan.

    """
    found = from_json(text, study.dataset, study.terms.unit)
    session.set_public(_LOST, found.lost)
    keep(study, found.basket)


def lost() -> tuple[str, ...]:
    """Return, once, the questions that a loaded plan had and this table has not."""
    return cast("tuple[str, ...]", session.take(_LOST) or ())


def planned(study: Study, request: Releasable) -> PlannedQuery | None:
    """Return the question as it is planned, whatever its epsilon; None if it is not."""
    basket = plan(study)
    try:
        key = PlannedQuery.of(request).key
    except DPCoreError:
        return None
    return next((item for item in basket.items if item.key == key), None)


@_of_table_in_use
def add(study: Study, /, request: Releasable, name: str = "") -> None:
    """Put a question into the plan of the table in use; by default its title names it."""
    basket, item = plan(study), PlannedQuery.of(traced(request, study.dataset))
    item = replace(item, name=name or item.name)
    if isinstance(request, Request) and item.width.assumed:
        item = replace(item, group=assumed_sizes.assumed(request.query))
    if item.key not in basket.keys:
        keep(study, basket.with_item(item))


def button(request: Releasable, study: Study, *, key: str, name: str = "") -> None:
    """Offer to plan a question, or say that it is planned. It costs nothing."""
    item = planned(study, request)
    st.button(
        "Add to plan",
        key=f"plan-{key}",
        disabled=item is not None or request.refusal(session.mode()) is not None,
        on_click=add,
        args=(request, name),
        help="Spends nothing. Plan shows all planned questions together: their margins of "
        "error at several budgets, and their total cost.",
    )
    if item is not None:
        named = f": {literal(item.own_name)}" if item.own_name else ""
        st.caption(f"In the plan with ε = {epsilon_text(item.epsilon)}{named}", width="content")


def declared(study: Study) -> Declared:
    """Return how the table is declared now."""
    terms = study.terms
    return Declared(
        column=study.dataset.column, relation=terms.relation, unit=terms.unit, size=study.size
    )


@_of_table_in_use
def follow(study: Study, /, changed: Iterable[RedeclaredQuery]) -> None:
    """Let changed questions of the plan be about what is declared now."""
    keep(study, adopted(plan(study), changed))


def of_other_tables(study: Study) -> tuple[tuple[str, AnalysisPlan], ...]:
    """Return the plans of the other tables of the account by name, the latest first.

    Of each the questions that this table can be asked.
    """
    if not session.of_account(study):
        return ()
    found = []
    for fingerprint, name in reversed(session.account(study).names.items()):
        if fingerprint == study.fingerprint:
            continue
        kept = _read(fingerprint, study)
        if kept is not None and kept.basket.items:
            found.append((name, kept.basket))
    return tuple(found)


@_of_table_in_use
def take_over(study: Study, /, basket: AnalysisPlan) -> None:
    """Plan the questions of another table of these people for the one in use.

    They share what is left, and what was locked by a release is free again.
    """
    free = tuple(replace(item, locked=False) for item in basket.items)
    asked = _allocated(replace(_empty(study), items=free))
    keep(study, adopted(asked, changes(asked.items, declared(study))))


@_of_table_in_use
def remove(study: Study, /, key: str) -> None:
    """Take a question out of the plan of the table in use."""
    keep(study, plan(study).without(key))


@_of_table_in_use
def clear(study: Study, /) -> None:
    """Take all questions out of the plan of the table in use, and what was signed."""
    # Signed was the page with the questions that go: the next plan has none yet.
    typed.unsign(study)
    keep(study, _empty(study))


def aside(study: Study) -> AnalysisPlan | None:
    """Return the plan that was set aside, to be compared with the one in use."""
    known = cast("AnalysisPlan | None", session.public(_other(study)))
    if known is None and session.of_account(study):
        text = _plans().read(_other_file(study))
        with contextlib.suppress(DataError):
            known = None if text is None else _loaded(text, study).basket
            session.set_public(_other(study), known)
    return known


@_of_table_in_use
def set_aside(study: Study, /, basket: AnalysisPlan) -> None:
    """Set a plan aside, in this tab and beside the one of the table in use."""
    session.set_public(_other(study), basket)
    if session.of_account(study):
        with contextlib.suppress(LedgerError):
            _plans().keep(_other_file(study), to_json(basket))


@_of_table_in_use
def exchange(study: Study, /) -> None:
    """Put the plan that was set aside in the place of the one in use, and back."""
    first, second = plan(study), aside(study)
    if second is not None:
        set_aside(first)
        keep(study, second)


def give(total: float, split: Split) -> None:
    """Give the plan of the table in use a total that is split so."""
    change(split=split)
    share(total)


@_of_table_in_use
def share(study: Study, /, total: float | None = None) -> None:
    """Give the plan of the table in use another total, by default what is left.

    Its questions share it: set by hand, in their proportions.
    """
    basket, whole = plan(study), total
    if whole is None:
        whole = _left(study, basket)
    epsilons = scaled(basket.items, whole, basket.split)
    items = tuple(
        item if item.fixed else item.at(epsilon)
        for item, epsilon in zip(basket.items, epsilons, strict=True)
    )
    keep(study, replace(basket, items=items, total=whole, follows_budget=total is None))


@_of_table_in_use
def change(study: Study, /, **settings: Any) -> None:  # noqa: ANN401 - fields of the plan
    """Change settings of the plan in use: its split, or its δ."""
    keep(study, replace(plan(study), **settings))


@_of_table_in_use
def change_question(
    study: Study,
    /,
    key: str,
    *,
    epsilon: float | None = None,
    **settings: Any,  # noqa: ANN401 - fields of the question
) -> None:
    """Change a question of the plan in use; an ε that is set by hand is kept.

    What a question cannot have is refused, and leaves a notice.
    """
    basket = plan(study)
    item = next(one for one in basket.items if one.key == key)
    if epsilon is not None:
        item = replace(item.at(epsilon), locked=basket.split is not Split.TYPED)
    keep(study, basket.with_item(replace(item, **settings)))


def _allocated(basket: AnalysisPlan) -> AnalysisPlan:
    """Return the plan with its total shared out, or as it is where it cannot be.

    Set by hand, the total is the sum of the questions.
    """
    if basket.split is Split.TYPED and basket.items:
        return replace(basket, total=min(max(basket.planned, LEAST), MOST))
    try:
        return settled(basket)
    except ParameterError:
        return basket


def _empty(study: Study) -> AnalysisPlan:
    """Return a plan for what is left of the account."""
    # A total at a delta spends all of it: most is left for other releases.
    left = session.account(study).remaining
    delta = min(float(left.delta / 10), 0.1) if _counts_epsilon(study) else 0.0
    basket = AnalysisPlan(delta=delta, follows_budget=True)
    return replace(basket, total=_left(study, basket))


def _counts_epsilon(study: Study) -> bool:
    return session.account(study).budget.epsilon is not None


def _left(study: Study, basket: AnalysisPlan) -> float:
    """Return what is left of the budget, with what answered questions have of it."""
    if not _counts_epsilon(study):
        return 1.0
    fixed = [item for item in basket.items if item.fixed]
    answers = releasing.answers([item.request for item in fixed], study)
    paid = math.fsum(
        item.epsilon for item, answer in zip(fixed, answers, strict=True) if answer is not None
    )
    # Nothing can be released where nothing is left: the plan says what it would take.
    total = _plain(session.account(study).remaining.epsilon) + paid or basket.planned or 1.0
    return min(max(total, LEAST), MOST)


def _plain(left: Decimal) -> float:
    """Return what is left in four digits, rounded down: without what rounding left."""
    last = Decimal(1).scaleb(left.adjusted() - 3)
    return float(left.quantize(last, rounding=ROUND_DOWN)) if left else 0.0


def _kept(study: Study) -> AnalysisPlan | None:
    found = _read(study.fingerprint, study) if session.of_account(study) else None
    if found is None:
        return None
    session.set_public(_LOST, found.lost)
    return found.basket


def _read(fingerprint: str, study: Study) -> Loaded | None:
    """Return the plan kept for a table, of the questions that this one can be asked."""
    text = _plans().read(fingerprint)
    with contextlib.suppress(DataError):
        return None if text is None else _loaded(text, study)
    return None


def _loaded(text: str | bytes, study: Study) -> Loaded:
    return from_json(text, study.dataset, study.terms.unit)


def _named(study: Study) -> str:
    return f"_plan-{study.fingerprint}"


def _other(study: Study) -> str:
    return f"_other-plan-{study.fingerprint}"


def _other_file(study: Study) -> str:
    return f"{study.fingerprint}-other"


def _plans() -> StoredTexts:
    return StoredTexts(default_folder() / _FOLDER)


def ask_name(request: Releasable, study: Study) -> str:
    """Let a question be named that has no name in the plan; return its name, if any."""
    item = planned(study, request)
    if item is not None:
        return item.own_name
    key = _name_key(request)
    if key is None:
        return ""
    typed = st.text_input(
        "Name of the question",
        max_chars=LONGEST_NAME,
        placeholder="such as patients ever positive",
        key=key,
        persist_state="session",
        help="Pages, documents and files use this name. The recipe stays beside it. "
        "The question and its privacy cost do not depend on the name.",
    )
    return " ".join(typed.split())


def name_of(request: Releasable, study: Study) -> str:
    """Return the name that a question was given in the plan, or else on its page."""
    item = planned(study, request)
    if item is not None:
        return item.own_name
    key = _name_key(request)
    typed = None if key is None else session.public(key)
    return " ".join(typed.split()) if isinstance(typed, str) else ""


def _name_key(request: Releasable) -> str | None:
    """Return the key of the field of a question, whatever its epsilon is.

    None where it cannot be carried out, and so has no name.
    """
    try:
        return f"question-name-{session.generation()}-{PlannedQuery.of(request).key}"
    except DPCoreError:
        return None


def with_answers(name: str, basket: AnalysisPlan, study: Study) -> Option:
    """Return a plan with the days on which questions of it were answered."""
    answers = releasing.answers([item.request for item in basket.items], study)
    return Option(
        name=name,
        basket=basket,
        released={
            item.key: datetime.fromisoformat(answer.created).date()
            for item, answer in zip(basket.items, answers, strict=True)
            if answer is not None
        },
    )


# What is said beside the questions of a plan: group sizes paid twice, and imputed values.


def in_plan(basket: AnalysisPlan) -> None:
    """Say which head counts a plan pays for twice, and who has no value counts as."""
    for one in paid_twice(basket.items):
        st.info(
            f"“{literal(one.beside.name)}” releases the group sizes, too. Remove "
            f"“{literal(one.counts.name)}”: it costs twice and the counts differ."
        )
    differ = assumptions.treatments(item.request.asked for item in basket.items)
    for column in {c.name: c for item in basket.items for c in item.request.asked.columns}.values():
        if column.missing is MissingPolicy.DROP:  # counted in "other", or nowhere
            differ.pop(column.name, None)
    for name, each in differ.items():
        # Who is in neither of two groups that are compared is missed in neither.
        told = [one for one in each if one != PAIR_ONLY]
        if len(told) > 1:
            st.info(
                f"Missing values of **{literal(name)}** are treated differently by questions "
                f"of this plan: {literal('; or '.join(told))}. Counts of the same group may "
                "differ. To have one treatment, choose “leave out” on Data."
            )


def before_release(request: Releasable, releases: Iterable[Release]) -> None:
    """Say that a release has told the head counts that a question asks for."""
    told = earlier_group_sizes(request.asked, releases)
    if told is not None:
        st.info(
            f"“{literal(told.known_as)}” already includes the group counts: they are among "
            "its numbers on Released. Asked separately, they cost more and have different noise."
        )


def smallest_of(items: Sequence[PlannedQuery], study: Study) -> dict[str, SmallestGroup]:
    """Return the smallest group of each question that an answer has told the size of.

    Whatever table of these people it was about: that is public.
    """
    if not any(item.width.assumed for item in items):
        return {}
    releases = accounts.all_releases(session.account(study))
    found = {item.key: smallest_group(item.request.asked, releases) for item in items}
    return {key: one for key, one in found.items() if one is not None}


def imputed(items: Sequence[PlannedQuery]) -> str:
    """Return which imputed values no margin covers, or nothing where there are none.

    How many values are missing is confidential: nothing here hangs on it.
    """
    found = assumptions.imputed_in(items)
    if not found:
        return ""
    values = ", ".join(f"{column.title}: {replacement_text(column)}" for column in found)
    return f"Margins exclude bias from imputed values ({literal(values)})."
