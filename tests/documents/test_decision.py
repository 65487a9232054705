"""The page to sign: every field, blanks for the rest, nothing confidential."""

import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import pytest

from dpcore.analyses.number import Query
from dpcore.data.columns import MissingPolicy
from dpcore.documents.context import CuratorInput
from dpcore.documents.decision import Decision, decision_page
from dpcore.documents.rendering import Numerals
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.comparison import Option
from dpcore.planning.group_sizes import SmallestGroup
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.documents.test_reading import plain
from tests.planning.planned import item
from tests.releases.questions import AGE, apart, asked, crossed, labels, terms

TYPED = CuratorInput(
    purpose="a report <b>on</b> pay",
    period="2027",
    reason="too much noise",
    deciders=("A. Berger", "C. Demir"),
    place="Bonn",
)
HIDDEN, MINIMUM = 987_654, 321


def option(name, *, total=1.0):
    items = (
        item("mean", epsilon=total / 2, wanted=2.0),
        item("group", epsilon=total / 2, group=40),
    )
    return Option(name=name, basket=AnalysisPlan(items=items, total=total))


def decision(**changes):
    known = {
        "table": "staff.csv",
        "plan": option("the plan"),
        "other": option("the other", total=0.1),
        "relation": NeighboringRelation.ADD_REMOVE,
        "unit": PrivacyUnit(noun="employee", rows=3),
        "size": TableSize(people=MINIMUM, public=False),
        "budget": PrivacyBudget.of(epsilon=3.0, delta=1e-5),
        "spent": PrivacyCost.of(epsilon=0.25),
        "typed": TYPED,
        "lesson": False,
        "prepared": date(2027, 1, 31),
    }
    return Decision(**known | changes)


def html_of(about, numerals=Numerals.POINT):
    return decision_page(about, numerals)


class Text(HTMLParser):
    """The words of a page, and what it would load."""

    def __init__(self):
        super().__init__()
        self.words, self.loaded, self.inside = [], [], []

    def handle_starttag(self, tag, attrs):
        self.inside.append(tag)
        self.loaded += [value for name, value in attrs if name in {"src", "href"}]

    def handle_data(self, data):
        if self.inside[-1:] != ["style"]:
            self.words.append(data)


def read(html):
    text = Text()
    text.feed(html)
    return " ".join(" ".join(text.words).split()), text.loaded


def test_every_field_stands_on_the_page():
    words, loaded = read(html_of(decision()))
    for told in (
        "a report <b>on</b> pay", "staff.csv", "age (years): 0 to 100", "2027",
        "One employee with up to 3 rows", "all rows of one employee added or removed",
        "A public minimum of 321 rows", "groups of 40 (no. 2)",
        "ε = 3, δ = 0.00001 (1 in 100,000)", "ε = 0.25", "Laplace", "too much noise",
        "at most 73.2", "at most 52.5",
        "Signature: A. Berger", "Signature: C. Demir", "Bonn, date", "2027-01-31",
    ):  # fmt: skip
        assert told in words, told
    assert not loaded
    assert 'class="sheet"' in html_of(decision())


@pytest.mark.parametrize("public", [True, False])
def test_how_many_people_there_are_is_said_only_where_that_is_public(public):
    size = TableSize(people=HIDDEN if public else MINIMUM, public=public)
    words, _ = read(html_of(decision(size=size)))
    assert ("987,654" in words) is public
    assert ("is private" in words) is not public


def test_a_lesson_says_that_it_is_one():
    assert "Classroom: a lesson" in read(html_of(decision(lesson=True)))[0]
    assert "Classroom" not in read(html_of(decision()))[0]


def test_a_person_whose_rows_are_capped_is_protected_with_all_of_them():
    about = decision(unit=PrivacyUnit(cap=6))
    assert "with all their rows, of which at most 6 count" in read(html_of(about))[0]


SHORT = replace(AGE, missing=MissingPolicy.DROP, replacement=None)
"""A column of which people without a value are left out."""


def resting():
    """Return a decision about answers that rest on more than their noise."""
    column = labels("sex", "w", "m", "d")
    base = replace(apart().query, group=Grouping.of(column), pair=("w", "m"))
    short = Query(kind=StatisticKind.MEAN, column=SHORT, **PRIVATE)
    requests = (
        asked(short, "laplace"),
        asked(base, "laplace"),
        crossed(columns=(column, labels("level", "low", "high"))),
    )
    plan = Option(name="a", basket=AnalysisPlan(items=tuple(map(PlannedQuery.of, requests))))
    return decision(plan=plan, other=plan, size=TableSize(people=812, public=True))


PRIVATE = terms(700, relation=NeighboringRelation.ADD_REMOVE)


def test_the_page_says_what_answers_rest_on_that_no_noise_tells():
    told = plain(html_of(resting()))
    # Who is left out, and what is divided by.
    assert "No. 1 assumes at least 700, a public minimum" in told
    assert "No. 2 includes the means of w and m. It leaves out d, missing val" in told
    # What stands in for missing values, beside the errors that do not cover it.
    assert "Missing values are imputed (" in told
    # One column has another treatment in each question that reads it.
    assert re.search(r"sex: w, m, d \(no\. 2: [^;]*left out; no\. 3: ", told)


def test_the_page_holds_its_tick_against_the_sizes_that_an_answer_told():
    about = resting_by_group(wanted=8.0)
    (key,) = (item.key for item in about.plan.basket.items)
    told = SmallestGroup(label="d", least=12, most=31, day="2026-12-24")
    known = decision(plan=about.plan, other=about.plan, told={key: told})
    said = "By the answer of 2026-12-24 the smallest, d, has 12 to 31."
    assert said in plain(html_of(known))
    assert said not in plain(html_of(about))


def resting_by_group(*, wanted):
    items = (item("group", epsilon=0.5, group=40, wanted=wanted),)
    plan = Option(name="a", basket=AnalysisPlan(items=items))
    return decision(plan=plan, other=plan)


def test_the_page_says_what_the_whole_budget_allows():
    # Of epsilon 3 and delta 1e-5, whatever the plan costs.
    told = plain(html_of(decision()))
    assert re.search(r"At the limit, an attacker [^.]* at most 95\.3 ?% of the time", told)
