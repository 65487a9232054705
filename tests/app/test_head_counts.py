"""Head counts that come with means are said before they are paid for again."""

from tests.app.test_pages import button, by_label, fill, release_button, use_upload
from tests.app.test_questions import shown
from tests.app.test_several_means import choose
from tests.conftest import assert_says


def ask(app, column, statistic, *, by=None):
    fill(app, selectbox={"Column": column, "Statistic": statistic})
    if by is not None:
        choose(app, "By group", by)


def test_a_plan_and_a_release_say_that_means_tell_head_counts_too(open_page):
    use_upload(open_page)
    app = open_page("plan")
    ask(app, 0, "mean", by=0)
    button(app, "Add to plan").click().run()
    assert "asks how many are in each group" not in shown(app)
    ask(app, 1, "histogram")
    button(app, "Add to plan").click().run()
    told = shown(app)
    assert_says(
        told,
        "“histogram of smoker” asks how many are in each group",
        "“mean of age by smoker” tells that, too",
        "Who has no value of **smoker** is not in the same place",
    )
    app = open_page("release")
    ask(app, 1, "histogram")
    assert "has told how many are in each group" not in shown(app)
    ask(app, 0, "mean", by=0)
    release_button(app).click().run()
    next(b for b in app.button if b.label.startswith("Spend ")).click().run()
    assert "has told how many are in each group" not in shown(app)
    ask(app, 1, "histogram")
    assert_says(
        shown(app),
        "“mean of age by smoker” has told how many are in each",
        "they are among its numbers on Ledger",
    )


def test_a_size_of_groups_is_asked_for_where_the_question_is_added(open_page):
    use_upload(open_page)
    app = open_page("plan")
    ask(app, 0, "mean")
    asked = "A group of how many?"
    assert asked not in [box.label for box in app.number_input]
    ask(app, 0, "mean", by=0)
    by_label(app.number_input, asked).set_value(350).run()
    assert "of a group of 350" in shown(app)
    button(app, "Add to plan").click().run()
    frames = [frame.value for frame in app.dataframe]
    (row,) = next(f for f in frames if "± is of" in f)["± is of"]
    assert row == "a group of 350"
