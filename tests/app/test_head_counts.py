"""Head counts that come with means are said before they are paid for again."""

from tests.app.test_pages import button, fill, release_button, use_example, use_upload
from tests.app.test_questions import set_to, shown
from tests.conftest import assert_says


def ask(app, column, statistic, *, by=None):
    fill(app, selectbox={"Column": column, "Statistic": statistic})
    if by is not None:
        set_to(app, "selectbox", "By group", by)


def test_a_plan_and_a_release_say_that_means_tell_head_counts_too(open_page):
    use_upload(open_page)
    app = open_page("plan")
    ask(app, 0, "mean", by=0)
    button(app, "Add to plan").click().run()
    assert "releases the group sizes, too" not in shown(app)
    button(app, "Add question").click().run()
    ask(app, 1, "histogram")
    button(app, "Add to plan").click().run()
    told = shown(app).replace("\\", "")
    assert_says(
        told,
        "“mean of age by smoker” releases the group sizes, too",
        "Remove “histogram of smoker”",
    )
    # Missing ones are left out, or in "other": no group is counted in two ways.
    assert "are treated differently" not in told
    app = open_page("release")
    ask(app, 1, "histogram")
    assert "already includes the group counts" not in shown(app)
    ask(app, 0, "mean", by=0)
    release_button(app).click().run()
    next(b for b in app.button if b.label.startswith("Spend ")).click().run()
    assert "already includes the group counts" not in shown(app)
    ask(app, 1, "histogram")
    assert_says(
        shown(app),
        "“mean of age by smoker” already includes the group counts",
        "they are among its numbers on Released",
    )


def test_a_plan_says_that_imputed_values_are_counted_in_two_ways(open_page):
    use_example(open_page)
    app = open_page("plan")
    ask(app, 0, "mean", by=0)
    button(app, "Add to plan").click().run()
    button(app, "Add question").click().run()
    ask(app, 1, "histogram")
    button(app, "Add to plan").click().run()
    assert "Missing values of **health** are treated differently" in shown(app)
