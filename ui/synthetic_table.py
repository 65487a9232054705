"""Synthetic data: the counts it is generated from, planning them, and what it preserves."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.reading import is_model
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import DataError, DPCoreError, ParameterError
from dpcore.figures.synthesis import SyntheticCounts, kept_picture, original_picture
from dpcore.formatting import percent, significant
from dpcore.releases.declared import request_of
from dpcore.releases.record import Release, in_force
from dpcore.synthesis import released_counts
from dpcore.synthesis.fitting import (
    Fitted,
    Forest,
    WholeCounts,
    as_written,
    deal,
    fit,
    plant,
    whole_steps,
)
from dpcore.synthesis.original import exact, ties
from dpcore.synthesis.released_counts import Counted, questions
from ui import controls, plans, recovery, results, session, work
from ui.study import Study
from ui.text import literal
from ui.work import Told

if TYPE_CHECKING:
    import pandas as pd


_SHOWN: Final = 20
_FIRST, MOST_BINS = 5, 20
_USUAL_DELTA: Final = 1e-6
_USUAL_EPSILON: Final = 1.0
BINS_NOTE: Final = (
    "Numbers are counted in bins of about equal width, and synthetic values are uniform "
    "within a bin. More bins keep more detail. Each then holds fewer rows, with the same noise."
)
_HUB: Final = "each column with a pivot column"
_ALONE: Final = "none"
_OLDER: Final = {
    "every column with one of them": _HUB,
    "nothing: each column is counted by itself": _ALONE,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class SyntheticTable:
    """Synthetic rows with the counts that they add up to. PUBLIC.

    ``table`` has dates in days since 1 January 1970, and ``written`` as text.
    """

    key: str
    seed: int
    fitted: Fitted
    counts: WholeCounts
    table: pd.DataFrame
    written: pd.DataFrame


def make(sources: Sources, study: Study) -> SyntheticTable | None:
    """Ask for what is left open, and return the table; ``None`` while it is made."""
    numbers = [a for a in sources.forest.axes if a.column.kind is ColumnKind.NUMBER]
    seed_place, whole_place = controls.row((1, 3))
    seed = seed_place.seed(
        key="made-up-seed", note="Another seed generates other rows with the same counts."
    )
    names = [axis.name for axis in numbers]
    chosen: list[int] = []
    if names:
        chosen = whole_place.place.multiselect(
            "Round to whole numbers",
            range(len(names)),
            format_func=names.__getitem__,
            key=f"made-up-rounded-{session.generation()}-{len(names)}",
            persist_state="session",
            help="Columns of type number get decimals unless chosen here. Those of type whole "
            "number are always whole.",
        )
    integers = frozenset(names[at] for at in chosen)
    last = work.once("made-up-counts", sources.key, lambda: _counts(sources.forest), _told)
    if last is None:
        return None
    if isinstance(last, DPCoreError):
        raise last
    fitted, counts = last.fitted, last.counts
    key = f"{sources.key} {seed} {sorted(integers)}"

    def dealt() -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        return deal(sources.forest, counts, rng=rng, whole_numbers=integers)

    table = session.remember("made-up-table", key, dealt)
    order = [c.name for c in study.dataset.columns if c.name in table.columns]
    table = table[order]
    written = as_written(table, (axis.column for axis in sources.forest.axes))
    return SyntheticTable(
        key=key, seed=seed, fitted=fitted, counts=counts, table=table, written=written
    )


def show_made(made: SyntheticTable) -> None:
    """Show the first rows, and offer the table as a file."""
    rows = f"{made.counts.people:,}"
    st.markdown(f"**{rows} synthetic rows; the first {min(_SHOWN, made.counts.people)}**")
    results.table(made.written.head(_SHOWN), key="made-up-rows")
    if session.mode() is Mode.CLASSROOM:
        st.caption("Classroom mode offers no file, because its counts are not private releases.")
        return
    results.table_files(
        lambda: made.written, "synthetic-data", "made-up", label="Download synthetic rows"
    )


def keeps(sources: Sources, made: SyntheticTable) -> int:
    """Show what it preserves of a question, and return which one was chosen."""
    st.header("What it preserves and distorts")
    chosen = ask_question(sources)
    if made.fitted.stretch > 0:
        st.warning(
            "The released counts contradict each other. Their intervals were widened "
            f"by {percent(made.fitted.stretch)}. A likely cause is missing values that "
            "are excluded from some counts only."
        )
    picture = kept_picture(_cells(sources, made, chosen), unit=_unit(sources, chosen))
    results.show(picture, "made-up-kept")
    st.caption(
        f"The intervals contain all exact counts of the question with "
        f"{percent(sources.level)} confidence."
    )
    return chosen


def ask_question(sources: Sources) -> int:
    """Ask about which of the counts."""
    titles = [one.title for one in sources.forest.kept]
    return controls.row((2, 1))[0].selectbox(
        "Question",
        range(len(titles)),
        format_func=titles.__getitem__,
        key=f"made-up-question-{session.generation()}-{len(titles)}",
        kept="session",
    )


def breaks(sources: Sources) -> None:
    """Say what no synthetic data from counts preserves."""
    kept = ", ".join(" with ".join(one.names) for one in sources.forest.pairs)
    st.markdown(
        "**Preserved up to noise:** all released counts"
        f"{literal(f'; pairs: {kept}' if kept else '')}. A difference within these bounds "
        "may be noise alone. "
        "**Distorted:** the relations of all other pairs, means and medians of skewed numbers "
        "(values are uniform within bins), extremes, repeated and missing values. Use it to "
        "write an analysis or to teach. Publish findings only from releases."
    )


def beside_the_original(sources: Sources, made: SyntheticTable, chosen: int, study: Study) -> None:
    """Show the counts of the original, and what is lost. CONFIDENTIAL."""
    truth = exact(sources.forest.kept[chosen], study.in_memory).ravel()
    picture = original_picture(_cells(sources, made, chosen), truth, unit=_unit(sources, chosen))
    results.show(picture, "made-up-original")
    found = session.remember(
        "made-up-ties", made.key, lambda: ties(sources.forest, study.in_memory, made.table)
    )
    if not found:
        return
    st.markdown("**Mutual information of pairs of columns**")
    results.table(
        [
            {
                "columns": f"{tie.first} and {tie.second}",
                "original": tie.original,
                "synthetic": tie.synthetic,
                "rows that differ": percent(tie.apart),
                "counted together": "yes" if tie.kept else "no",
            }
            for tie in sorted(found, key=lambda tie: -abs(tie.original - tie.synthetic))
        ],
        column_config=dict.fromkeys(("original", "synthetic"), results.THREE_DIGITS),
        key="made-up-ties",
    )
    st.caption(
        "In nats: 0 means independent. A pair that was not counted together loses what it shares. "
        "What remains comes through other columns, or by chance. "
        "“Rows that differ”: the least share of rows whose pair of values would have to change. It "
        "is half the sum of differences of all shares."
    )


def _unit(sources: Sources, chosen: int) -> str:
    return sources.forest.kept[chosen].unit_text


class _Counts(NamedTuple):
    """Counts that agree, of which so many pairs are rounded, of all."""

    fitted: Fitted
    counts: WholeCounts
    pairs: int


def _counts(forest: Forest) -> Iterator[_Counts | DPCoreError]:
    try:
        fitted = fit(forest)
        for counts in whole_steps(forest, fitted):
            yield _Counts(fitted, counts, len(forest.pairs))
    except DPCoreError as error:
        yield error


def _told(last: _Counts | DPCoreError) -> Told:
    if isinstance(last, DPCoreError):
        return Told(None, "")
    done = len(last.counts.pairs)
    return Told(done / max(last.pairs, 1), f"Fitting the counts: {done} of {last.pairs} pairs.")


def _cells(sources: Sources, made: SyntheticTable, chosen: int) -> SyntheticCounts:
    one, singles = sources.forest.kept[chosen], len(sources.forest.singles)
    counts = (
        made.counts.columns[one.names[0]]
        if chosen < singles
        else made.counts.pairs[chosen - singles]
    )
    return SyntheticCounts(
        title=one.title,
        names=one.cells,
        released=one.counts.ravel(),
        ends=one.ends.reshape(-1, 2),
        synthetic=counts.ravel().astype(np.float64),
        level=sources.level,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Sources:
    """Released counts. PUBLIC.

    Attributes:
        key: Names of the releases.
        forest: What is kept, and what is not.
        level: Confidence of the intervals of one question.

    """

    key: str
    forest: Forest
    level: float


def find_sources(study: Study) -> Sources | None:
    """Return the released counts of the table in use; ``None`` if there are none."""
    releases: tuple[Release, ...] = ()
    with recovery.told():
        releases = in_force(session.ledger().releases(study.fingerprint))
    known: list[Counted] = []
    for release in releases:
        if is_model(release.request):
            continue
        with contextlib.suppress(DataError):
            request = request_of(release, study.dataset, study.terms.unit)
            known += released_counts.read(release, request)
    if not known:
        return None
    levels = [one.intervals.level for one in releases if one.intervals is not None]
    return Sources(
        key=" ".join(release.id for release in releases), forest=plant(known), level=min(levels)
    )


def tell_sources(sources: Sources) -> None:
    """List the released counts that are used, and those that cannot be."""
    forest = sources.forest
    st.markdown(
        "**Generated from these released counts:**\n\n"
        + "\n".join(f"- {literal(one.title)}" for one in forest.kept)
    )
    if forest.left_out:
        st.markdown(
            "Released, but not used:\n\n"
            + "\n".join(f"- {literal(one.title)}: {why}" for one, why in forest.left_out)
        )


def offer_plan(study: Study, *, opened: bool) -> None:
    """Offer to plan the counts that synthetic data is generated from."""
    place = st.expander("Plan the counts", expanded=opened, key="made-up-plan")
    with place:
        st.markdown("Only the counts spend budget. Synthetic data from them is free.")
        try:
            _ask_plan(study)
        except ParameterError as error:
            st.info(str(error), icon="✏️")


def choose_columns(
    study: Study, ready: Sequence[Column], *, key: str, first: int, note: str
) -> list[Column]:
    """Return the columns that are chosen among declared ones, at first so many of them."""
    names = [study.dataset.short(column.name) for column in ready]
    chosen = st.multiselect(
        "Columns",
        range(len(names)),
        default=list(range(min(first, len(names)))),
        format_func=names.__getitem__,
        key=f"{key}-{session.generation()}",
        persist_state="session",
        help=note,
    )
    others = [name for at, name in enumerate(names) if at not in chosen]
    if others:
        st.caption(
            f"Left out: {literal(', '.join(others))}. Planned questions about them have no answer "
            "here."
        )
    return [ready[at] for at in chosen]


def usual_epsilon(study: Study) -> float:
    """Return the ε that a table starts from: what is left of the budget, or 1."""
    account = session.account(study)
    left = math.inf if account.budget.epsilon is None else float(account.remaining.epsilon)
    return min(_USUAL_EPSILON, left) if left > 0 else _USUAL_EPSILON


def usual_delta(study: Study) -> float:
    """Return the δ that a table starts from: half of the budget's, or what is left of it."""
    account = session.account(study)
    if account.budget.delta is None:
        return _USUAL_DELTA
    return min(float(account.budget.delta) / 2, max(float(account.remaining.delta), 0.0))


def _ask_plan(study: Study) -> None:
    ready = [column for column in study.dataset.columns if column.is_declared]
    if not ready:
        st.info("No column has bounds or a category list yet.")
        st.page_link("pages/data.py", label="Go to Data")
        return
    study.terms.unit.check_one_row("synthetic data is")
    chosen = choose_columns(
        study,
        ready,
        key="made-up-columns",
        first=_FIRST,
        note="Columns with bounds or a category list.",
    )
    first, second, third = controls.row((3, 1, 1))
    controls.read_older("made-up-ties", _OLDER)
    way = first.radio(
        "Correlations to preserve",
        [_HUB, _ALONE],
        key="made-up-ties",
        kept="table",
        note="Each column is counted together with the pivot column in a cross table. "
        "The correlation of two other columns is preserved only as far as the pivot "
        "column explains it.",
    )
    bins = second.number(
        "Bins per number", 8, (2, MOST_BINS), key="made-up-bins", kept="table", note=BINS_NOTE
    )
    epsilon = third.number(
        "ε for all counts",
        usual_epsilon(study),
        (1e-6, 100.0, 0.1),
        key="made-up-epsilon",
        kept="table",
        note="Divided equally, and charged when the plan is released. Other planned "
        "questions share the total of the plan.",
    )
    hub = None
    if way == _HUB and len(chosen) > 1:
        place = controls.row((1, 2))[0].selectbox(
            "Pivot column",
            range(len(chosen)),
            format_func=[study.dataset.short(one.name) for one in chosen].__getitem__,
            key=f"made-up-hub-{session.generation()}",
            kept="session",
            note="The column that every other column is counted together with.",
        )
        hub = chosen[place]
    asked = questions(
        chosen,
        hub=hub,
        bins=bins,
        epsilon=epsilon,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size,
    )
    _plan(asked, epsilon, study)


def _plan(asked: Sequence[Request], epsilon: float, study: Study) -> None:
    missing = [one for one in asked if plans.planned(study, one) is None]
    cells = sum(len(one.query.statistic.labels) for one in asked)
    width = float(max(one.plan.half_widths(0.95).max() for one in asked))
    st.caption(
        f"{len(asked)} questions with {cells} counts, each ± {significant(width)} (95%, noise only)"
    )
    st.button(
        f"Add {len(missing)} questions to the plan" if missing else "All are planned",
        key="made-up-add",
        disabled=not missing,
        on_click=_add,
        args=(tuple(missing), epsilon),
        help="Spends nothing. Release them on Plan, then return.",
    )
    if not missing:
        st.page_link("pages/plan.py", label="Release the plan")


def _add(requests: tuple[Request, ...], epsilon: float) -> None:
    """Plan the questions; a plan of nothing else has the total that was typed here."""
    study = session.study()
    alone = study is not None and not plans.plan(study).items
    for request in requests:
        plans.add(request)
    if alone:
        plans.share(epsilon)
