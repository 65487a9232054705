"""Questions of every kind, in both modes, and what the pages say where one fails."""

from __future__ import annotations

import pytest

from dpcore.analyses.base import offered
from dpcore.data.examples import EXAMPLES
from dpcore.statistics.kinds import StatisticKind
from tests.app.test_pages import (
    CSV,
    button,
    by_label,
    mode,
    press_release,
    put_in_use,
    release_button,
    use_example,
    use_upload,
)
from tests.conftest import everything


def set_to(app, kind, label, value):
    by_label(getattr(app, kind), label).set_value(value).run()
    return app


def release(app):
    press_release(app)
    assert not app.error, [error.value for error in app.error]
    return app


def shown(app):
    kinds = ("markdown", "caption", "metric", "warning", "info", "error", "success")
    return "\n".join(str(e.value) for kind in kinds for e in getattr(app, kind))


@pytest.mark.parametrize("table", range(len(EXAMPLES)))
def test_every_statistic_and_mechanism_releases_on_the_examples(open_page, table):
    app = use_example(open_page, EXAMPLES[table].key)
    assert mode(app).value == "classroom"
    app = open_page("release")
    kinds = [*enumerate(by_label(app.selectbox, "Statistic").options)]
    asked = set()
    for position, kind in kinds if everything() else kinds[table :: len(EXAMPLES)]:
        set_to(app, "selectbox", "Statistic", kind)
        entries = offered(StatisticKind(kind))
        mechanisms = [key for key, entry in entries.items() if entry.releasable]
        # Each table has other pairs, and all statistics occur.
        mechanism = mechanisms[(position + table) % len(mechanisms)]
        if len(entries) > 1:
            set_to(app, "selectbox", "Mechanism", mechanism)
        # The numbers of a matrix share it.
        epsilon = 0.1 if StatisticKind(kind).of_matrix else 0.01
        if by_label(app.number_input, "ε for this release").value != epsilon:
            set_to(app, "number_input", "ε for this release", epsilon)
        if entries[mechanism].needs_delta:
            set_to(app, "number_input", "δ for this release", 1e-9)
        release(app)
        asked.add((kind, mechanism))
    assert len(app.dataframe[-1].value) == len(asked)


def test_a_mechanism_without_secure_sampler_cannot_be_released(open_page):
    use_example(open_page)
    app = open_page("release")
    set_to(app, "selectbox", "Mechanism", "generalized")
    assert "no secure sampler" in shown(app)
    assert release_button(app).disabled


def test_more_than_is_left_is_refused_and_the_inputs_stay(open_page):
    use_upload(open_page)
    app = open_page("release")
    set_to(app, "number_input", "ε for this release", 600.0)
    assert release_button(app).disabled
    assert "This costs ε = 600, and ε = 3" in app.warning[0].value
    assert by_label(app.number_input, "ε for this release").value == 600.0
    assert "Released so far" not in [header.value for header in app.header]


def test_table_is_private_in_number_under_add_remove(open_page):
    app = open_page("data")
    app.file_uploader[0].set_value(("people.csv", CSV.encode(), "text/csv")).run()
    set_to(app, "number_input", "Lower bound", 0.0)
    set_to(app, "number_input", "Upper bound", 100.0)
    relation = by_label(app.button_group, "Neighboring relation")
    relation.set_value(relation.options[1]).run()
    put_in_use(app)
    app.switch_page("app.py").run()
    assert "number of people: private" in shown(app)
    app = open_page("release")
    set_to(app, "selectbox", "Statistic", "count")
    release(app)


def test_forgotten_table_is_gone_from_every_page(app, open_page):
    use_upload(open_page)
    app.switch_page("app.py").run()
    button(app.sidebar, "Yes, remove it").click().run()
    app = open_page("release")
    assert "Choose a table first" in app.info[0].value


def test_budget_in_rho_is_charged_in_rho(open_page):
    app = open_page("data")
    app.file_uploader[0].set_value(("people.csv", CSV.encode(), "text/csv")).run()
    set_to(app, "number_input", "Lower bound", 0.0)
    set_to(app, "number_input", "Upper bound", 100.0)
    notion = by_label(app.selectbox, "Privacy definition")
    notion.set_value(notion.options[1]).run()
    put_in_use(app)
    app = open_page("release")
    set_to(app, "number_input", "ε for this release", 0.2)
    release(app)
    app = open_page("budget")
    assert "0.0188" in by_label(app.metric, "Spent").value  # rounded up
