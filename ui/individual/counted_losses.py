"""Everybody's losses from a table in parts: counted. CONFIDENTIAL.

Nobody's loss is held. Counts on a grid, the most exposed with their rows, and one person who is
looked up are found by reading the parts: of a statistic twice, of a model with the fit of the
whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.reading import StatisticRequest
from dpcore.data.columns import Column
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import InPartsError
from dpcore.figures.attackers import belief_text
from dpcore.formatting import epsilon_text, significant
from dpcore.individual.explanation import explain_alone
from dpcore.individual.losses import ExposedPerson, Losses
from dpcore.individual.model_losses import audited_moves, counted_model_losses, model_loss
from dpcore.individual.per_instance_loss import counted_losses, person_of_row
from dpcore.models.glm_influence import AuditedRemovals
from dpcore.models.question import Fit
from dpcore.relations import NeighboringRelation
from ui import controls, layout, partwise, session
from ui.individual import everybody, model_losses, one_person, statistic_losses
from ui.individual.subject import guarantee
from ui.models import modelling
from ui.study import Study
from ui.text import literal

_T = TypeVar("_T")
_EVERYBODY: Final = "Computing everybody's loss"
_BEYOND: Final = (
    "quantiles lie within a bin. The other views need all losses in memory. Upload a sample of "
    "the rows to see them."
)


class _Looked(NamedTuple):
    """Somebody who was looked for. CONFIDENTIAL."""

    person: ExposedPerson | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CountedStatistic:
    """A statistic of a table in parts, and everybody's loss from it. CONFIDENTIAL."""

    asked: Request
    study: Study
    table: PartitionedDataset
    relation: NeighboringRelation
    upper: bool = False
    listed_as: str = "looked-up"
    left_out: str = (
        "People are counted in bins of a thousandth of the guarantee. The largest and average "
        f"loss are exact, other {_BEYOND}"
    )

    def losses(self) -> Losses | None:
        """Return everybody's losses; ``None`` while they are counted."""
        return self._found("counted-losses", "", self._count, doing=_EVERYBODY)

    def looked(self, row: int) -> _Looked | None:
        """Look somebody up, by the row from 0; ``None`` while the parts are read."""

        def look(read: PartitionedDataset) -> _Looked:
            return _Looked(
                person_of_row(
                    self.asked.plan,
                    self.asked.query,
                    read,
                    row,
                    delta=self.asked.used_delta,
                    relation=self.relation,
                )
            )

        doing = f"Looking this {session.unit().noun} up"
        return self._found("looked-up", f" {row + 1}", look, doing=doing, passes=1)

    def remarks(self, losses: Losses) -> None:
        """Say nothing more of such losses."""

    def explain(self, person: ExposedPerson) -> None:
        """Say why somebody loses so much."""
        replaced = self.relation is NeighboringRelation.SUBSTITUTION
        st.markdown(literal(explain_alone(person, self.asked.query, replaced=replaced)))

    def most_exposed(self, losses: Losses) -> None:
        """Say who loses most, and why."""
        self.explain(losses.most[0])
        _tell_ties(losses)
        self.list_people(losses.most, ranked=True, key="most-exposed")

    def list_people(self, people: Sequence[ExposedPerson], *, ranked: bool, key: str) -> None:
        """List people with what the answer has of them."""
        values = np.array([person.values for person in people])
        used = values[:, 0] if values.shape[1] == 1 else values
        columns = statistic_losses.of_people(people, self.asked, used)
        everybody.list_people(people, _rows(people), columns, upper=False, ranked=ranked, key=key)

    def groups(self) -> None:
        """Show who bears the loss, by a category that is chosen."""
        by = everybody.ask_group(self.study)
        if by is not None:
            count, name = partial(self._count, by=by), f" {by.name}"
            losses = self._found("counted-groups", name, count, doing="Comparing groups")
            if losses is not None:
                everybody.show_groups(losses.groups, by, self.asked.mechanism_key)

    def _count(self, table: PartitionedDataset, by: Column | None = None) -> Losses:
        asked = self.asked
        return counted_losses(
            asked.plan, asked.query, table, delta=asked.used_delta, relation=self.relation, by=by
        )

    def _found(
        self,
        slot: str,
        about: str,
        compute: Callable[[PartitionedDataset], _T],
        *,
        doing: str,
        passes: int = 2,
    ) -> _T | None:
        key = f"{self.relation} {self.asked.analysis(self.study.fingerprint)}{about}"
        return partwise.found(slot, key, self.table, compute, doing=doing, passes=passes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CountedModel:
    """A model of a table in parts, and everybody's loss from it. CONFIDENTIAL.

    Of one that is not linear, ``audited`` is the audit of its losses.
    """

    asked: ModelRequest
    study: Study
    table: PartitionedDataset
    fit: Fit = field(repr=False)
    audited: AuditedRemovals | None = field(default=None, repr=False)
    listed_as: str = "most-exposed"
    left_out: str = (
        "People are counted in bins of a thousandth of the guarantee. The largest and average "
        f"loss are as exact as in memory, other {_BEYOND}"
    )

    @property
    def upper(self) -> bool:
        """Return whether losses are upper bounds."""
        return self.asked.law.for_fit(self.fit).upper

    def losses(self) -> Losses | None:
        """Return everybody's losses; ``None`` while they are counted."""
        count = partial(counted_model_losses, self.asked, audited=self.audited)
        return self._found("model-losses", "", count, doing=_EVERYBODY)

    def looked(self, row: int) -> _Looked | None:
        """Look somebody up, by the row from 0; ``None`` while the parts are read."""

        def look(fit: Fit) -> _Looked:
            return _Looked(model_loss(self.asked, fit, row, audited=self.audited))

        doing = f"Looking this {session.unit().noun} up"
        return self._found("model-person", f"{row + 1} ", look, doing=doing)

    def remarks(self, losses: Losses) -> None:
        """Say how exact losses are, and whose are infinite."""
        model_losses.tell_audit(losses, self.fit, self.audited)
        if losses.infinite:
            st.warning(
                "No finite ε holds, and no bar of the figure shows it: "
                f"{session.unit().number(losses.infinite)}."
            )

    def explain(self, person: ExposedPerson) -> None:
        """Say why somebody loses so much."""
        if self.upper:
            st.markdown(model_losses.BOUNDED)
            return
        st.markdown(
            f"The model fitted to everybody else misses this {session.unit().noun}'s target by "
            f"{significant(abs(person.residual))} (on the scale of the model). The record "
            f"makes up {significant(person.leverage)} of its own prediction (the leverage). Both "
            f"determine how far the coefficients move if the {session.unit().noun} leaves, "
            "which the noise has to hide."
        )

    def most_exposed(self, losses: Losses) -> None:
        """Say who loses most."""
        if losses.upper:
            st.markdown(model_losses.BOUNDED)
        _tell_ties(losses)
        self.list_people(losses.most, ranked=False, key=self.listed_as)

    def list_people(self, people: Sequence[ExposedPerson], *, ranked: bool, key: str) -> None:
        """List people with what decides their losses: of bounds, nothing but their own record."""
        causes = {
            "leverage": [one.leverage for one in people],
            "residual": [one.residual for one in people],
            "moves the model by": [one.shift for one in people],
        }
        upper = self.upper
        everybody.list_people(
            people, _rows(people), {} if upper else causes, upper=upper, ranked=ranked, key=key
        )

    def groups(self) -> None:
        """Compare no groups."""

    def _found(
        self, slot: str, about: str, compute: Callable[[Fit], _T], *, doing: str
    ) -> _T | None:
        key = f"{about}{self.asked.analysis(self.study.fingerprint)}"
        return modelling.found(slot, key, self.study, self.fit, compute, doing=doing)


_Counted = _CountedStatistic | _CountedModel


def show(
    asked: StatisticRequest | ModelRequest, study: Study, relation: NeighboringRelation
) -> None:
    """Show everybody's loss, or one person's, from the side that is open.

    Raises:
        DPCoreError: There is no fit, or losses from such a release are not known.
        InPartsError: The table is in memory, or losses of this kind of release are not counted.

    """
    table = study.parts
    if table is None or not isinstance(asked, Request | ModelRequest):
        raise InPartsError("Losses from this release are not computed of a table in parts.")
    counted: _Counted | None
    if isinstance(asked, ModelRequest):
        counted = _of_model(asked, study, table)
    else:
        counted = _CountedStatistic(asked=asked, study=study, table=table, relation=relation)
    if counted is not None:
        unit = session.unit()
        everyone, single = f"All {unit.nouns}", f"One {unit.noun}"
        older = {"All people": everyone, "One person": single}
        sides = {everyone: _everybody, single: _one_person}
        layout.show(sides, counted, key="individual-view", older=older)


def _of_model(asked: ModelRequest, study: Study, table: PartitionedDataset) -> _CountedModel | None:
    """Return a model with its fit and its audit; ``None`` until they are there."""
    fit = modelling.fitted(study, asked)
    audited = None
    if fit is not None and not fit.linear:
        audited = modelling.found(
            "model-audited",
            f"{study.about(asked.question)} {asked.matrix}",
            study,
            fit,
            partial(audited_moves, asked),
            doing=f"Fitting again without the most exposed {session.unit().nouns}, and some others",
        )
    if fit is None or not (fit.linear or audited):
        return None
    return _CountedModel(asked=asked, study=study, table=table, fit=fit, audited=audited)


def _everybody(counted: _Counted) -> None:
    losses = counted.losses()
    if losses is not None:
        everybody.show(
            losses,
            counted.asked,
            remarks=partial(counted.remarks, losses),
            most_exposed=partial(counted.most_exposed, losses),
            groups=counted.groups,
            closer=partial(st.caption, counted.left_out),
        )


def _rows(people: Sequence[ExposedPerson]) -> dict[str, list[int]]:
    return {"row": [person.entry + 1 for person in people]}


def _tell_ties(losses: Losses) -> None:
    """Say how many lose as much as the most exposed person, if others do."""
    people = losses.most
    tied = sum(math.isclose(one.epsilon, losses.maximum) for one in people)
    if tied > 1:
        least = "At least " if tied == len(people) else ""
        st.markdown(f"{least}{tied} {session.unit().with_losses} are tied at rank 1.")


def _one_person(counted: _Counted) -> None:
    """Look one person up, by the row of the table."""
    rows = counted.table.rows
    row = controls.row([1, 2])[0].number(
        f"Row, from 1 to {rows:,}",
        1,
        (1, rows),
        key=f"one-person-row-{session.generation()}",
        kept="page",
        note="Rows are counted over all files of the table, in the order of their names.",
    )
    looked = counted.looked(row - 1)
    if looked is None:
        return
    person = looked.person
    if person is None:
        st.info(one_person.NOT_THERE)
        return
    promised, delta = guarantee(counted.asked)
    known = "no guarantee is known"
    if math.isfinite(promised):
        known = f"the guarantee is ε = {epsilon_text(promised)}"
    told = everybody.loss_text(f"Row {row}", person.epsilon, delta, upper=counted.upper)
    st.markdown(f"{told}, where {known}.")
    if math.isfinite(person.epsilon):
        st.markdown(
            f"About this {session.unit().noun}, {belief_text(person.epsilon, delta=delta)}."
        )
    else:
        st.warning(
            f"No finite ε holds for this {session.unit().noun}: some releases reveal the record "
            "with certainty. Raise the penalty or the noise."
        )
    counted.explain(person)
    counted.list_people([person], ranked=False, key=counted.listed_as)
    st.caption(counted.left_out)
