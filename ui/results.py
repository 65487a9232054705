"""Showing results: figures with their twins, and the badges of what may leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final, cast

import pandas as pd
import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.data.dialects import DECIMAL_COMMA, DECIMAL_POINT, Dialect
from dpcore.figures.theme import Picture
from dpcore.formatting import capital, significant
from dpcore.mechanisms.catalog import LABEL_ROUNDS
from dpcore.releases.digits import cost_text, interval_text, number_text, quantity_in, spelled
from dpcore.releases.record import A_SAMPLE, EVERYBODY, Release, sharper, these_rows
from dpcore.releases.table import file_name, to_csv, unsaid_text
from dpcore.statistics.grouping import name_of_others
from dpcore.studies.findings import ClaimFinding, Verdict
from ui import controls, downloads, layout, live_chart, session
from ui.live_chart import Film
from ui.text import after_number, ended, literal

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


_CONCLUSIONS = "_conclusions"
THREE_DIGITS, SIX_DIGITS = 3, 6
"""How many significant digits a column of a table has, in place of its settings."""
MARKS: dict[str, str] = {
    Verdict.HOLDS: "✓",
    Verdict.FAILS: "✗",
    Verdict.DEPENDS: "◐",
    Verdict.TUNED: "⚙",
    Verdict.UNSEEN: "–",
}
"""Signs of verdicts, by their words."""
_DIALECTS = {"Download CSV": DECIMAL_POINT, "Download CSV with decimal commas": DECIMAL_COMMA}
_WHERE = (
    "The same table with decimal commas, and semicolons between cells: as Excel reads "
    "it where 1.5 is written 1,5."
)
_NARROW = 3
_MOST_NUMBERS = 200
MEDIUM = st.column_config.TextColumn(width="medium")
# What fits into a line of a medium column, and how high lines are.
MEDIUM_LINE, _LINE_PIXELS, _PADDING_PIXELS = 28, 20, 15
# Both are in view on a phone; elsewhere columns grow to the width of the page.
_ON_A_PHONE = {
    "question": st.column_config.TextColumn(width=155),
    "result": st.column_config.TextColumn(width=165),
}
_PHONE_LINE, _MOST_LINES = 20, 3
_WRAPS = 65
"""The least height of rows, in pixels, whose text goes on in a next line."""


def conclude(answer: Release, name: str, text: str) -> None:
    """Offer to state in documents what follows from an answer and a statement of the reader.

    To look at it is not to state it. It replaces what was stated under that name; nothing is
    stated of no ``text``.
    """
    if text and not controls.HERE.checkbox(
        "State it in the documents",
        key=f"state-{answer.id}-{hash(text)}",
        kept="session",
        note="Notice and report then state it with the answer, as an assumption of yours.",
    ):
        text = ""
    known = conclusions()
    others = {key: told for key, told in known.get(answer.id, {}).items() if key != name}
    session.set_public(_CONCLUSIONS, known | {answer.id: others | ({name: text} if text else {})})


def conclusions() -> dict[str, dict[str, str]]:
    """Return what was concluded in this tab, of each release by its id."""
    return cast("dict[str, dict[str, str]]", session.public(_CONCLUSIONS) or {})


def show(picture: Picture, key: str, *, simulated: bool = False) -> None:
    """Show a figure under its takeaway, with its twins in words and numbers.

    In Classroom mode it is watermarked, unless it is ``simulated``: of synthetic tables
    or public settings alone, so that there is nothing in it to hide.
    """
    picture = picture.stamped(classroom=not simulated and session.mode() is Mode.CLASSROOM)
    # A line may end before the sign, not after it.
    title = literal(picture.title).replace("± ", "±\u00a0")
    st.markdown(f"**{title}**")
    live_chart.show(picture, key=f"figure-{key}")
    _twins(picture, key)


def show_film(
    film: Film, value: float, key: str, *others: Film, on_wanted: Callable[[], None] | None = None
) -> None:
    """Show a film of public settings or synthetic tables, which follows its slider.

    Its twins are those of the picture at the ``value`` of the slider. ``others`` have the
    same picture there, and follow other sliders. ``on_wanted`` makes the frames of a film
    that has one picture so far.
    """
    live_chart.show_film(film, *others, key=f"figure-{key}", on_wanted=on_wanted)
    _twins(film.at(value), key)


def _twins(picture: Picture, key: str) -> None:
    # Filled only once it is opened: most are not, and a control must answer quickly.
    layout.folded(
        "Data table and description", f"twin-{key}", partial(_words_and_numbers, picture, key)
    )


def _words_and_numbers(picture: Picture, key: str) -> None:
    st.markdown(literal(picture.alt))
    table(picture.table, key=f"table-{key}")
    count = len(picture.table.columns)
    if count > _NARROW:
        st.caption(f"{count} columns; where not all fit, scroll sideways.")


_ROWS_IN_VIEW: Final = 12
"""So many rows of a table are seen without scrolling in it."""


def table(
    data: pd.DataFrame | dict[str, Any] | list[dict[str, Any]],
    *,
    key: str,
    column_config: dict[str, Any] | None = None,
    placeholder: str | None = None,
    row_height: int | None = None,
) -> None:
    """Show a table, given by its columns or by its rows, which have no names.

    Its numbers have the form that they have in texts, with ``SIX_DIGITS`` unless
    ``column_config`` says how many. Text goes on in a next line where ``row_height``, in
    pixels, leaves room for it.
    """
    frame, settings = pd.DataFrame(data), column_config or {}
    digits: dict[Any, Any] = {
        name: partial(significant, digits=settings.get(name, SIX_DIGITS))
        for name in frame.columns
        if frame[name].dtype.kind == "f" and isinstance(settings.get(name, SIX_DIGITS), int)
    }
    st.dataframe(
        frame.style.format(digits, na_rep="") if digits else frame,
        column_config={name: one for name, one in settings.items() if not isinstance(one, int)},
        placeholder=placeholder,
        row_height=row_height,
        height="content" if len(frame) <= _ROWS_IN_VIEW else "auto",
        hide_index=True,
        key=key,
    )


def metrics(
    numbers: Mapping[str, tuple[str | None, ...]],
    *,
    places: Sequence[DeltaGenerator] = (),
    narrow: bool = False,
) -> None:
    """Show numbers side by side: each with what it means, and what stands below it.

    They stand in ``places`` or in a column each; ``narrow`` ones take the room that they
    need.
    """
    if narrow and not places:
        places = [st.container(horizontal=True, gap="large")] * len(numbers)
    shown = zip(places or st.columns(len(numbers)), numbers.items(), strict=False)
    for place, (label, (number, meaning, *below)) in shown:
        place.metric(
            label,
            # A line does not end within a power of ten.
            number and number.replace(" × ", "\u00a0×\u00a0"),
            delta=below[0] if below else None,
            delta_color="off",
            delta_arrow="off",
            help=meaning,
            width="content" if narrow else "stretch",
        )


def verdicts(found: Sequence[ClaimFinding]) -> None:
    """List what a source says, each claim with its verdict and the numbers of a run."""
    st.markdown(
        "\n".join(
            f"- {MARKS[one.verdict]} **{one.verdict}.** {literal(ended(one.claim))} "
            f"{literal(ended(capital(one.evidence)))}"
            for one in found
        )
    )


def public_badge() -> None:
    """Mark what stands next as public, or as a classroom exercise."""
    if session.mode() is Mode.CLASSROOM:
        st.badge("Classroom: not a private release", icon=":material/school:", color="gray")
    else:
        st.badge("Public: safe to share", icon=":material/public:", color="blue")


def release_files(
    releases: Sequence[Release], key: str, *, in_use: bool = True, label: str = "Download"
) -> None:
    """Offer releases as files. Nothing else can be downloaded.

    ``in_use`` says whether they are about the table in use, ``label`` what is offered.
    """
    study, table = session.study() if in_use else None, ""
    if study is not None:
        unit = study.terms.unit
        whole = these_rows(unit) if unit.several else EVERYBODY
        table = A_SAMPLE if study.sampled else whole
        if any(release.of_several_rows is not unit.several for release in releases):
            table = ""  # they were prepared in another way, too
    releases = [
        release.of_everybody()
        if release.of_several_rows or table not in {"", A_SAMPLE}
        else release
        for release in releases
    ]
    name = file_name(releases)
    first, *others = [st.popover(label, key=f"files-{key}")] * 3
    downloads.button(
        "Download JSON",
        downloads.File(
            name=f"{name}.json", mime="application/json", content=partial(_json, releases, table)
        ),
        key=f"json-{key}",
        place=first,
    )
    csv_files(partial(to_csv, releases, table=table), name, key, others)


def _json(releases: Sequence[Release], table: str) -> str:
    """Return one record as it is, and several in a list."""
    records = [release.to_json(table=table) for release in releases]
    return records[0] if len(records) == 1 else "[" + ",\n".join(records) + "]"


def table_files(
    rows: Callable[[], pd.DataFrame | list[dict[str, Any]]],
    name: str,
    key: str,
    *,
    label: str = "Download",
) -> None:
    """Offer a table of public numbers as files, made once they are asked for."""

    def text(dialect: Dialect) -> str:
        frame = pd.DataFrame(rows())
        return frame.to_csv(index=False, sep=dialect.delimiter, decimal=dialect.decimal)

    csv_files(text, name, key, [st.popover(label, key=f"files-{key}")] * 2)


def csv_files(
    text: Callable[..., str], name: str, key: str, places: Sequence[DeltaGenerator]
) -> None:
    """Offer what ``text`` writes in a dialect: with decimal points, and with commas."""
    for place, (label, dialect) in zip(places, _DIALECTS.items(), strict=True):

        def data(dialect: Dialect = dialect) -> bytes:
            return text(dialect=dialect).encode(dialect.encoding)

        downloads.button(
            label,
            downloads.File(name=f"{name}.csv", mime="text/csv", content=data),
            key=f"{label}-{key}",
            place=place,
            note=_WHERE if dialect is DECIMAL_COMMA else None,
        )


def listing(releases: Sequence[Release], *, tables: Mapping[str, str] | None = None) -> None:
    """List releases, newest first; one that is selected is shown in full below.

    ``tables`` says what the table of each is called, where they are about several.
    """
    newest, known, later = [*reversed(releases)], sharper(releases), " (sharpened later)"
    found = [answer_text(release, most=1) for release in newest]
    longest = max([0, *map(len, found), *(len(release.known_as) for release in newest)])
    lines = min(ceil(longest / _PHONE_LINE), _MOST_LINES)
    last = "mechanism" if tables is None else "table"
    listed = st.dataframe(
        pd.DataFrame(
            {
                "question": release.known_as + (later if release.id in known else ""),
                "result": result,
                "privacy cost": cost_text(release.debit),
                last: release.mechanism_label if tables is None else tables[release.id],
                "time (UTC)": release.created[:16].replace("T", " "),
            }
            for release, result in zip(newest, found, strict=True)
        ),
        column_config=_ON_A_PHONE,
        row_height=max(lines * _LINE_PIXELS + _PADDING_PIXELS, _WRAPS) if lines > 1 else None,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        # A new release moves all rows: none stays selected.
        key=f"releases-{len(newest)}",
    )
    if not listed.selection.rows:
        st.caption("Select a row to see every number of a release.")
    for row in listed.selection.rows:
        with st.container(border=True):
            _whole(newest[row])


def height_of(longest: int, line: int) -> int | None:
    """Return the height of rows in which a text stands whole, in lines of so many letters."""
    if longest <= line:
        return None
    # Lines end between words, so that one more may be needed.
    lines = ceil(longest / line) + 1
    return lines * _LINE_PIXELS + _PADDING_PIXELS


def _whole(release: Release) -> None:
    """Show one release in full, wrapped, with its files."""
    pairs = list(zip(release.labels, release.values, strict=True))
    shown = [
        _with_ends(release, label, value) + after_number(quantity_in(release, label).suffix)
        for label, value in pairs[:_MOST_NUMBERS]
    ]
    shown += [
        f"{literal(spelled(label))}: {unsaid_text(release, label)}" for label in release.unsaid
    ]
    st.markdown(" · ".join(shown))
    # What follows need not have the unit of the values.
    pairs += release.derived.items()
    follows = list(release.derived.items())[: max(_MOST_NUMBERS - len(shown), 0)]
    if follows:
        st.markdown(" · ".join(_with_ends(release, label, value) for label, value in follows))
    if len(pairs) > _MOST_NUMBERS:
        st.caption(f"The first {_MOST_NUMBERS} of {len(pairs):,}; all are in the files.")
    if release.name:
        st.markdown(f"**{literal(release.name)}**")
    st.markdown(f"{literal(capital(release.said))}.")
    st.caption(
        f"Privacy cost: {cost_text(release.cost)}. {literal(release.mechanism_label)}, "
        f"release {release.draw} of this question.{charged_with(release)}"
    )
    release_files([release], "one")


def charged_with(release: Release) -> str:
    """Say that a release was charged with others: in a plan, or as a sharper answer."""
    if release.charged is not None:
        return (
            " That is the cost of this answer and of those that it sharpens. For this one "
            f"{cost_text(release.charged)} was charged."
        )
    if release.plan is None:
        return ""
    return (
        f" That is what it would have cost alone: it was released in a plan, {_together(release)}."
    )


def _together(release: Release) -> str:
    plan = release.plan
    if plan is None:
        return ""
    count = "1 release" if plan.releases == 1 else f"{plan.releases} releases together"
    return f"{count}: {cost_text(plan.cost)}"


def _with_ends(release: Release, label: str, value: float) -> str:
    """Return a number with its interval, and with no more digits than that leaves."""
    told = f"{literal(spelled(label))}: **{number_text(release, label, value)}**"
    ends = interval_text(release, label, value)
    return told if ends is None else f"{told} ({' to '.join(ends)})"


def _not_bare(release: Release, label: str, value: float) -> str:
    """Return a number; a 0 with its interval, for it does not say that nobody is there.

    So it is read as the noisy number that it is.
    """
    told = number_text(release, label, value)
    ends = interval_text(release, label, value)
    return told if told != "0" or ends is None else f"{told} (95%: {' to '.join(ends)})"


def answer_text(release: Release, *, most: int | None = None) -> str:
    """Return all numbers of an answer in one line, a single one with its interval.

    If it has more than the ``most`` first ones, their number follows.
    """
    values, labels = release.values, release.labels  # noqa: PD011 - no frame
    correlation = [*release.derived] if len(release.derived) == 1 else []
    if correlation and correlation[0].startswith("corr("):
        return _with_ends(release, correlation[0], release.derived[correlation[0]])
    units = [f" {quantity_in(release, label).suffix}".rstrip() for label in labels]
    if len(values) == 1 and not release.unsaid:
        ends = interval_text(release, labels[0], values[0])
        around = "" if ends is None else f" ({' to '.join(ends)})"
        return f"{number_text(release, labels[0], values[0])}{units[0]}{around}"
    of = "round " if release.mechanism == LABEL_ROUNDS.key else ""
    said = [
        f"{spelled(label)}: {of}{_not_bare(release, label, value)}{unit}"
        for label, value, unit in zip(labels, values, units, strict=True)
    ]
    said += [f"{spelled(label)}: {unsaid_text(release, label)}" for label in release.unsaid]
    more = len(said) - len(said[:most])
    # The last group holds all others: it is no further label.
    *listed, last = (*labels, *release.unsaid)
    others = f", with “{last}”" * (last == name_of_others(tuple(listed)))
    return ", ".join(said[:most]) + f" and {more:,} more{others}" * (more > 0)
