"""What a limit of rows a person leaves out, and what it costs: guessed, and looked up.

By a guess it is public. What the table says of it is for the curator alone, and a limit
that is chosen by it gives the table away: the page says so.
"""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import NOBODY, persons
from dpcore.data.preparation.conditions import Condition, met_by
from dpcore.data.preparation.contribution_bounds import RowCap
from dpcore.errors import DataError
from dpcore.figures.tradeoffs import limits_picture
from dpcore.studies.row_limits import Guess, LimitErrors, count_errors, mean_errors, with_limit
from ui import confidential, controls, results, session

_COUNT, _MEAN = "a count", "a mean"


def show(source: Dataset, rule: RowCap, conditions: tuple[Condition, ...] = ()) -> None:
    """Show both errors under every limit, once that is asked for.

    ``conditions`` are what all rows that count meet; a guess is one of those rows.
    """
    generation = session.generation()
    if not st.toggle(
        "Show bias and noise of a limit", key=f"row-limits-{generation}", persist_state="session"
    ):
        return
    cells = controls.row(4)
    each = cells[0].number(
        "Rows per person (your guess)",
        4.0,
        (1.0, 1e4),
        key=f"guessed-rows-{generation}",
        kept="session",
        note="The number of rows per person is assumed to be geometric. Type a "
        "guess; do not look at "
        "the table.",
    )
    rows = cells[1].number(
        "Rows in total (minimum)",
        1000,
        (1, 10**9),
        key=f"guessed-all-{generation}",
        kept="session",
        note="The public minimum below. Averages divide by at least this number.",
    )
    epsilon = cells[2].number(
        "ε of a question",
        0.5,
        (1e-6, 100.0),
        key=f"guessed-epsilon-{generation}",
        kept="session",
        note=controls.EPSILON_HELP,
    )
    gap = cells[3].number(
        "Difference of rows left out, % of the bounds",
        5.0,
        (0.0, 100.0),
        key=f"guessed-gap-{generation}",
        kept="session",
        note="The difference between the means of the rows beyond the limit and of "
        "the counted rows.",
    )
    of = controls.HERE.radio(
        "Error of", [_MEAN, _COUNT], key=f"limits-of-{generation}", kept="session"
    )
    limits = with_limit(rule.most)
    guess = Guess(rows=rows, each=each, gap=gap / 100)
    found = (guess.count if of == _COUNT else guess.mean)(epsilon, limits)
    results.show(limits_picture(found, rule.most, of=of, table=False), "row-limits")
    what = "the effect of limits on this table"

    def draw() -> None:
        st.caption(
            "The best limit here depends on confidential rows. Choose the limit by the guess "
            "above. This panel shows whether the guess was far off."
        )
        looked_up = _of_table(source, rule, guess, of, epsilon, _persons(source, rule, conditions))
        results.show(limits_picture(looked_up, rule.most, of=of, table=True), "row-limits-here")

    confidential.area("row-limits", what, draw, ready=False)


def _of_table(
    source: Dataset, rule: RowCap, guess: Guess, of: str, epsilon: float, person: NDArray[np.intp]
) -> LimitErrors:
    """Return the errors in the table, of a column that is chosen. CONFIDENTIAL.

    ``person`` is whose each row is, -1 for one that does not count.

    Raises:
        DataError: No column of numbers has bounds, or nobody has a row.

    """
    limits = with_limit(rule.most)
    there = person > NOBODY
    if not there.any():
        raise DataError("no row is counted, or has an ID. Choose another column.")
    if of == _COUNT:
        return count_errors(person[there], epsilon, limits)
    ready = [
        column
        for column in source.columns
        if column.kind.is_numeric and column.bounds is not None and column.name not in rule.owners
    ]
    if not ready:
        raise DataError("declare the bounds of a column of numbers below to see its mean.")
    names = [column.name for column in ready]
    place = st.selectbox(
        "Mean of",
        range(len(names)),
        format_func=names.__getitem__,
        key=f"limits-column-{session.generation()}",
        persist_state="session",
    )
    column = ready[place]
    there &= ~source.missing(column.name)
    bounds = column.bounds
    if bounds is None or not there.any():
        raise DataError("this column has no values.")
    return mean_errors(
        source.numbers(column.name)[there],
        person[there],
        bounds,
        least=guess.rows,
        epsilon=epsilon,
        limits=limits,
    )


def _persons(source: Dataset, rule: RowCap, conditions: tuple[Condition, ...]) -> NDArray[np.intp]:
    about = f"{session.generation()} {id(source.frame)} {rule} {conditions}"

    def found() -> NDArray[np.intp]:
        person = persons(source, rule.owners, rule.ownerless)
        if conditions:
            person[~met_by(source, conditions)] = NOBODY
        return person

    return session.remember("row-owners", about, found)
