"""Three surveys to start with, shipped inside statsmodels and in the public domain.

Sources: J. P. Newhouse, RAND Health Insurance Experiment, as used by A. C. Cameron and
P. K. Trivedi, Microeconometrics (2005); R. C. Fair, A Theory of Extramarital Affairs,
Journal of Political Economy 86 (1978), 45-61; American National Election Studies, 1996.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.data import codebooks
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.relations import PrivacyUnit

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A built-in table.

    Attributes:
        key: Short name that never changes, for links.
        title: Name of the survey.
        sentence: What it is about, and whom a row describes.
        unit: What one row describes, and who is protected.
        columns: The public description of its columns.

    """

    key: str
    title: str
    sentence: str
    columns: tuple[Column, ...]
    unit: PrivacyUnit = field(default_factory=PrivacyUnit)
    _values: Callable[[], dict[str, Any]] = field(repr=False)

    def load(self) -> Dataset:
        """Return the table."""
        import pandas as pd  # noqa: PLC0415 - slow to import

        values = self._values()
        frame = pd.DataFrame({column.name: values[column.name] for column in self.columns})
        # As if read from a file with its header in line 1.
        frame.index = pd.RangeIndex(2, len(frame) + 2, name="line")
        return Dataset(name=self.title, frame=frame, columns=self.columns)


def _labelled(codes: pd.Series, labels: tuple[str, ...], *, first: int = 0) -> pd.Categorical:
    """Return the labels of whole-numbered codes, of which ``first`` is the lowest."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    positions = codes.to_numpy().astype(np.int64) - first
    return pd.Categorical.from_codes(positions, categories=pd.Index(labels, dtype="str"))


def _rand_hie() -> dict[str, Any]:
    from statsmodels.datasets import randhie  # noqa: PLC0415 - slow to import

    raw = randhie.load_pandas().data
    # Dummies for good, fair and poor; none of them is excellent health.
    health = 3 - (raw["hlthg"] + 2 * raw["hlthf"] + 3 * raw["hlthp"])
    # The file holds the logarithm of max(1, payment): 0 is no payment.
    incentive = np.where(raw["lpi"] > 0, np.exp(raw["lpi"]), 0)
    return {
        "visits": raw["mdvis"],
        "health": _labelled(health, codebooks.HEALTH),
        "coinsurance": np.expm1(raw["lncoins"]).round(),
        "deductible": _labelled(raw["idp"], codebooks.NO_YES),
        "incentive": incentive.round(2),
        "spending cap": raw["fmde"],
        "limitation": raw["physlm"],
        "chronic diseases": raw["disea"],
    }


def _fair() -> dict[str, Any]:
    from statsmodels.datasets import fair  # noqa: PLC0415 - slow to import

    raw = fair.load_pandas().data
    occupation = codebooks.OCCUPATION
    return {
        "age": raw["age"],
        "affair": _labelled(raw["affairs"] > 0, codebooks.NO_YES),
        "rating": raw["rate_marriage"],
        "years married": raw["yrs_married"],
        "children": raw["children"],
        "religious": _labelled(raw["religious"], codebooks.RELIGIOUS, first=1),
        "education": raw["educ"],
        "occupation": _labelled(raw["occupation"], occupation, first=1),
        "husband's occupation": _labelled(raw["occupation_husb"], occupation, first=1),
        "affairs": raw["affairs"],
    }


def _anes96() -> dict[str, Any]:
    from statsmodels.datasets import anes96  # noqa: PLC0415 - slow to import

    raw = anes96.load_pandas().data
    return {
        "age": raw["age"],
        "vote": _labelled(raw["vote"], codebooks.VOTE),
        "TV news": raw["TVnews"],
        "party": _labelled(raw["PID"], codebooks.PARTY),
        "own position": raw["selfLR"],
        "Clinton's position": raw["ClinLR"],
        "Dole's position": raw["DoleLR"],
        "education": _labelled(raw["educ"], codebooks.EDUCATION, first=1),
        "income": raw["income"],
        "place size": raw["popul"],
    }


EXAMPLES: tuple[Example, ...] = (
    Example(
        key="rand-hie",
        title="RAND Health Insurance Experiment",
        sentence=(
            "How often people went to the doctor in the 1970s, under insurance plans "
            "drawn by lot: 20,190 person-years. One person-year is protected. A person "
            "who took part for five years can lose up to 5 times as much."
        ),
        # Questions about it were paid for under the key.
        unit=PrivacyUnit(noun="person-year", key="record"),
        columns=codebooks.RAND_HIE,
        _values=_rand_hie,
    ),
    Example(
        key="fair",
        title="Marriage survey of 1974",
        sentence=(
            "What 6,366 married women told a magazine about their marriage and their "
            "affairs: answers that nobody would sign. Each row is one woman."
        ),
        columns=codebooks.FAIR,
        _values=_fair,
    ),
    Example(
        key="anes96",
        title="American National Election Study 1996",
        sentence=(
            "Age, politics and expected vote of 944 people before the election between "
            "Clinton and Dole. Each row is one person."
        ),
        columns=codebooks.ANES96,
        _values=_anes96,
    ),
)
