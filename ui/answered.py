"""Plans with what of them has been answered: an answer costs nothing more."""

from __future__ import annotations

from datetime import datetime

from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.comparison import Option
from ui import releasing
from ui.study import Study


def option(name: str, basket: AnalysisPlan, study: Study) -> Option:
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
