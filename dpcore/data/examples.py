"""Three surveys to start with, shipped inside statsmodels and in the public domain.

Sources: J. P. Newhouse, RAND Health Insurance Experiment, as used by A. C. Cameron and
P. K. Trivedi, Microeconometrics (2005); R. C. Fair, A Theory of Extramarital Affairs,
Journal of Political Economy 86 (1978), 45-61; American National Election Studies, 1996.

The bounds are those that the designer of the questionnaire could have written down
before anybody answered; they contain the data with room to spare. The published files
have no gaps, so that the number of people behind every column is public.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.relations import PrivacyUnit

if TYPE_CHECKING:
    import pandas as pd


_NO_YES: Final = ("no", "yes")
_HEALTH: Final = ("poor", "fair", "good", "excellent")
_RELIGIOUS: Final = ("not", "mildly", "fairly", "strongly")
_OCCUPATION: Final = (
    "student",
    "farming, semi-skilled or unskilled",
    "white-collar",
    "teaching, care, arts, technical or skilled",
    "managerial, administrative or business",
    "professional with advanced degree",
)
_EDUCATION: Final = (
    "grades 1 to 8",
    "some high school",
    "high school",
    "some college",
    "college degree",
    "master's degree",
    "PhD",
)
_PARTY: Final = (
    "strong Democrat",
    "weak Democrat",
    "independent, leaning Democrat",
    "independent",
    "independent, leaning Republican",
    "weak Republican",
    "strong Republican",
)
_VOTE: Final = ("Clinton", "Dole")


def _number(name: str, lower: float, upper: float, unit: str, description: str) -> Column:
    return Column(
        name=name,
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=lower, upper=upper),
        missing=MissingPolicy.REPLACE,
        replacement=(lower + upper) / 2,
        unit=unit,
        description=description,
    )


def _category(
    name: str, labels: tuple[str, ...], description: str, kind: ColumnKind = ColumnKind.CATEGORY
) -> Column:
    return Column(
        name=name,
        kind=kind,
        labels=labels,
        missing=MissingPolicy.REPLACE,
        replacement=labels[0],
        description=description,
    )


def _yes_no(name: str, description: str) -> Column:
    return _category(name, _NO_YES, description, ColumnKind.YES_NO)


_RAND_HIE: Final = (
    _number("visits", 0, 100, "visits", "Outpatient visits to a doctor in the year."),
    _category("health", _HEALTH, "Health as rated by the person."),
    _number(
        "coinsurance",
        0,
        100,
        "%",
        "Share of the cost of care that the family pays itself, fixed by its plan.",
    ),
    _yes_no("deductible", "Whether the plan has an individual deductible."),
    _number("incentive", 0, 2000, "US$", "Payment in the year for taking part in the experiment."),
    _number(
        "spending cap",
        0,
        10,
        "log US$",
        "Logarithm of the most the family has to pay, divided by its share of the "
        "cost; 0 with an individual deductible or free care.",
    ),
    _number(
        "limitation",
        0,
        1,
        "",
        "1 with a physical limitation, 0 without; where the answer is unknown, an "
        "estimated probability.",
    ),
    _number("chronic diseases", 0, 100, "points", "Index of chronic diseases."),
)

_FAIR: Final = (
    _number("age", 17, 45, "years", "Age of the woman, given in steps of five years."),
    _yes_no("affair", "Whether she reports any time spent in an affair."),
    _number("rating", 1, 5, "points", "Her marriage, from 1 very poor to 5 very good."),
    _number("years married", 0, 30, "years", "Years of marriage, in steps."),
    _number("children", 0, 10, "children", "Number of children; 5.5 is 'more than 5'."),
    _category("religious", _RELIGIOUS, "How religious she calls herself."),
    _number("education", 0, 25, "years", "Years of schooling; 16 is a college degree."),
    _category("occupation", _OCCUPATION, "Her occupation."),
    _category("husband's occupation", _OCCUPATION, "Occupation of her husband."),
    _number("affairs", 0, 100, "", "Measure of the time spent in affairs, per year of marriage."),
)

_ANES96: Final = (
    _number("age", 18, 100, "years", "Age of the person, who is old enough to vote."),
    _category("vote", _VOTE, "The expected vote."),
    _number("TV news", 0, 7, "days a week", "Days a week of watching the news on TV."),
    _category("party", _PARTY, "Party that the person identifies with."),
    _number("own position", 1, 7, "points", "Own politics, 1 most liberal, 7 conservative."),
    _number("Clinton's position", 1, 7, "points", "Clinton's position, same scale."),
    _number("Dole's position", 1, 7, "points", "Dole's position, same scale."),
    _category("education", _EDUCATION, "Highest level of education."),
    _number(
        "income",
        1,
        24,
        "bracket",
        "Household income in 24 brackets: 1 is below US$ 3,000, 24 is US$ 105,000 and over.",
    ),
    _number(
        "place size",
        0,
        10_000,
        "thousand people",
        "Population of the place where the person lives.",
    ),
)


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
        "health": _labelled(health, _HEALTH),
        "coinsurance": np.expm1(raw["lncoins"]).round(),
        "deductible": _labelled(raw["idp"], _NO_YES),
        "incentive": incentive.round(2),
        "spending cap": raw["fmde"],
        "limitation": raw["physlm"],
        "chronic diseases": raw["disea"],
    }


def _fair() -> dict[str, Any]:
    from statsmodels.datasets import fair  # noqa: PLC0415 - slow to import

    raw = fair.load_pandas().data
    return {
        "age": raw["age"],
        "affair": _labelled(raw["affairs"] > 0, _NO_YES),
        "rating": raw["rate_marriage"],
        "years married": raw["yrs_married"],
        "children": raw["children"],
        "religious": _labelled(raw["religious"], _RELIGIOUS, first=1),
        "education": raw["educ"],
        "occupation": _labelled(raw["occupation"], _OCCUPATION, first=1),
        "husband's occupation": _labelled(raw["occupation_husb"], _OCCUPATION, first=1),
        "affairs": raw["affairs"],
    }


def _anes96() -> dict[str, Any]:
    from statsmodels.datasets import anes96  # noqa: PLC0415 - slow to import

    raw = anes96.load_pandas().data
    return {
        "age": raw["age"],
        "vote": _labelled(raw["vote"], _VOTE),
        "TV news": raw["TVnews"],
        "party": _labelled(raw["PID"], _PARTY),
        "own position": raw["selfLR"],
        "Clinton's position": raw["ClinLR"],
        "Dole's position": raw["DoleLR"],
        "education": _labelled(raw["educ"], _EDUCATION, first=1),
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
        columns=_RAND_HIE,
        _values=_rand_hie,
    ),
    Example(
        key="fair",
        title="Marriage survey of 1974",
        sentence=(
            "Answers of 6,366 married women to a magazine survey about their marriage and "
            "affairs. Each row is one woman."
        ),
        columns=_FAIR,
        _values=_fair,
    ),
    Example(
        key="anes96",
        title="American National Election Study 1996",
        sentence=(
            "Age, politics and expected vote of 944 people before the election between "
            "Clinton and Dole. Each row is one person."
        ),
        columns=_ANES96,
        _values=_anes96,
    ),
)
