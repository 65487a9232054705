"""What the codebooks of the example tables say: units, labels and public bounds.

The bounds are those that the designer of the questionnaire could have written down
before anybody answered; they contain the data with room to spare. The published files
have no gaps, so that the number of people behind every column is public.
"""

from __future__ import annotations

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy

NO_YES = ("no", "yes")
HEALTH = ("poor", "fair", "good", "excellent")
RELIGIOUS = ("not", "mildly", "fairly", "strongly")
OCCUPATION = (
    "student",
    "farming, semi-skilled or unskilled",
    "white-collar",
    "teaching, care, arts, technical or skilled",
    "managerial, administrative or business",
    "professional with advanced degree",
)
EDUCATION = (
    "grades 1 to 8",
    "some high school",
    "high school",
    "some college",
    "college degree",
    "master's degree",
    "PhD",
)
PARTY = (
    "strong Democrat",
    "weak Democrat",
    "independent, leaning Democrat",
    "independent",
    "independent, leaning Republican",
    "weak Republican",
    "strong Republican",
)
VOTE = ("Clinton", "Dole")


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


def _yes_no(name: str, description: str) -> Column:
    return _labelled(name, ColumnKind.YES_NO, NO_YES, description)


def _category(name: str, labels: tuple[str, ...], description: str) -> Column:
    return _labelled(name, ColumnKind.CATEGORY, labels, description)


def _labelled(name: str, kind: ColumnKind, labels: tuple[str, ...], description: str) -> Column:
    return Column(
        name=name,
        kind=kind,
        labels=labels,
        missing=MissingPolicy.REPLACE,
        replacement=labels[0],
        description=description,
    )


RAND_HIE = (
    _number("visits", 0, 100, "visits", "Outpatient visits to a doctor in the year."),
    _category("health", HEALTH, "Health as rated by the person."),
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

FAIR = (
    _number("age", 17, 45, "years", "Age of the woman, given in steps of five years."),
    _yes_no("affair", "Whether she reports any time spent in an affair."),
    _number("rating", 1, 5, "points", "Her marriage, from 1 very poor to 5 very good."),
    _number("years married", 0, 30, "years", "Years of marriage, in steps."),
    _number("children", 0, 10, "children", "Number of children; 5.5 is 'more than 5'."),
    _category("religious", RELIGIOUS, "How religious she calls herself."),
    _number("education", 0, 25, "years", "Years of schooling; 16 is a college degree."),
    _category("occupation", OCCUPATION, "Her occupation."),
    _category("husband's occupation", OCCUPATION, "Occupation of her husband."),
    _number("affairs", 0, 100, "", "Measure of the time spent in affairs, per year of marriage."),
)

ANES96 = (
    _number("age", 18, 100, "years", "Age of the person, who is old enough to vote."),
    _category("vote", VOTE, "Whom the person expects to vote for."),
    _number("TV news", 0, 7, "days a week", "Days a week of watching the news on TV."),
    _category("party", PARTY, "Party that the person identifies with."),
    _number("own position", 1, 7, "points", "Own politics, 1 most liberal, 7 conservative."),
    _number("Clinton's position", 1, 7, "points", "Where Clinton stands, same scale."),
    _number("Dole's position", 1, 7, "points", "Where Dole stands, same scale."),
    _category("education", EDUCATION, "Highest level of education."),
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
