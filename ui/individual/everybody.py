"""Everybody's loss, from the guarantee down to single groups. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.individual.chain import Chain
from ui.individual import details, groups, words
from ui.individual.subject import ModelSubject

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.individual.subject import AnySubject
    from ui.study import Study


def show(
    subject: AnySubject,
    study: Study,
    *,
    remarks: Callable[[], object],
    most_exposed: Callable[[], object],
    closer: Callable[[], object],
) -> None:
    """Show everybody's loss from a release.

    What is to be said of such losses, who is most exposed and why, and what else can be
    read from them differs from subject to subject.
    """
    losses, key = subject.exposure, subject.request.mechanism_key
    found, proved = subject.for_all
    steps = Chain(
        guarantee=losses.worst_case,
        for_all=found,
        certificate=proved,
        maximum=losses.maximum,
        mean=losses.mean,
        relation=subject.relation,
        promised=subject.promised,
        upper=losses.upper,
    )
    details.chain(steps, key=key)
    remarks()
    details.distribution(losses, key=key)
    most_exposed()
    groups.by_column(losses, study, rows=subject.rows(study), mechanism_key=key)
    closer()
    words.why_not_publish(subject.relation, model=isinstance(subject, ModelSubject))


def moments(subject: AnySubject, study: Study) -> None:
    """Offer the moments of the losses, folded away."""
    key = subject.request.mechanism_key
    details.folded(
        "From the average person to the most exposed: moments",
        "closer-moments",
        lambda: details.moments(subject.exposure, subject.identity(study), key=key),
    )
