"""The page to sign: every field, blanks for the rest, nothing confidential."""

import math
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import pytest

from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.identity import mark_of
from dpcore.analyses.number import Query
from dpcore.data.columns import MissingPolicy
from dpcore.documents import assumptions
from dpcore.documents.context import BudgetChange, CuratorInput
from dpcore.documents.decision import Decision, decision_page
from dpcore.documents.rendering import Numerals
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.comparison import Option, numbers_of
from dpcore.planning.group_sizes import SmallestGroup
from dpcore.planning.targets import size_condition
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.documents.test_reading import plain
from tests.planning.planned import item
from tests.releases.questions import AGE, apart, asked, crossed, labels, ranks, terms

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


def test_what_was_not_typed_is_a_line_to_write_on():
    html = html_of(decision(typed=CuratorInput()))
    # Purpose, period and reason; of two people name, place with date, signature.
    assert html.count('class="blank"') == 3
    assert html.count('class="line"') == 2 * 3
    known = html_of(decision())
    assert known.count('class="blank"') == 0
    assert known.count('class="line"') == 2 * 2


def test_numbers_are_written_as_chosen_and_what_was_typed_stays():
    typed = CuratorInput(purpose="as in version 1.5, 1,000 times")
    words, _ = read(html_of(decision(typed=typed), Numerals.COMMA))
    assert "ε = 0,25" in words
    assert "ε = 0.25" not in words
    assert "version 1.5, 1,000 times" in words


@pytest.mark.parametrize("public", [True, False])
def test_how_many_people_there_are_is_said_only_where_that_is_public(public):
    size = TableSize(people=HIDDEN if public else MINIMUM, public=public)
    words, _ = read(html_of(decision(size=size)))
    assert ("987,654" in words) is public
    assert ("is private" in words) is not public


def test_a_lesson_says_that_it_is_one():
    assert "Classroom: a lesson" in read(html_of(decision(lesson=True)))[0]
    assert "Classroom" not in read(html_of(decision()))[0]


def test_a_question_that_only_one_plan_asks_is_said_to_be_so():
    other = Option(name="the other", basket=AnalysisPlan(items=(item("sum"),)))
    words, _ = read(html_of(decision(other=other)))
    assert words.count("not included") == 3


def test_what_is_spent_before_counts_beside_the_plan():
    def text(**changes):
        return read(html_of(decision(**changes)))[0]

    assert "With earlier releases ε = 1.25" in text()
    assert "With earlier releases" not in text(spent=PrivacyCost.of(epsilon=0.0))
    short = "costs more than is left, so"
    assert short in text(budget=PrivacyBudget.of(epsilon=1.2, delta=1e-5))
    assert short not in text(budget=PrivacyBudget.of(epsilon=1.25, delta=1e-5))


def test_what_has_been_answered_of_the_plan_is_counted_once():
    def text(released, spent):
        plan = replace(option("the plan"), released=released)
        small = PrivacyBudget.of(epsilon=1.3, delta=1e-5)
        spent = PrivacyCost.of(epsilon=spent)
        about = decision(plan=plan, spent=spent, budget=small)
        return about, read(html_of(about))[0]

    day = date(2027, 2, 1)
    keys = [one.key for one in option("the plan").basket.items]
    about, told = text(dict.fromkeys(keys, day), 1.25)
    assert about.fits
    assert about.other_fits
    assert about.together == (1.25, 0.0)
    assert "more than is left" not in told
    assert "All spent so far ε = 1.25" in told
    assert "on 2027-02-01" in told
    assert "no effect before" not in told
    # One of two questions, each of half of the plan's epsilon.
    about, told = text({keys[0]: day}, 0.75)
    assert about.fits
    assert about.together == (1.25, 0.0)
    assert "1 of 2 questions" in told
    assert "cost ε = 0.5 more" in told
    about, told = text({}, 1.25)
    assert not about.fits


def test_a_person_whose_rows_are_capped_is_protected_with_all_of_them():
    about = decision(unit=PrivacyUnit(cap=6))
    assert "with all their rows, of which at most 6 count" in read(html_of(about))[0]


def test_the_page_says_which_answers_tell_the_sizes_of_groups_too():
    assert "The answer to no. 2 includes noisy group sizes" in plain(html_of(decision()))
    one = Option(name="a", basket=AnalysisPlan(items=(item("mean"),), total=1.0))
    alone = decision(plan=one, other=one)
    assert "noisy group sizes" not in plain(html_of(alone))


def test_the_page_says_where_the_other_plan_could_not_be_paid():
    assert "more than is left" not in plain(html_of(decision()))
    dear = decision(other=option("the other", total=4.0))
    assert not dear.other_fits
    assert "The alternative costs more than is left of the budget." in plain(html_of(dear))


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


def test_the_page_says_nothing_of_minimums_and_stand_ins_that_no_question_has():
    items = (PlannedQuery.of(asked(Query(kind=StatisticKind.SUM, column=SHORT, **PRIVATE),
                           "laplace")),)  # fmt: skip
    plan = Option(name="a", basket=AnalysisPlan(items=items))
    size = TableSize(people=812, public=True)
    told = plain(html_of(decision(plan=plan, other=plan, size=size)))
    for words in ("public minimum", "are imputed", "includes the means"):
        assert words not in told


def test_the_page_says_how_its_budget_was_changed():
    raised = BudgetChange("2027-01-30 09:00:00", "ε = 2", "ε = 3.5", "board")
    moved = BudgetChange("2027-01-31 09:00:00", "ε = 3.5", "ε = 3.5", "moved")
    about = decision(changes=(raised, moved))
    told = plain(html_of(about, Numerals.COMMA))
    assert "changed once, last on 2027-01-30 from ε = 2 to ε = 3,5" in told
    for page in (html_of(decision(changes=(moved,))), html_of(decision())):
        assert "last on" not in page


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


def test_questions_have_the_same_marks_on_all_papers():
    about = decision()
    marks = [mark_of(one.request.parameters()) for one in about.plan.basket.items]
    assert len(set(marks)) == len(marks)
    assert f"1 {marks[0]}, 2 {marks[1]}." in html_of(about, Numerals.COMMA)
    dearer = option("the plan", total=2.0)
    assert marks[0] not in html_of(decision(plan=dearer, other=dearer))


def test_places_are_told_as_a_part_of_all_where_their_number_is_public():
    items = (PlannedQuery.of(ranks(epsilon=0.4, people=812)),)
    plan = Option(name="a", basket=AnalysisPlan(items=items))
    public = decision(plan=plan, other=plan, size=TableSize(people=812, public=True))
    half = math.ceil(items[0].width.half)
    share = re.search(r"places in the sorted table, (\d+)[.\d]* ?% of 812 rows",
                      plain(html_of(public)))  # fmt: skip
    assert share is not None
    assert abs(int(share[1]) - 100 * half / 812) < 1.5
    assert not re.search(r"% of \d", plain(html_of(decision(plan=plan, other=plan))))


def test_a_tick_is_taken_back_for_a_group_that_is_known_to_be_smaller():
    about = resting_by_group(wanted=60.0)
    (one,) = about.plan.basket.items
    known = size_condition(one)
    assert one.seen
    assert known is not None
    fewest = known.fewest
    for least, most, sign, seen in (
        (fewest, fewest + 9, "✓", 1),
        (fewest - 1, fewest, "(✓)", 1),
        (fewest - 2, fewest - 1, "✗", 0),
    ):
        told = SmallestGroup(label="d", least=least, most=most, day="2026-12-24")
        page = replace(about, told={one.key: told})
        text = plain(html_of(page))
        hence = "" if sign == "✓" else f": hence {sign}"
        assert f"has {least:,} to {most:,}{hence}." in text
        half = one.width.text
        assert re.search(rf"\s{re.escape(sign)} {half} years", text)
        assert f"The plan meets {seen} of 1 targets" in text


def test_the_page_says_what_the_whole_budget_allows():
    # Of epsilon 3 and delta 1e-5, whatever the plan costs.
    told = plain(html_of(decision()))
    assert re.search(r"If all is used, an attacker [^.]* at most 95\.3 ?% of the time", told)


def test_each_assumed_size_stands_with_its_questions():
    first, second = item("group", epsilon=0.5, group=350), PlannedQuery.of(apart())
    items = (first, second, replace(first, name="again"))
    plan = Option(name="a", basket=AnalysisPlan(items=items[:2]))
    told = plain(html_of(decision(plan=plan, other=plan)))
    assert "± assumes groups of 350 (no. 1); 100 (no. 2)." in told
    assert assumptions.assumed_groups(items) == {350: (1, 3), 100: (2,)}


def test_numbers_of_each_question_add_up_on_the_page():
    each = numbers_of(decision().plan.basket.items)
    told = f"{sum(each)} numbers are released in total ({' + '.join(map(str, each))})"
    assert len(each) == 2
    assert told in plain(html_of(decision()))


def complete(column):
    return replace(column, missing=MissingPolicy.REPLACE, complete=True)


def test_nobody_is_said_to_lack_what_everybody_has():
    sex = complete(replace(labels("sex", "w", "m"), replacement="w"))
    pay = complete(replace(AGE, name="pay", replacement=50.0))
    part = Query(kind=StatisticKind.MEAN, column=pay, **terms(812))
    query = DifferenceQuery(
        part=replace(part, size=ANY_SIZE), group=Grouping.of(sex), pair=("w", "m")
    )
    items = (PlannedQuery.of(asked(query, "laplace")), PlannedQuery.of(asked(part, "laplace")))
    plan = Option(name="a", basket=AnalysisPlan(items=items))
    about = decision(plan=plan, other=plan, size=TableSize(people=812, public=True))
    told = plain(html_of(about))
    assert told.count("(no missing values, as declared)") == 2
    for words in ("left out", "imputed", "count as 50"):
        assert words not in told
