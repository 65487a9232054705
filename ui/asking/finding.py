"""Bounds of a column that nobody knows, found by a release that is charged.

Nothing can be charged before the ledger has an account of the table. So the account of a
table that is not in use yet is opened first, on the terms of this page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

import streamlit as st

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.bounds import EMPTY_PASSES, BoundsPlan, BoundsQuery
from dpcore.data.declaration_grid import Field, declared
from dpcore.data.partitions.table import Table
from dpcore.formatting import percent
from dpcore.releases.digits import cost_text, number_text
from dpcore.releases.record import Release
from ui import accounts, controls, offering, releasing, session
from ui.asking import fit
from ui.data import declaring, grid
from ui.study import AccountTerms, Draft, Study
from ui.text import after_number, literal

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

_SHARE: Final = 0.05
"""The part of a budget in ε that is proposed for the search."""
_USUAL: Final = 0.1
ADDRESS: Final = "find"
_NOTHING = (
    "**Nothing found.** No bin passed the threshold. The cost is paid. Type bounds that you "
    "know, or search again with a larger ε."
)


def ask(
    dataset: Table, current: Draft | Study, agreed: AccountTerms, keep: Callable[[Table], None]
) -> DeltaGenerator | None:
    """Offer to find bounds; return its block where an account has to be opened first."""
    places = [
        place
        for place, column in enumerate(dataset.columns)
        if column.kind.is_numeric and (column.bounds is None or column.found_epsilon is not None)
    ]
    return offer(
        block("bounds", places),
        current,
        agreed,
        account_key="open-account",
        question=partial(_question, dataset, places),
        tell=_tell_error,
        answer=partial(_answer, dataset, keep),
    )


def block(what: str, places: list[int]) -> ExpanderContainer | None:
    """Return the block of a search, open where the address asks for it: ``?find=labels``."""
    if not places:
        return None
    wanted = st.query_params.get(ADDRESS) == what
    return st.expander(f"Find {what}", key=f"find-{what}", expanded=wanted, on_change="rerun")


def offer(
    block: ExpanderContainer | None,
    current: Draft | Study,
    agreed: AccountTerms,
    *,
    account_key: str,
    question: Callable[[AccountTerms], tuple[int, Request] | None],
    tell: Callable[[Request], None],
    answer: Callable[[Request, Study, int], None],
) -> DeltaGenerator | None:
    """Offer a search in its block; return it where an account has to be opened first.

    ``question`` asks for column and request, ``tell`` says its error in advance, and
    ``answer`` offers the search and takes over what it found.
    """
    if block is None or not block.open:
        return None
    study = current if isinstance(current, Study) else None
    terms = agreed if study is None else study.terms
    with block, controls.valid(ends=False):
        asked = question(terms)
        if asked is None:
            return None
        place, request = asked
        _tell_price(request, study)
        tell(request)
        if study is not None:
            answer(request, study, place)
        elif _opens_account(account_key, current):
            return block
    return None


def _tell_error(request: Request) -> None:
    rows = cast("BoundsPlan", request.plan).threshold
    st.caption(
        f"A bin is found from about {rows:,.0f} rows on. Values beyond the bins that are "
        "found will be clamped.",
        help="Bins begin at 0, 1, 2, 5, 10, 20, 50 and so on, on both signs. An empty bin "
        f"is taken for an occupied one with a probability of at most {percent(EMPTY_PASSES)}.",
    )


def proposed(total: float | None, share: float, *, usual: float) -> float:
    """Return a share of a budget in ε as a default; ``usual`` where it has another measure."""
    return usual if total is None else max(round(share * total, 3), 0.001)


def choose(
    cell: controls.Cell, label: str, dataset: Table, places: list[int], *, key: str
) -> int | None:
    """Let one of several columns be chosen: none is proposed to spend budget on."""
    if session.public(key) not in {*places, None}:
        session.set_public(key, None)
    # Streamlit keeps this function longer than the tab: it must not hold the table.
    names = [dataset.short(column.name) for column in dataset.columns]
    return cell.selectbox(
        label,
        places,
        index=0 if len(places) == 1 else None,
        placeholder="Choose a column",
        format_func=names.__getitem__,
        key=key,
        kept="session",
    )


def _question(dataset: Table, places: list[int], terms: AccountTerms) -> tuple[int, Request] | None:
    st.caption(
        "For a column whose range nobody knows. Noisy counts in bins of growing size find "
        "public bounds. The search costs ε like any release."
    )
    first, second, _ = controls.row(3)
    key = f"find-column-{session.generation()}"
    place = choose(first, "Numeric column", dataset, places, key=key)
    total = None if terms.budget.epsilon is None else float(terms.budget.epsilon)
    epsilon = second.charged_epsilon(
        "ε for the search",
        proposed(total, _SHARE, usual=_USUAL),
        (0.001, 10.0, 0.05),
        key=f"find-epsilon-{session.generation()}",
        kept="session",
        more="A smaller ε finds only bins with more rows.",
    )
    if place is None:
        return None
    query = BoundsQuery.of(dataset.columns[place], relation=terms.relation, unit=terms.unit)
    return place, Request(query=query, mechanism_key="laplace", epsilon=epsilon.inside)


def _tell_price(request: Request, study: Study | None) -> None:
    """Say what a search costs, and leaves of an account that is known."""
    if study is not None and releasing.latest(study.fingerprint, request) is not None:
        return
    price = f"Cost: **{cost_text(request.cost)}**."
    account = None if study is None else session.account(study)
    if account is not None and account.admits(request.cost):
        paid = account.charged(request.cost)
        price += f" Left afterwards: {accounts.left(paid, request.cost)}."
    st.markdown(price)


def _has_account(current: Draft | Study) -> bool:
    """Return whether a table that is not in use yet was used before."""
    earlier = current.earlier if isinstance(current, Draft) else None
    return earlier is not None and earlier.same_table


def _opens_account(key: str, current: Draft | Study) -> bool:
    """Offer to open the account of a table that is not in use yet, or to go on with it."""
    if _has_account(current):
        st.caption(
            "The ledger has an account of this table. Its budget and what was spent stay as "
            "they are."
        )
        return st.button("Go on with the account", key=key)
    st.caption(
        "First check the privacy unit, the relation and the budget above. The ledger opens the "
        "account of this table with them, and spends nothing yet. An account that these "
        "people have already does not change."
    )
    return st.button("Open the account", key=key)


def _answer(
    dataset: Table, keep: Callable[[Table], None], request: Request, study: Study, place: int
) -> None:
    """Offer the search, and record what it found as the bounds of the column."""
    answer = offering.offer(request, study, key="bounds", plannable=False)
    if answer is None:
        return
    bounds = dataset.columns[place].bounds
    same = bounds is not None and (bounds.lower, bounds.upper) == answer.values
    with offering.frame(answer, answer.said):
        ends = " to ".join(
            number_text(answer, label, value)
            for label, value in zip(answer.labels, answer.values, strict=True)
        )
        unit = after_number(request.quantity.unit)
        if ends:
            st.subheader(literal(f"{ends}{unit}"), anchor=False)
        else:
            st.markdown(_NOTHING)
        if ends and answer.mode is Mode.CLASSROOM:
            st.caption("A classroom result is not private, so it is not recorded as bounds.")
        elif same:
            st.caption("Recorded as the public bounds of this column.")
        offering.badge(answer, "bounds")
    new = ends and answer.mode is Mode.RELEASE and not same
    if new and (bounds is None or st.button("Use these bounds", key="use-bounds")):
        _record(answer, dataset, place, keep)
    if bounds is not None:
        fit.check(dataset, place, codebook=study.example is not None, key="found-fit")


def _record(answer: Release, dataset: Table, place: int, keep: Callable[[Table], None]) -> None:
    ends = dict(zip((Field.LOWER, Field.UPPER), answer.values, strict=True))
    found = replace(
        declared(dataset.columns[place], ends), found_epsilon=float(answer.cost.epsilon)
    )
    grid.take_over(dataset, declaring.redeclared(dataset, found), keep)
    st.rerun()
