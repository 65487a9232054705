"""German papers: no English left, German numbers, the parts of the English ones."""

import re
from dataclasses import replace
from html import unescape

import pytest

from dpcore.budget_filter import PrivacyCost
from dpcore.data.preparation.capping import RowCap
from dpcore.data.preparation.conditions import (
    Comparison,
    LabelCondition,
    NumberCondition,
)
from dpcore.data.preparation.filtering import ending_of
from dpcore.data.preparation.recipes import Derived, Preparation, Recipe
from dpcore.documents.decision import decision_page
from dpcore.documents.german import questions, sentences
from dpcore.documents.german.columns import called
from dpcore.documents.german.notice import german_notice
from dpcore.documents.german.questions import of_what
from dpcore.documents.german.report import german_report
from dpcore.documents.german.sheet import german_decision_page
from dpcore.documents.language import Language
from dpcore.documents.notice import notice
from dpcore.documents.numerals import Numerals
from dpcore.documents.question import Number
from dpcore.documents.report import report
from dpcore.documents.subject import Time
from dpcore.documents.typed import Typed
from dpcore.mechanisms.catalog import CATALOG, EXPONENTIAL
from dpcore.planning.basket import Basket
from dpcore.planning.item import Item
from dpcore.planning.options import Option
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import answered, meant
from tests.documents.test_decision import decision, option
from tests.documents.test_reading import BY_NAME, plain
from tests.planning.planned import ALL, item
from tests.releases.questions import ADD_REMOVE, SUBSTITUTION, apart

ENGLISH = re.compile(
    r"\b(the|of|and|with|is|are|to|by|each|people|group|not|table|numbers?|at least|"
    r"from|private|public|mean|less|million|error|answer|question|ranks|draws?)\b",
    re.IGNORECASE,
)
POINT = re.compile(r"(?<![\w.,])\d+\.(?!\d{3}\b)\d+(?![\w.])|\de-\d")
FREE = re.compile(r"Differential Privacy|Version \S+")


def whole():
    """Every kind of question at once, and in another plan."""
    names = [key for key in ALL if key != "model"]
    items = tuple(
        item(name, wanted=wanted, group=40)
        for wanted, name in zip([1e-3, 50.0, None] * len(names), names, strict=False)
    )
    return Option(name="a", basket=Basket(items=items, total=20.0, delta=1e-6))


def titled(one):
    """Return the plan with the titles of its questions as their names."""
    basket = one.basket
    items = tuple(replace(x, name=x.request.title) for x in basket.items)
    return replace(one, basket=replace(basket, items=items))


def text_of(page):
    return plain(page.html())


def skeleton(page):
    """Return what a page is built of, without its words."""
    return re.sub(
        r">[^<]*<", "><", re.sub(r"<style>.*</style>", "", page.html(), flags=re.DOTALL)
    )


ABOUTS = {
    "of two": {},
    "alone": {"relation": SUBSTITUTION, "unit": PrivacyUnit()},
    "public": {"size": TableSize(people=98_765, public=True), "typed": Typed()},
    "of all": {"plan": titled(whole()), "other": titled(option("b", total=0.1))},
    "lesson": {"lesson": True, "spent": PrivacyCost(), "unit": PrivacyUnit(noun="x")},
}


@pytest.mark.parametrize("name", ABOUTS)
def test_the_page_to_sign_is_german_and_has_the_parts_of_the_english_one(name):
    about = decision(
        **{"typed": Typed(purpose="Bericht", deciders=("A. B.",))} | ABOUTS[name]
    )
    about = replace(about, plan=titled(about.plan), other=titled(about.other))
    page = german_decision_page(about)
    told = FREE.sub("", text_of(page))
    assert not ENGLISH.search(told), ENGLISH.findall(told)
    assert not POINT.search(re.sub(r"\d\d\.\d\d\.\d{4}", "", told))
    assert 'lang="de"' in page.html()
    english = decision_page(about, Numerals.COMMA)
    assert skeleton(page).count("<t") == skeleton(english).count("<t")
    assert skeleton(page).count("<d") == skeleton(english).count("<d")
    assert skeleton(page).count("<section") == skeleton(english).count("<section")


def test_the_page_to_sign_says_what_the_english_one_says():
    told = text_of(german_decision_page(decision()))
    for part in (
        "a report <b>on</b> pay", "staff.csv",
        "age (years): 0 bis 100 (fehlende Werte zählen als 50)", "mit bis zu 3 Zeilen",
        "mindestens 321 Zeilen", "Nr. 2 von 40", "ε = 3, δ = 0,00001 (1 von 100",
        "davon bisher verbraucht: ε = 0,25", "73,2 %", "52,5 %", "too much noise",
        "Unterschrift: A. Berger", "Bonn, Datum", "31.01.2027",
    ):  # fmt: skip
        assert part in unescape(told), part


def test_of_what_an_error_is_one_is_told_to_the_end():
    widths = [Item.of(apart()).width, item("group", group=1_200).width]
    widths += [replace(widths[0], of="a group of 40, as a part of each column's range")]
    assert [of_what(width) for width in widths] == [
        "die Differenz, wenn die kleinere der beiden Gruppen 100 hat",
        "eine Gruppe von 1.200",
        "eine Gruppe von 40, als Teil der Spannweite jeder Spalte",
    ]


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize("make", [answered, meant])
def test_the_notice_is_german_and_has_the_parts_of_the_english_one(make, relation):
    subject = make(relation)
    for one in (subject, replace(subject, questions=subject.questions[2:])):
        page, english = german_notice(one), notice(one)
        told = FREE.sub("", text_of(page))
        assert not ENGLISH.search(told), ENGLISH.findall(told)
        assert not POINT.search(re.sub(r"\d\d\.\d\d\.\d{4}", "", told))
        assert skeleton(page).count("<t") == skeleton(english).count("<t")
        assert skeleton(page).count("<li") == skeleton(english).count("<li")
        assert skeleton(page).count("<d") == skeleton(english).count("<d")


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize("make", [answered, meant])
def test_the_report_is_german_and_has_the_parts_of_the_english_one(make, relation):
    subject = timed(make(relation))
    page, english = german_report(subject), report(subject)
    told = FREE.sub("", text_of(page))
    assert not ENGLISH.search(told), ENGLISH.findall(told)
    assert not POINT.search(re.sub(r"\d\d\.\d\d\.\d{4}|OpenDP \S+", "", told))
    assert skeleton(page).count("<t") == skeleton(english).count("<t")
    assert skeleton(page).count("<li") == skeleton(english).count("<li")
    # All but what a question is asked of and its relation, which stand elsewhere.
    left_out = 2 * len(subject.questions)
    assert skeleton(english).count("<dt") - skeleton(page).count("<dt") == left_out


def timed(subject):
    """Return it with a period of its own and a changed budget."""
    quarter = Time(
        name="Q4",
        days="2026-10-01 to 2026-12-31",
        limit="ε = 2.5",
        spent="ε = 0.5",
    )
    return replace(subject, times=(quarter,))


def test_the_report_says_what_was_released_and_charged():
    subject = timed(answered())
    text = unescape(text_of(german_report(subject)))
    for one in subject.questions:
        for number in one.numbers:
            assert questions.told(number) in text
    for part in (
        subject.head.digest, "ε = 2,5", "01.10.2026 bis 31.12.2026",
        "age: 0 bis 100", "Gauß (analytisch). Addiert Gauß-Rauschen", "1. Ziehung",
        "Plätze in der sortierten Tabelle", "höchstens", "genau 817", "Methoden",
    ):  # fmt: skip
        assert part in text, part
    flawed = subject.questions[4]
    promised = replace(flawed, request=None, parameters={"epsilon": 0.1234})
    text = text_of(german_report(replace(subject, questions=(promised,))))
    assert "wird ε 0,124 dafür behauptet; wirklich kostet es ε 0,3" in unescape(text)


def test_every_mechanism_and_statistic_is_told_in_german():
    for key, entry in (CATALOG | {EXPONENTIAL.key: EXPONENTIAL}).items():
        if entry.releasable:
            assert key in questions._HOW or "pdp" in key, key  # noqa: SLF001
    assert set(questions._MEANINGS) == set(StatisticKind)  # noqa: SLF001


def test_what_is_read_by_those_concerned_is_german_too():
    german = [one.name for one in BY_NAME.values() if Language.GERMAN in one.languages]
    assert german == ["Public notice", "Full report", "Methods paragraph"]
    chosen = BY_NAME["Public notice"]
    assert 'lang="de"' in chosen.written(Language.GERMAN)(answered())
    assert 'lang="en"' in chosen.written(Language.ENGLISH)(answered())


def test_who_decided_is_told_in_german():
    typed = Typed(
        reason="alle sind zufrieden.",
        deciders=("A. Berger", "C. Demir"),
        signed="the page was signed: 3.12.2026",
    )
    assert sentences.decided(typed) == (
        "Beschlossen von A. Berger, C. Demir: alle sind zufrieden; das Blatt wurde "
        "unterschrieben: 3.12.2026"
    )
    assert sentences.decided(Typed()) == ""


OLD = NumberCondition(column="Alter", comparison=Comparison.AT_LEAST, number=1_234.5)
NORTH = LabelCondition(column="Station", labels=("Nord", "A or B is where"))


@pytest.mark.parametrize("comparison", Comparison)
@pytest.mark.parametrize("recipe", Recipe)
def test_what_preparing_adds_to_the_name_of_a_column_is_told_in_german(
    comparison, recipe
):
    ever = replace(OLD, comparison=comparison, column="Liegezeit")
    derived = Derived(
        recipe=recipe,
        column="Liegezeit",
        condition=ever if recipe is Recipe.ANY else None,
    )
    made = Preparation(owners=("Patient", "Jahr"), derived=(derived,), count=True)
    condition = replace(OLD, comparison=comparison, column="Alter am Tag")
    ending = ending_of((condition, NORTH))
    for name in made.names:
        told = called(name + ending)
        assert "je Patient und Jahr, nur " in told
        assert "1.234,5" in told
        assert 'Station ist Nord oder "A or B is where"' in told
        english = {" per ", " and ", " where age", recipe.value, comparison.value}
        assert not [word for word in english if word in told]


def test_a_limit_of_rows_is_told_in_german():
    cap = RowCap(owners=("Patient",), most=6)
    assert called(f"Alter{cap.suffix}") == "Alter, höchstens 6 Zeilen je Patient"
    one = replace(cap, most=1)
    filtered = f"Alter{one.suffix}{ending_of((OLD,))}"
    assert called(filtered) == (
        "Alter, höchstens 1 Zeile je Patient, nur Alter mindestens 1.234,5"
    )


@pytest.mark.parametrize(
    "typed",
    [
        "mean of pay",
        "rows",
        "Umsatz per Kopf",
        "people where they live",
        "at most 3",
        "a where Alter at least",
    ],
)
def test_a_column_that_no_step_has_made_keeps_its_name(typed):
    assert called(typed) == typed


@pytest.mark.parametrize(
    ("labels", "told"),
    [(["a"], "alle übrigen"), (["a", "other"], "other"), ([], "other")],
)
def test_who_is_in_no_listed_category_is_told_in_german(labels, told):
    asked = {"kind": "histogram", "column": {"name": "x", "labels": labels}}
    question = replace(answered().questions[0], parameters={"query": asked})
    assert questions.label(question, Number(label="other", value="3")) == told
    assert questions.label(question, Number(label="a", value="3")) == "a"
