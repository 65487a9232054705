"""Notice, report, checklist and methods: whole, escaped, and free of secrets."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from html import unescape

import numpy as np
import pytest

from dpcore.analyses.groups import ANY_SIZE
from dpcore.data.columns import MissingPolicy
from dpcore.documents.assumptions import treatments
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.context import PLANNED
from dpcore.documents.gathering import plan_of, plan_text, released
from dpcore.documents.rendering import Numerals
from dpcore.ledger.chain import EntryKind
from dpcore.ledger.periods import BudgetPeriod
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import (
    CELLS,
    MEMBERS,
    answered,
    behind,
    charge,
    meant,
    opened,
    questions,
    table,
)
from tests.releases.questions import AGE, apart, asked, by_group
from tests.statistics.columns import category, dataset
from tests.terms import ADD_REMOVE, SUBSTITUTION

BY_NAME = {document.name: document for document in DOCUMENTS}
FURTHER = "All published figures"
READ = [name for name, document in BY_NAME.items() if document.read]
SUBJECTS = {
    "released": answered,
    "in a plan": lambda relation: answered(relation, together=True),
    "planned": meant,
}


def text_of(name, subject):
    return BY_NAME[name].text(subject)


def plain(text):
    shown = re.sub(r"<style>.*</style>", "", text, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize("kind", SUBJECTS)
@pytest.mark.parametrize("name", BY_NAME)
def test_no_document_holds_a_number_of_the_table(name, kind, relation):
    subject = SUBJECTS[kind](relation)
    text = text_of(name, subject)
    for number in secrets():
        assert number not in text
        assert Numerals.COMMA.written(number) not in text
    told = plain(text)
    if relation is ADD_REMOVE:
        assert not re.search(rf"\b{MEMBERS}\b", told)


def secrets():
    """Yield what nobody may read: values, sums, means and counts, as they are said."""
    age, north = CELLS["age"], CELLS["region"] == "north"
    numbers = [*age[:50], age.min(), age.max(), age.sum(), age.mean()]
    numbers += [np.median(age), age.var(ddof=1), age[north].mean(), age[~north].mean()]
    numbers += [*np.cov(CELLS["a"], CELLS["b"]).ravel()]
    yield from (f"{number:.6g}" for number in numbers)
    yield from (f"{number:,.6f}".rstrip("0") for number in numbers)
    yield f" {north.sum()} "
    yield f" {(~north).sum()} "


def test_the_report_holds_all_that_was_released_and_charged():
    subject = answered()
    text = plain(text_of("Full report", subject))
    for question in subject.questions:
        assert question.mechanism in text
        assert question.statement[1:] in text
        for number in question.numbers:
            assert number.value in text
    assert subject.head.digest in text
    assert "asked for" in text
    assert re.search(r"privacy loss distribution", text, re.IGNORECASE)
    assert "no earlier entry was changed" in text


def test_a_release_is_described_by_its_record_where_the_table_has_other_columns_now():
    ledger = opened(SUBSTITUTION)
    for request in questions():
        charge(ledger, request)
    columns = tuple(replace(one, unit="") for one in table().columns)
    same = replace(table(), columns=columns)
    other = dataset([category("ward")], ward=["north"])
    known, recorded = (
        released(ledger.releases("f"), behind(SUBSTITUTION, ledger, each)) for each in (same, other)
    )
    for document in DOCUMENTS:
        if document.text is not plan_text:
            assert document.text(recorded) == document.text(known)
    assert "they count as 50 (age)" in plain(text_of("Public notice", recorded))
    assert len(plan_of(known).items) == len(questions())
    assert not plan_of(recorded).items


def test_a_plan_is_said_to_be_one():
    for name in ("Public notice", "Full report", "Checklist based on NIST SP 800-226"):
        assert PLANNED in text_of(name, meant())
        assert PLANNED not in text_of(name, answered())
    assert "will be released" in text_of("Methods paragraph", meant())


def test_a_lesson_is_marked_on_every_page():
    subject = answered()
    lesson = replace(subject, facts=replace(subject.facts, lesson=True))
    for name in ("Public notice", "Full report", "Checklist based on NIST SP 800-226"):
        assert "Classroom: not a private release" in text_of(name, lesson)
        assert BY_NAME[name].named(lesson).startswith("classroom-")


@pytest.mark.parametrize("name", READ)
def test_numbers_are_written_as_the_reader_chose(name):
    point = plain(text_of(name, answered()))
    comma = plain(text_of(name, answered().written(Numerals.COMMA)))
    assert point != comma
    # Three digits after a point are thousands.
    fractions = re.compile(r"(?<![\w.,])\d+\.(?!\d{3}\b)\d+(?![\w.])")
    named = re.compile(r"(OpenDP|version) \S+")
    assert fractions.search(named.sub("", point))
    assert not fractions.search(named.sub("", comma))


def test_what_is_typed_as_a_name_stays_text():
    subject = answered()
    evil = '<script>alert("1.5")</script>'
    question = replace(subject.questions[0], name=evil, statement=evil)
    changed = replace(subject, questions=(question,))
    for name in ("Public notice", "Full report", "Checklist based on NIST SP 800-226"):
        assert "<script" not in text_of(name, changed)


def test_a_budget_that_is_used_up_promises_nothing_more():
    subject = answered()
    assert "With the whole limit used, the attacker" in plain(text_of("Public notice", subject))
    facts = subject.facts
    nearly = PrivacyBudget.of(
        epsilon=facts.spent.epsilon * Decimal("1.00001"), delta=facts.budget.delta
    )
    used = replace(subject, facts=replace(facts, budget=nearly))
    told = plain(text_of("Public notice", used))
    assert "The whole limit is used. Nothing more" in told
    assert "With the whole" not in told
    in_rho = replace(facts, budget=PrivacyBudget.of(rho=facts.spent.rho))
    assert replace(subject, facts=in_rho).used_up
    in_rho = replace(facts, budget=PrivacyBudget.of(rho=2 * facts.spent.rho))
    assert not replace(subject, facts=in_rho).used_up


def of_two_tables():
    """Return four answers, of two tables in turns."""
    ledger = opened(SUBSTITUTION)
    for request in questions()[:4]:
        charge(ledger, request)
    records = ledger.releases("f")
    named = {one.id: f"pay {place % 2}" for place, one in enumerate(records)}
    return released(records, behind(SUBSTITUTION, ledger), tables=named)


def test_missing_values_are_told_question_by_question_and_never_counted():
    subject = answered()
    assert "region" in subject.missing
    told = plain(text_of("Full report", subject))
    assert "region: missing and unlisted values are in the group of all others" in told
    assert "The number of missing values is protected" in told
    # Of each question, and in the methods.
    assert told.count("Missing values") == len(subject.questions) + 1
    # Of two groups that are compared, nobody else is counted.
    pair = apart().query
    (region,) = pair.group.columns
    assert "left out" in pair.missing_values(region)
    # Asked about itself, what is declared of it counts; both are said.
    part = questions()[0].query
    alone = replace(part, kind=StatisticKind.HISTOGRAM, column=region, size=ANY_SIZE)
    both = treatments([pair, alone])["region"]
    assert both == (pair.missing_values(region), alone.missing_values(region))


def test_sizes_of_groups_that_nobody_asked_for_are_in_the_report_with_the_reason():
    subject = answered()
    sizes = [
        number.label
        for question in subject.questions
        for number in question.numbers
        if number.beside
    ]
    assert sorted(sizes) == [f"people in {x}" for x in ("north", "other", "south")]
    sheet, further = plain(text_of("Public notice", subject)).split(FURTHER)
    assert "people in north" not in sheet
    assert "Group sizes were released with these figures" in sheet
    assert "people in north" in further
    report = plain(text_of("Full report", subject))
    assert "people in north" in report
    assert report.count("A count of 0 does not show") == 1


def compared(*, complete, dropped=False):
    """A difference of two of three groups, and the means of all of them."""
    three = replace(
        category(labels=("north", "south", "west")),
        missing=MissingPolicy.REPLACE,
        replacement="north",
        complete=complete,
    )
    ledger = opened(SUBSTITUTION)
    age = replace(AGE, complete=complete)
    if dropped:
        age = replace(AGE, missing=MissingPolicy.DROP, replacement=None)
    here = table().with_columns(three, age)
    for one in (apart(epsilon=9.0), by_group(epsilon=9.0)):
        query = replace(
            one.asked, group=Grouping.of(three), part=replace(one.asked.part, column=age)
        )
        charge(ledger, asked(query, "laplace", epsilon=9.0), here)
    known = replace(behind(SUBSTITUTION, ledger), dataset=here)
    return released(ledger.releases("f"), known)


def notice(subject):
    return " ".join(plain(text_of("Public notice", subject)).split())


def test_notice_says_who_is_in_neither_of_two_groups_though_nobody_lacks_a_value():
    told = notice(compared(complete=True))
    assert "No values are missing, as declared." in told
    assert "two groups of region leave out all other groups" in told
    for words in ("imputed", "missing and"):
        assert words not in told
    assert "All ranges of one kind in this table hold together" in told


def test_an_error_is_stated_as_it_is_known_and_nothing_is_treated_that_is_not_there():
    checklist, methods = "Checklist based on NIST SP 800-226", "Methods paragraph"
    ranks = "In ranks only, with 95% confidence: median of age."
    assert ranks in plain(text_of(checklist, answered()))
    known = replace(answered(), questions=answered().questions[:1])
    assert "ranks" not in plain(text_of(checklist, known)) + text_of(methods, known)
    assert "The error of a quantile is bounded in ranks" in text_of(methods, answered())
    (median,) = (one for one in answered().questions if one.is_known_in_ranks)
    alone = plain(text_of(checklist, replace(answered(), questions=(median,))))
    assert "Is the error stated? In ranks only" in alone
    dropped = compared(complete=False, dropped=True)
    columns = tuple(one for one in dropped.columns if one.name == "age")
    left_out = replace(dropped, columns=columns, missing={"age": dropped.missing["age"]})
    assert "Missing values are left out. Mech" in text_of(methods, left_out)
    assert "the effect of clamping." in text_of(methods, left_out)
    assert "Missing values" not in text_of(methods, replace(left_out, columns=()))
    assert "clamp" not in text_of(methods, replace(left_out, columns=()))


def test_a_count_or_a_sum_of_a_sample_has_no_range_of_a_population():
    numbers = [(one, number) for one in answered().questions for number in one.numbers]
    totals = {number.total for one, number in numbers if number.beside or one.name == "sum of age"}
    assert totals == {""}
    assert all(number.total for one, number in numbers if one.name == "mean of age")


def test_a_period_is_told_with_its_limit_and_what_is_left_of_it():
    budget = PrivacyBudget.of(epsilon=0.75, delta=0.0)
    days = date(2026, 10, 1), date(2026, 12, 31)
    spent = PrivacyCost.of(epsilon=0.73)
    quarter = BudgetPeriod(name="Q4", begins=days[0], ends=days[1], budget=budget, spent=spent)
    ledger = opened(SUBSTITUTION)
    about = released((), replace(behind(SUBSTITUTION, ledger), periods=(quarter,)))
    told = "Q4 (2026-10-01 to 2026-12-31): limit ε = 0.75, left ε = 0.02"
    assert told in notice(about)
    report = plain(text_of("Full report", about))
    assert "limit spent left Q4 2026-10-01 to 2026-12-31 ε = 0.75 ε = 0.73 ε = 0.02" in report


def test_the_own_table_of_an_account_is_no_further_one():
    head = answered().head
    two = replace(head, entries=2, kinds=((EntryKind.ACCOUNT, 1), (EntryKind.TABLE, 1)))
    assert "2: 1 opening, 1 table " in plain(text_of("Full report", replace(answered(), head=two)))
