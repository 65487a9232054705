"""The numbers of a run of study 2 as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.proportions.proportion_design import Design
    from dpcore.studies.proportions.proportion_study import Accuracy


def target_name(target: tuple[int, ...]) -> str:
    """Return what a sum of cells is called.

    >>> target_name((0, 3))
    'p1 + p4'
    """
    return " + ".join(f"p{cell + 1}" for cell in target)


def table(design: Design, results: Sequence[Accuracy]) -> pd.DataFrame:
    """Return every number of a run, one row a setting, procedure and target."""
    rows = []
    for result in results:
        for position, target in enumerate(design.targets):
            rows.append(
                {
                    "epsilon": result.epsilon,
                    "people": result.people,
                    "mechanism": result.mechanism or "none",
                    "procedure": str(result.procedure),
                    "real epsilon": result.real_epsilon,
                    "target": target_name(target),
                    "true value": sum(design.shares[cell] for cell in target),
                    "bias": result.bias[position],
                    "bias, standard error": result.errors[0, position],
                    "rmse": result.rmse[position],
                    "rmse, standard error": result.errors[1, position],
                    "coverage": result.coverage[position],
                    "coverage, standard error": result.errors[2, position],
                    "repetitions": design.repetitions,
                }
            )
    return pd.DataFrame(rows)
