"""Notice, report, checklist and methods: whole, escaped, and free of secrets."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from html import unescape

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.identity import mark_of
from dpcore.data.bounds import Interval
from dpcore.data.columns import MissingPolicy
from dpcore.documents.assumptions import treatments
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.context import PLANNED, BudgetChange, CuratorInput
from dpcore.documents.gathering import changes_of, released
from dpcore.documents.rendering import Numerals
from dpcore.ledger.periods import BudgetPeriod
from dpcore.ledger.transaction import release
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.statistics.conditions import LEFT_OUT, OTHERS
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import (
    CELLS,
    MEMBERS,
    NOW,
    answered,
    behind,
    meant,
    opened,
    questions,
    table,
)
from tests.releases.questions import AGE, apart, asked, by_group
from tests.statistics.columns import category
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


def test_a_price_above_the_claimed_one_is_in_the_report():
    subject = answered()
    question = replace(subject.questions[4], request=None, parameters={"epsilon": 0.1234})
    text = plain(text_of("Full report", replace(subject, questions=(question,))))
    assert "claims ε = 0.124 for this mechanism. Its actual cost is ε = 0.3" in text


def test_periods_are_told_with_their_days_and_limits():
    period = BudgetPeriod(
        name="Q4",
        begins=date(2026, 10, 1),
        ends=date(2026, 12, 31),
        budget=PrivacyBudget.of(epsilon=2),
        spent=PrivacyCost.of(epsilon=0.5),
    )
    known = behind(SUBSTITUTION, opened(SUBSTITUTION))
    timed = released((), replace(known, periods=(period,)))
    (year,) = timed.periods
    assert (year.limit, year.spent) == ("ε = 2", "ε = 0.5")
    report = plain(text_of("Full report", timed))
    assert all(part in report for part in (year.days, year.limit, year.spent))
    assert year.days in plain(text_of("Public notice", timed))


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


def test_released_numbers_have_no_more_digits_than_their_noise_leaves():
    (first, *_) = answered().questions
    (number,) = first.numbers
    low, high = (float(end) for end in number.noise.split(" to "))
    shown = len(number.value.partition(".")[2])
    assert shown <= 2 + max(0, -int(np.floor(np.log10(high - low))))
    assert low < float(number.value) < high


def test_the_meaning_is_what_the_account_gives_away():
    text = plain(text_of("Public notice", answered()))
    assert re.search(r"the attacker names the right one at most 99\.3 ?% of the time\.", text)
    assert text.count("to be filled in") == 4


def test_what_is_typed_as_a_name_stays_text():
    subject = answered()
    evil = '<script>alert("1.5")</script>'
    question = replace(subject.questions[0], name=evil, statement=evil)
    changed = replace(subject, questions=(question,))
    for name in ("Public notice", "Full report", "Checklist based on NIST SP 800-226"):
        assert "<script" not in text_of(name, changed)


def test_a_release_about_columns_that_went_away_is_told_all_the_same():
    subject = answered()
    gone = replace(subject.questions[0], request=None)
    text = plain(text_of("Full report", replace(subject, questions=(gone,))))
    assert gone.statement[1:] in text
    assert table().columns[0].name in text


def test_notice_names_every_question_before_the_further_numbers_of_one():
    subject = answered()
    eight = replace(subject, questions=subject.questions[2:])
    rows = sum(len(question.numbers) for question in eight.questions)
    told, further = plain(text_of("Public notice", eight)).split(FURTHER)
    for question in eight.questions:
        name = question.name[:30]
        assert name[0].upper() + name[1:] in told, question.name
        for number in question.numbers:
            assert number.text in further
            assert number.noise in further
    elsewhere = list(map(int, re.findall(r"(\d+) figures: next sheet", told)))
    left = int(re.search(r"(\d+) more are on the next sheet", told)[1])
    # Sizes that come with an answer are told there alone.
    assert sum(elsewhere) <= left
    # Only of questions with several numbers.
    known = {len(question.numbers) for question in eight.questions}
    assert set(elsewhere) <= known - {1}
    assert elsewhere
    assert rows - left + len(elsewhere) <= 12


def test_notice_says_how_everything_was_counted():
    subject = answered()
    told, further = plain(text_of("Public notice", subject)).split(FURTHER)
    assert (
        "they count as the nearest bound (age: 0 to 100; a: 0 to 1; b: 0 to 1). The ranges" in told
    )
    beyond = "Clamped to public bounds (age: 0 to 100)."
    assert f"Released on 2026-11-23. {beyond}" in further
    assert "region: missing and unlisted values are in" in further
    # Nobody is said to be left out where somebody is put with all others.
    groups = replace(
        subject,
        questions=tuple(q for q in subject.questions if "region" in q.name),
        columns=tuple(c for c in subject.columns if c.name == "region"),
        missing={"region": (OTHERS,)},
    )
    assert "are left out" not in plain(text_of("Public notice", groups))
    # Of a plan there are no numbers yet, and no sheet for them.
    assert FURTHER not in plain(text_of("Public notice", meant()))


def test_a_count_below_zero_is_said_to_be_chance():
    subject = answered()
    words = "A count below 0 is an effect of noise"
    place, number = next(
        (place, number)
        for place, question in enumerate(subject.questions)
        for number in question.numbers
        if number.beside
    )

    def with_number(number):
        asked = replace(subject.questions[place], numbers=(number,))
        questions = (asked, *subject.questions[:place])
        return plain(text_of("Public notice", replace(subject, questions=questions)))

    assert words not in plain(text_of("Public notice", subject))
    below = replace(number, value="-5.8", noise="0.0 to 9.0")
    assert words in with_number(below)
    # A mean is no count, nor is a number that may be negative.
    assert words not in with_number(replace(below, count=False))
    assert words not in with_number(replace(below, noise="-9 to 2"))


def test_what_was_typed_of_each_table_stands_with_its_name():
    subject = replace(of_two_tables(), name="pay 1")
    first = CuratorInput(purpose="to plan.", deciders=("A. Berger",), publisher="the firm")
    second = CuratorInput(purpose="to check", period="2026", deciders=("B. Aydin",))
    both = replace(subject, before={"pay 0": first}).with_input(second)
    for name in ("Public notice", "Full report"):
        told = plain(text_of(name, both))
        assert "“pay 0”: to plan; “pay 1”: to check" in told
        assert "“pay 0”: see the documents of that time; “pay 1”: 2026" in told
    told = plain(text_of("Full report", both))
    assert "“pay 0”: Decided by A. Berger; “pay 1”: Decided by B. Aydin" in told
    # What is the same for all is said once, and what nobody typed is a line to fill in.
    same = replace(both, before={"pay 0": second})
    assert "“pay 0”: to check" not in plain(text_of("Public notice", same))
    empty = replace(both, before={}).with_input(CuratorInput())
    assert "to be filled in" in plain(text_of("Public notice", empty))
    assert "papers of that time" not in plain(text_of("Public notice", empty))


def test_how_many_people_there_were_is_said_of_each_table():
    subject = of_two_tables()
    for name in ("Public notice", "Full report"):
        told = plain(text_of(name, subject))
        known = f"“pay 0”: {MEMBERS}; “pay 1”: {MEMBERS} (published without noise)"
        assert known in told
        grown = tuple(
            replace(q, parameters={"query": {"size": {"people": 9, "public": True}}})
            if q.table == "pay 1"
            else q
            for q in subject.questions
        )
        told = plain(text_of(name, replace(subject, questions=grown)))
        assert f"“pay 0”: {MEMBERS}; “pay 1”: 9 (published without noise)" in told


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


def test_numbers_of_several_tables_are_not_said_to_be_of_this_one():
    first = answered()
    assert first.tables == ()
    assert "in this table" in plain(text_of("Public notice", first))
    both = of_two_tables()
    told = plain(text_of("Public notice", both))
    assert "in one of these tables: “pay 0”, “pay 1”" in told
    assert "in this table, this" not in told
    for place, question in enumerate(both.questions):
        assert question.name.endswith(f", in “pay {place % 2}”")


def of_two_tables():
    """Return four answers, of two tables in turns."""
    ledger = opened(SUBSTITUTION)
    for request in questions()[:4]:
        release(
            request,
            request.value(table()),
            ledger=ledger,
            fingerprint="f",
            mode=Mode.RELEASE,
            now=NOW,
        )
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


def test_a_column_that_was_declared_anew_is_told_as_it_was_and_is():
    ledger = opened(SUBSTITUTION)
    first = questions()[0]
    narrow = replace(first.query.column, bounds=Interval(lower=20, upper=60), replacement=33.0)
    for query in (first.query, replace(first.query, column=narrow)):
        request = replace(first, query=query)
        shown = table().with_columns(query.column)
        release(
            request,
            request.value(shown),
            ledger=ledger,
            fingerprint="f",
            mode=Mode.RELEASE,
            now=NOW,
        )
    both = released(ledger.releases("f"), behind(SUBSTITUTION, ledger))
    assert [column.bounds.upper for column in both.columns] == [100, 60]
    rows = re.findall(r"<tr>(.*?)</tr>", text_of("Full report", both))
    told = [plain(row) for row in rows if "counted as" in row and "age" in row]
    wide, tight = told[-2:]
    assert "0 to 100" in wide
    assert "counted as 50" in wide
    assert "counted as 33" not in wide
    assert "20 to 60" in tight
    assert "counted as 33" in tight
    assert "counted as 50" not in tight


def test_what_people_typed_stands_in_every_document_that_asks():
    typed = CuratorInput(
        purpose="to see <1.5>",
        period="2026",
        reason="enough",
        deciders=("A. Berger",),
        publisher="the works council",
        contact="privacy desk",
    )
    subject = answered().with_input(typed).written(Numerals.COMMA)
    for name in ("Public notice", "Full report", "Registry entry"):
        text = unescape(text_of(name, subject))
        assert "to see <1.5>" in text
        assert "the works council" in text
    for name in ("Full report", "Checklist based on NIST SP 800-226", "Registry entry"):
        assert "Decided by A. Berger: enough" in unescape(text_of(name, subject))
    assert "to be filled in" not in plain(text_of("Public notice", subject))


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


def test_how_far_off_a_median_is_stands_beside_it_and_is_no_number_of_its_own():
    (median,) = (q for q in answered().questions if q.key == "exponential")
    (number,) = median.numbers
    assert number.noise.endswith("places in the sorted table away")
    assert median.answer.startswith(number.value)


def test_what_people_typed_keeps_its_numbers_in_the_record_of_changes():
    subject = answered()
    assert subject.head is not None
    change = BudgetChange("2026-11-23 04:58:00", "ε = 2.5", "ε = 3.5", "must show 3.000 Euro")
    raised = replace(subject, head=replace(subject.head, changes=(change,)))
    comma = raised.written(Numerals.COMMA)
    assert "must show 3.000 Euro" in plain(text_of("Full report", comma))
    told = plain(text_of("Public notice", comma))
    assert "changed once, last on 2026-11-23 from ε = 2,5 to ε = 3,5" in told
    never = replace(subject, head=replace(subject.head, changes=()))
    told = plain(text_of("Public notice", never))
    assert "changed once" not in told
    assert "nothing more is released unless it is raised" in told


def test_the_notice_says_as_what_missing_values_count():
    subject = answered()
    text = plain(text_of("Public notice", subject))
    assert "Missing values are imputed: they count as 50 (age)" in " ".join(text.split())
    column = subject.columns[0]
    assert column.name == "age"
    dropped = replace(column, missing=MissingPolicy.DROP, replacement=None)
    subject = replace(subject, columns=(dropped,), missing={"age": (LEFT_OUT,)})
    assert "Missing values are left out." in plain(text_of("Public notice", subject))
    # What is declared of a column does not count where it makes the groups.
    grouped = replace(answered(), missing={"age": (OTHERS,)})
    assert "count as 50" not in plain(text_of("Public notice", grouped))


def test_changes_of_a_budget_are_told_from_what_to_what():
    ledger = opened(SUBSTITUTION)
    assert changes_of(ledger.history("f")) == ()
    for epsilon in (21, 19.5):
        ledger.change_budget("f", PrivacyBudget.of(epsilon=epsilon, delta=1e-5), "x")
    first, second = changes_of(ledger.history("f"))
    assert first.before.startswith("ε = 20, δ")
    assert first.after == second.before
    assert second.after.startswith("ε = 19.5,")
    assert second.why == "x"


def test_notice_calls_questions_what_people_call_them():
    known = answered()
    question = known.questions[0]
    mine = replace(question, called="how old <b>we</b> are")
    subject = replace(known, questions=(mine, *known.questions[1:]))
    told, further = plain(text_of("Public notice", subject)).split(FURTHER)
    assert "How old <b>we</b> are" in told
    assert f"How old <b>we</b> are ({question.name})" in further
    both = replace(mine, table="Q4", name=f"{question.name}, in “Q4”")
    assert both.known_as == "how old <b>we</b> are, in “Q4”"


def test_names_are_found_by_the_marks_of_questions():
    ledger = opened(SUBSTITUTION)
    request = questions()[0]
    release(
        request, request.value(table()), ledger=ledger, fingerprint="f", mode=Mode.RELEASE, now=NOW
    )
    for mark, called in ((mark_of(request.parameters()), "ages"), ("else", "")):
        subject = released(
            ledger.releases("f"), behind(SUBSTITUTION, ledger), called={mark: "ages"}
        )
        assert [one.called for one in subject.questions] == [called]


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
        request = asked(query, "laplace", epsilon=9.0)
        release(
            request, request.value(here), ledger=ledger, fingerprint="f", mode=Mode.RELEASE, now=NOW
        )
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
    assert "All ranges in this table hold together" in told


def test_notice_says_where_it_follows_how_many_have_no_value():
    told = notice(compared(complete=True, dropped=True))
    assert "The group sizes show their number approximately." in told
    assert "not disclosed" not in told.split(FURTHER)[0]
