"""What each person has lost over all releases of the ledger. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.figures.individual.person_totals import odometer_picture, totals_picture
from dpcore.figures.wording import epsilon_text, rounded_up
from dpcore.individual.release_losses import ReleaseLosses
from dpcore.individual.totals import Counting, gather, odometer, person_totals
from dpcore.privacy.composition import PrivacyEvent, compose
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Mode
from ui import results, session
from ui.individual import ledger_losses, ledger_words
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.figures.individual.compared import Compared
    from dpcore.individual.totals import PersonTotals
    from ui.individual.ledger_losses import LedgerLosses
    from ui.individual.subject import AnySubject
    from ui.study import Study

_MOST = 10
_USUAL_DELTA = 1e-6
_TOP, _ROW = "the most exposed person", "a row of the table"


def show(subject: AnySubject, study: Study) -> None:
    """Show everybody's total over the ledger, and one person's odometer."""
    releases = session.ledger().releases(study.fingerprint)
    if not releases:
        st.info(ledger_words.nothing(study))
        st.page_link("pages/release.py", label="Go to Release")
        return
    with st.spinner("Adding up everybody's losses …"):
        ledger = ledger_losses.read(releases, study, subject.relation)
        gathered = session.remember(
            "gathered-losses",
            ledger.key,
            lambda: gather(ledger.losses, people=study.dataset.people),
        )
    delta, way = _ask(study)
    with st.spinner("Adding up everybody's losses …"):
        totals = session.remember(
            "person-totals",
            f"{ledger.key} {delta}",
            lambda: gathered.at(delta),
        )
    _uncounted(ledger)
    compared = ledger_words.compared(ledger, subject.relation)
    ranking = _everybody(ledger, totals, way, study, compared)
    _one(ledger, totals, ranking, study, compared)
    with st.expander("How losses add up", key="totals-how"):
        _how(subject.relation)


def _ask(study: Study) -> tuple[float, Counting]:
    left, right = st.columns(2)
    budget = session.account(study).budget
    delta = left.number_input(
        "δ of the totals",
        min_value=0.0,
        max_value=0.1,
        value=float(budget.delta or 0) or _USUAL_DELTA,
        format="%g",
        key="totals-delta",
        bind="query-params",
        help="Every total is an ε that goes with this δ. Gaussian noise has none at 0.",
    )
    ways = [Counting.BEST, *(way for way in Counting if way is not Counting.BEST)]
    way = right.selectbox(
        "Losses put together by",
        ways,
        key="totals-way",
        bind="query-params",
        help="Each is a valid total of the same releases; the smallest is the best.",
    )
    return delta, way


def _uncounted(ledger: LedgerLosses) -> None:
    """Say which releases are counted at their worst case."""
    worst = {
        release.title
        for release, losses in zip(ledger.releases, ledger.losses, strict=True)
        if losses.own is None
    }
    if worst:
        names = ", ".join(sorted(worst))
        st.caption(
            literal(
                "Counted at the worst case for everybody, because each person's own "
                f"loss is not worked out here: {names}."
            )
        )
    if len(set(map(id, ledger.losses))) > ledger.most:
        st.caption(
            f"Of a table of this size the {ledger.most} costliest questions are looked "
            "at closely; beyond these everybody is counted at the worst case."
        )
    for note in ledger.notes:
        st.caption(literal(f"Losses of {note}."))


def _everybody(
    ledger: LedgerLosses,
    totals: PersonTotals,
    way: Counting,
    study: Study,
    compared: Compared,
) -> list[int]:
    """Show the distribution of totals; return the rows of the most exposed people."""
    losses = session.remember(
        "ranked-totals",
        f"{ledger.key} {totals.delta} {way}",
        lambda: totals.losses(way),
    )
    events = [PrivacyEvent.from_dict(release.event) for release in ledger.releases]
    worst = person_totals(
        [ReleaseLosses(event=event) for event in events], people=1, delta=totals.delta
    )
    charged = float(session.account(study).spent.epsilon)
    cells = st.columns(3)
    cells[0].metric(
        "Account was charged",
        f"ε {epsilon_text(charged)}",
        help="Public: the sum of the costs, for the worst case of each release.",
    )
    cells[1].metric("Most exposed person lost", f"ε {epsilon_text(losses.maximum)}")
    cells[2].metric("Average person lost", f"ε {epsilon_text(losses.mean)}")
    results.show(
        totals_picture(
            losses,
            charged=charged,
            planned=float(worst.of[way][0]),
            watermark=session.mode() is Mode.CLASSROOM,
            compared=compared,
        ),
        "person-totals",
    )
    rows = [int(row) for row in losses.ranking(_MOST)]
    st.markdown("**Most exposed over the whole ledger**")
    st.dataframe(
        pd.DataFrame(
            {
                "row": [row + 1 for row in rows],
                "total epsilon": rounded_up(losses.epsilon[rows]),
                "most from": _costliest(ledger, rows, totals.delta),
            }
        ),
        column_config={"total epsilon": results.THREE_DIGITS},
        hide_index=True,
        key="most-exposed-totals",
    )
    return rows


def _one(
    ledger: LedgerLosses,
    totals: PersonTotals,
    ranking: Sequence[int],
    study: Study,
    compared: Compared,
) -> None:
    """Show one person's odometer."""
    st.markdown("**One person's odometer**")
    left, right = st.columns(2)
    whom = left.radio("Whose", [_TOP, _ROW], horizontal=True, key="odometer-whose")
    row = ranking[0]
    if whom == _ROW:
        count = study.dataset.people
        row = right.number_input(
            f"Row, from 1 to {count:,}",
            min_value=1,
            max_value=count,
            value=1,
            key=f"odometer-row-{session.generation()}",
        )
        row = int(row) - 1
    path = odometer(ledger.losses, row, delta=totals.delta)
    own = _alone(ledger, [row], totals.delta)[:, 0].tolist()
    results.show(
        odometer_picture(
            path,
            titles=[release.title for release in ledger.releases],
            own=own,
            charges=[float(release.cost.epsilon) for release in ledger.releases],
            watermark=session.mode() is Mode.CLASSROOM,
            compared=compared,
        ),
        "odometer",
    )
    place = st.expander(
        "This person's total, by every way of counting",
        key="odometer-ways-open",
        on_change="rerun",
    )
    if place.open:
        with place:
            _four_ways(ledger, path[-1], row)


def _four_ways(ledger: LedgerLosses, totals: PersonTotals, row: int) -> None:
    """List one person's total by every way of counting."""
    events = [losses.of(row) for losses in ledger.losses]
    with st.spinner("Composing the losses …"):
        pld = session.remember(
            "odometer-pld",
            f"{ledger.key} {totals.delta} {row}",
            lambda: compose(events, delta=totals.delta).pld,
        )
    ways = [(way.value, float(total[0])) for way, total in totals.of.items()]
    ways[-1] = ("the smallest of those above", ways[-1][1])
    ways.append(("for comparison, loss distributions convolved", pld))
    st.dataframe(
        pd.DataFrame(
            {
                "put together by": [name for name, _ in ways],
                "total epsilon": [epsilon_text(value) for _, value in ways],
            }
        ),
        hide_index=True,
        key="odometer-ways",
    )


def _alone(ledger: LedgerLosses, rows: Sequence[int], delta: float) -> FloatArray:
    """Return the epsilon of each release for some people, shape ``(r, people)``."""
    people = np.array(rows)
    epsilons = (losses.among(people).epsilon(delta) for losses in ledger.losses)
    return np.array([np.broadcast_to(one, len(rows)) for one in epsilons])


def _costliest(ledger: LedgerLosses, rows: Sequence[int], delta: float) -> list[str]:
    """Return the release that reveals most about each of some people."""
    places = np.argmax(_alone(ledger, rows, delta), axis=0).tolist()
    return [f"{place + 1}: {ledger.releases[place].title}" for place in places]


def _how(relation: NeighboringRelation) -> None:
    st.markdown(
        "A person's own loss from one release is about two tables only. Losses of "
        "several releases compose like guarantees: their ε **add up** (with the δ, of "
        "which each Gaussian release gets an equal part); **advanced composition** "
        "gains from many small ones (Kairouz, Oh and Viswanath 2015); **zCDP** adds up "
        "each person's ρ and converts once. **Gaussian noise** composes exactly: the "
        "squares of shift over noise add up, whatever the number of releases; "
        "together with other noise, their ε are added to it. All are valid, so the "
        "smallest is. Of more than 50,000 people a loss is rounded up by 0.05 % at "
        "most.\n\n"
        "**From a secret sample** a person loses what their own change in the sample "
        "reveals, amplified. **From bootstraps** they lose what their own change by "
        "one copy reveals to somebody who is told how often they were drawn, and never "
        "more than the guarantee; where loss distributions are convolved, bootstraps "
        "are counted at the guarantee.\n\n"
        "This describes the releases that were made. If a release was chosen in view "
        "of earlier answers, the total of a person is what happened, not a guarantee; "
        "the account is charged the worst case for that reason. Nor may these totals "
        "decide who is left out of the next release: each depends on everybody's "
        "records, so that leaving one person out would tell of the others.\n\n"
        + (
            "With another record instead of a removed one, each release is counted "
            "for the record that reveals most in it. No single record may do so in all "
            "of them. For a statistic the total is an upper bound; for a model the "
            "worst record is the worst that a search found, not proved.\n\n"
            if relation is NeighboringRelation.SUBSTITUTION
            else ""
        )
        + "Source: Y.-X. Wang, *Per-instance differential privacy*, 2019, section 2; "
        "V. Feldman and T. Zrnic, *Individual privacy accounting*, 2021."
    )
