"""What is asked, and of what an error is one, in German.

Names are made of what defines a question, as in its record. A name that somebody typed
stays as it is, and so does that of a question that is not known here.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from dpcore.documents.german.columns import called
from dpcore.documents.german.nouns import NOUNS, counted
from dpcore.documents.german.numbers import german, listed
from dpcore.documents.titles import titled
from dpcore.nouns import plural_of
from dpcore.releases.declared import NO_BOUND, bounds_of, end_text
from dpcore.releases.digits import PLACES
from dpcore.releases.table import TOO_FEW
from dpcore.statistics.conditions import said_once
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpcore.documents.question import Number, Question
    from dpcore.planning.item import Item
    from dpcore.planning.widths import Width
    from dpcore.releases.releasable import Releasable

_NOT_SAID: Final = "keine Angabe"
_NOUNS: Final = {
    StatisticKind.SUM: "Summe",
    StatisticKind.MEAN: "Mittelwert",
    StatisticKind.VARIANCE: "Varianz",
    StatisticKind.STANDARD_DEVIATION: "Standardabweichung",
    StatisticKind.POPULATION_VARIANCE: "Varianz (Divisor n)",
    StatisticKind.POPULATION_STANDARD_DEVIATION: "Standardabweichung (Divisor n)",
    StatisticKind.HISTOGRAM: "Häufigkeiten",
    StatisticKind.PROPORTIONS: "alle Anteile",
    StatisticKind.MEDIAN: "Median",
    StatisticKind.COVARIANCE: "Kovarianz",
    StatisticKind.CORRELATION: "Korrelation",
    StatisticKind.COVARIANCE_MATRIX: "Kovarianzmatrix",
    StatisticKind.POOLED_VARIANCE: "gemeinsame Varianz",
    StatisticKind.POOLED_COVARIANCE: "gemeinsame Kovarianz",
    StatisticKind.MEANS: "Mittelwerte",
    StatisticKind.DIFFERENCE: "Mittelwert",
}
_MECHANISMS: Final = {
    "Truncated Laplace, calibrated": "Laplace, abgeschnitten (kalibriert)",
    "Truncated Laplace, as published": "Laplace, abgeschnitten (wie veröffentlicht)",
    "Folded Laplace": "Laplace, gefaltet",
    "Averaged Laplace (10 draws)": "Laplace, gemittelt (10 Ziehungen)",
    "Gaussian (analytic)": "Gauß (analytisch)",
    "Gaussian (classic rule)": "Gauß (klassische Regel)",
    "Generalized Gaussian (order 3)": "Gauß, verallgemeinert (Ordnung 3)",
    "Exponential mechanism": "Exponentialmechanismus",
    "Noise on the coefficients": "Rauschen auf den Koeffizienten",
}
_OF: Final = {
    "": "",
    PLACES: "Plätze in der sortierten Tabelle",
    "part of the largest possible": "Teil des größtmöglichen Werts",
    "coefficients on the scale of the model": "Koeffizienten im Maß des Modells",
    "the noise; who is sampled adds to it": "das Rauschen; wer gezogen wird, kommt "
    "hinzu",
    "depends on who is drawn": "hängt davon ab, wer gezogen wird",
    "depends on the table": "hängt von der Tabelle ab",
    "depends on the answer": "hängt von der Antwort ab",
}
_UNITS: Final = {
    "rows": "Zeilen",
    "ranks": "Plätze",
    "date": "Datum",
    "date and time": "Datum und Uhrzeit",
    "days": "Tage",
} | {plural_of(name): noun.many for name, noun in NOUNS.items()}
_ONE: Final = {"Zeilen": "Zeile", "Plätze": "Platz"} | {
    noun.many: noun.one for noun in NOUNS.values()
}
_TOO_FEW: Final = "zu wenige für eine Aussage"
_AT: Final = {"exactly": "genau", "at least": "mindestens", "at most": "höchstens"}
_OF_NOISE: Final = {
    "counts": "Personen; in Summen von Werten ebenso viele Spannweiten der Spalte",
    "scale of the model": "im Maß des Modells",
    PLACES: _OF[PLACES],
}
_MEANINGS: Final = {
    StatisticKind.COUNT: "wie viele es sind, oder wie viele eine Bedingung erfüllen.",
    StatisticKind.SUM: "alle Werte zusammengezählt.",
    StatisticKind.MEAN: "der Durchschnitt: die Summe, geteilt durch die Zahl der "
    "Personen.",
    StatisticKind.PROPORTION: "welcher Teil eine Bedingung erfüllt.",
    StatisticKind.PROPORTIONS: "welcher Teil in jede Kategorie oder Klasse fällt; auf "
    "Wunsch ergibt alles zusammen 100 %.",
    StatisticKind.VARIANCE: "wie verschieden die Werte sind, im Quadrat ihrer Einheit.",
    StatisticKind.STANDARD_DEVIATION: "wie verschieden die Werte sind, in ihrer "
    "Einheit.",
    StatisticKind.POPULATION_VARIANCE: "die Varianz allein dieser Personen, keine "
    "Schätzung für eine größere Gruppe.",
    StatisticKind.POPULATION_STANDARD_DEVIATION: "wie verschieden die Werte allein "
    "dieser Personen sind, in ihrer Einheit.",
    StatisticKind.HISTOGRAM: "wie viele in jede Kategorie oder Klasse fallen.",
    StatisticKind.CROSS_TABLE: "wie viele jedes Paar zweier Antworten haben, mit den "
    "Summen der Zeilen und Spalten.",
    StatisticKind.MEDIAN: "die Hälfte liegt darunter, die Hälfte darüber.",
    StatisticKind.QUANTILE: "der Wert, unter dem ein gegebener Teil liegt.",
    StatisticKind.QUANTILES: "Quantile zu mehreren Anteilen in einer Frage, der Reihe "
    "nach, jedes mit Intervall.",
    StatisticKind.DIFFERENCE: "um wie viel sich die Mittelwerte zweier Gruppen "
    "unterscheiden, in der Einheit der Spalte und in Prozent, und nichts über die "
    "übrigen Gruppen.",
    StatisticKind.MEANS: "die Mittelwerte von zwei oder mehr Spalten für jede Gruppe "
    "einer weiteren, in einer Frage zu einem Preis.",
    StatisticKind.COVARIANCE: "ob zwei Spalten zusammen steigen, im Produkt ihrer "
    "Einheiten.",
    StatisticKind.CORRELATION: "dasselbe auf einer Skala von -1 bis 1.",
    StatisticKind.COVARIANCE_MATRIX: "Varianzen und Kovarianzen mehrerer Spalten, die "
    "sich das Budget teilen.",
    StatisticKind.POOLED_VARIANCE: "wie verschieden die Werte innerhalb einer Gruppe "
    "sind.",
    StatisticKind.POOLED_COVARIANCE: "ob zwei Spalten innerhalb einer Gruppe zusammen "
    "steigen.",
}
_HOW: Final = {
    "laplace": "Addiert Laplace-Rauschen; im Mittel richtig, kann die Grenzen "
    "verlassen.",
    "bit": "Addiert Laplace-Rauschen und setzt, was außerhalb liegt, auf die Grenze.",
    "truncated": "Zieht neu, bis es in den Grenzen liegt, mit dem Rauschen, das dies "
    "erfordert.",
    "truncated-published": "Zieht neu, bis es in den Grenzen liegt; kostet wirklich "
    "bis zu 2 ε.",
    "folded": "Addiert Laplace-Rauschen und spiegelt, was außerhalb liegt, an der "
    "Grenze.",
    "gaussian": "Addiert Gauß-Rauschen genau der Größe, die das Budget erfordert.",
    "averaged": "Mittelt zehn Laplace-Ziehungen: fast normalverteilt, mit mehr "
    "Rauschen.",
    "gaussian-classic": "Addiert Gauß-Rauschen nach der Lehrbuchregel für ε unter 1.",
    "exponential": "Wählt unter gleichmäßig verteilten Antworten; je näher am "
    "gesuchten Rang, desto wahrscheinlicher.",
}
_GROUP: Final = re.compile(r"a group of (\d[\d,]*(?<!,))(.*)", re.DOTALL)
_DIFFERENCE: Final = re.compile(
    r"the difference, if the smaller of the two groups has (\d[\d,]*)"
)
_AWAY: Final = re.compile(r"at most ([\d,]+) " + re.escape(PLACES) + " away")
_OTHERS: Final = "other"


def named(item: Item) -> str:
    """Return the name of a planned question, with what it asks where it was typed."""
    title = item.request.title
    asked = titled(item.request.parameters(), item.request.asked.columns)
    told = _title(asked, item.request) or title
    return told if item.name == title else f"{item.name} ({told})"


def name_of(question: Question) -> str:
    """Return the name of a question of a document."""
    if question.request is not None and not question.numbers:
        typed = question.name != question.request.title
        return question.name if typed else _told(question)
    return _told(question)


def known_as(question: Question) -> str:
    """Return what people call a question, or its name, with that of the table."""
    if not question.called:
        return name_of(question)
    where = f", in „{question.table}“" if question.table else ""
    return f"{question.called}{where}"


def asks(question: Question) -> str:
    """Return the same without the name of the table."""
    return _title({"query": question.asked}, question.request) or question.asks


def _told(question: Question) -> str:
    title = asks(question)
    return f"{title}, in „{question.table}“" if question.table else title


def label(question: Question, number: Number) -> str:
    """Return the name of one of several numbers of an answer."""
    asked = question.asked
    pair, group = asked.get("pair"), asked.get("group")
    if isinstance(pair, list | tuple):
        one, other = pair
        known = {
            f"{one} less {other}": f"{one} minus {other}",
            f"{one} less {other}, in percent of {other}": f"{one} minus {other}, in "
            f"Prozent von „{other}“",
            f"mean of {one}": f"Mittelwert von „{one}“",
            f"mean of {other}": f"Mittelwert von „{other}“",
        }
        if number.beside:
            known |= {
                f"{number.unit} in {name}": f"{unit(number.unit)} in „{name}“"
                for name in pair
            }
        return known.get(number.label, number.label)
    crossed = asked.get("crossed")
    if isinstance(crossed, list | tuple) and len(crossed) > 1:
        return _crossed(number.label, [axis["column"] for axis in crossed])
    if not isinstance(group, dict):
        labels = asked.get("column", {}).get("labels")
        others = number.label == _OTHERS and labels and _OTHERS not in labels
        return "alle übrigen" if others else number.label
    start = f"{number.unit} in "
    of, rest = "", number.label
    if number.beside and rest.startswith(start):
        of, rest = f"{unit(number.unit)} in ", rest.removeprefix(start)
    if rest == _OTHERS and _OTHERS not in group.get("labels", ()):
        return "alle übrigen" if not of else f"{unit(number.unit)} in keiner davon"
    return f"{of}{rest}"


def _crossed(label: str, columns: Sequence[Mapping[str, Any]]) -> str:
    """Return the name of a cell, or of a sum, of two crossed columns."""
    first, second = columns
    for column in columns:
        if _has_others(column) and label == f"{column['name']}: {_OTHERS}":
            return f"{called(column['name'])}: alle übrigen"
    row, cross, cell = label.partition(" × ")
    if not cross:
        return label
    row = "alle übrigen" if row == _OTHERS and _has_others(first) else row
    cell = "alle übrigen" if cell == _OTHERS and _has_others(second) else cell
    return f"{row} × {cell}"


def _has_others(column: Mapping[str, Any]) -> bool:
    """Tell whether what a list leaves out has a name of the program's own."""
    labels = column.get("labels") or ()
    return bool(labels) and _OTHERS not in labels


def value(number: Number) -> str:
    """Return a released number with its unit."""
    if number.value == TOO_FEW:
        return told(number)
    name = of_so_many(number.value, unit(number.unit))
    return f"{told(number)} {name}".rstrip()


def of_so_many(number: str, name: str) -> str:
    """Return a unit as it is called after a number.

    >>> of_so_many("1", "Personen"), of_so_many("2", "Personen")
    ('Person', 'Personen')
    """
    if number.lstrip("-−") != "1":
        return name
    first, space, rest = name.partition(" ")
    return f"{_ONE.get(first, first)}{space}{rest}"


def told(number: Number) -> str:
    """Return a released number without its unit."""
    return _TOO_FEW if number.value == TOO_FEW else german(number.value)


_SIDES: Final = {"lower": "unteres", "upper": "oberes"}


def around(number: Number) -> str:
    """Return where the table's own number lies, or of which range it is an end."""
    if number.ends:
        return "; ".join(
            f"{_SIDES[end.side]} Ende der Spanne der Frage mit Kennung {end.mark}"
            for end in number.ends
        )
    off = _AWAY.fullmatch(number.noise)
    if off is not None:
        places = f"höchstens {german(off[1])} {_OF[PLACES]} daneben"
        return f"{places}; wie weit das ist, ist nicht bekannt"
    none = number.maybe_nobody or number.maybe_alike
    return f"{ends(number.noise)}{': kann 0 sein' * none}"


def ends(interval: str) -> str:
    """Return the ends of an interval."""
    return " bis ".join(german(end) for end in interval.split(" to "))


def unit(name: str) -> str:
    """Return a unit; those that came with the data stay as they are."""
    return _UNITS.get(name, name)


def mechanism(name: str) -> str:
    """Return what a mechanism is called."""
    return _MECHANISMS.get(name, name)


def half(width: Width) -> str:
    """Return a half-width with its unit."""
    if not math.isfinite(width.half):
        return _NOT_SAID
    return f"{german(width.text)} {unit(width.unit)}".rstrip()


def error(question: Question) -> str:
    """Return how far off the answer to a planned question will be."""
    if question.off is None:
        return _NOT_SAID
    of, told = of_what(question.off), half(question.off)
    sign = "± " if math.isfinite(question.off.half) else ""
    return f"{sign}{told} ({of})" if of else f"{sign}{told}"


def of_what(width: Width) -> str:
    """Return of what a half-width is one, where that is not the answer alone."""
    pair = _DIFFERENCE.fullmatch(width.of)
    if pair is not None:
        return (
            f"die Differenz, wenn die kleinere der beiden Gruppen {german(pair[1])} hat"
        )
    found = _GROUP.fullmatch(width.of)
    if found is None:
        return _OF.get(width.of, width.of)
    size, more = german(found[1]), found[2]
    if more.startswith(", as a part"):
        return f"eine Gruppe von {size}, als Teil der Spannweite jeder Spalte"
    return f"eine Gruppe von {size}"


def noise_unit(name: str) -> str:
    """Return of what the scale of noise is a number."""
    return _OF_NOISE.get(name, unit(name))


def meaning(question: Question) -> str:
    """Return what a question means, in plain words; empty where that is not known."""
    if question.parameters.get("kind") == "model":
        return "wie eine Spalte im Mittel mit anderen zusammenhängt."
    kind = question.asked.get("kind")
    return _MEANINGS[StatisticKind(kind)] if kind in set(StatisticKind) else ""


def how(question: Question) -> str:
    """Return a mechanism with what it does, where the catalog knows it."""
    sentence = _HOW.get(question.key, "")
    return f"{mechanism(question.mechanism)}. {sentence}".rstrip(". ") + "."


def bounds(question: Question) -> str:
    """Return the public bounds of the columns of a question."""
    return "; ".join(each_bounds(question))


def each_bounds(question: Question) -> tuple[str, ...]:
    """Return the same, column by column."""
    return tuple(
        f"{called(name)}: {_end(low)} bis {_end(high)}"
        for name, low, high in bounds_of({"query": question.asked})
    )


def _end(end: str) -> str:
    return "keine Grenze" if end == NO_BOUND else german(end)


def people(question: Question) -> str:
    """Return what is public about the number of people."""
    said = question.people
    for word, known in _AT.items():
        said = said.replace(word, known)
    return german(said)


def _title(parameters: Mapping[str, object], request: Releasable | None) -> str:
    """Return the question in words; empty where its kind is not known.

    Without the ``request``, rows have the name that their key stands for.
    """
    asked = parameters.get("query")
    if not isinstance(asked, dict) or asked.get("kind") not in set(StatisticKind):
        return ""
    kind = StatisticKind(asked["kind"])
    group = asked.get("group")
    by = "" if group is None else f" nach {_named(group['name'])}"
    if kind is StatisticKind.DIFFERENCE:
        one, other = asked["pair"]
        by += f", {one} minus {other}"
    elif kind.pooled:
        by = f" innerhalb von {_named(group['name'])}" if group else ""
    unit = UNIT.read(asked["unit"]) if request is None else request.unit
    unit = replace(unit, noun=unit.key) if request is None else unit
    return f"{_asked(kind, asked, counted(unit))}{by}"


def _asked(kind: StatisticKind, asked: Mapping[str, Any], rows: str) -> str:
    if kind in {StatisticKind.COUNT, StatisticKind.PROPORTION}:
        return _members(kind, asked, rows)
    if kind is StatisticKind.CROSS_TABLE:
        names = [_named(axis["column"]["name"]) for axis in asked["crossed"]]
        return f"Zahl der {rows} nach {listed(names)}"
    columns = asked.get("columns") or [asked["column"]]
    name = listed([_named(one) for one in said_once(*(c["name"] for c in columns))])
    if kind is StatisticKind.QUANTILE:
        return f"{_points(asked['q'])}-%-Quantil von {name}"
    if kind is StatisticKind.QUANTILES:
        *first, last = map(_points, asked["qs"])
        return f"{listed([*(f'{q}-' for q in first), last])}-%-Quantile von {name}"
    return f"{_NOUNS[kind]} von {name}"


def _points(share: float) -> str:
    return german(f"{100 * share:.6g}")


def _members(kind: StatisticKind, asked: Mapping[str, Any], rows: str) -> str:
    """Return a number, or the share, of those who meet a condition."""
    amount = "Zahl" if kind is StatisticKind.COUNT else "Anteil"
    whom, name = f"{amount} der {rows}", _named(asked["column"]["name"])
    member = asked.get("membership") or {}
    if "label" in member:
        return f"{whom} mit {name} = {member['label']}"
    if "interval" in member:
        ends = (german(end_text(asked["column"], end)) for end in member["interval"])
        return f"{whom} mit {name} {_between(member['interval'], *ends)}"
    with_value = asked["column"].get("missing") == "drop"
    return f"{whom} mit einem Wert von {name}" if with_value else whom


def _named(name: str) -> str:
    """Return the name of a column in quotation marks: it need not be a word."""
    return f"„{called(name)}“"


def _between(interval: Sequence[float | None], lower: str, upper: str) -> str:
    low, high = interval
    if high is None:
        return f"ab {lower}"
    return f"bis {upper}" if low is None else f"von {lower} bis {upper}"
