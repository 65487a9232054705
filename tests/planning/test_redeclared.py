"""Planned questions follow what is declared now, once somebody says so."""

from dataclasses import replace

import pytest

from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.redeclared import Declared, adopted, changes, redeclared
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.planning.planned import ALL, PEOPLE, of_age
from tests.releases.questions import AGE, apart, asked, crossed, labels, means, terms
from tests.statistics.columns import yes_no
from tests.terms import SUBSTITUTION

REQUESTS = ALL | {
    "difference": apart(),
    "means": means(),
    "crossed": crossed(columns=(labels("color", "a", "b"), yes_no()), people=PEOPLE),
    "half": SubsampledRequest(
        query=of_age().query, law="laplace", epsilon=1.0, share=0.5, people=PEOPLE
    ),
    "few": ResizedRequest(query=of_age().query, draws=PEOPLE // 4),
}
del REQUESTS["model"]
"""Questions about the columns of ``declared``, to so many people."""


def declared(*changed, people=PEOPLE, relation=SUBSTITUTION, unit=None):
    """How a table is declared, but for columns that have changed."""
    columns = {
        column.name: column for request in REQUESTS.values() for column in request.asked.columns
    } | {column.name: column for column in changed}
    public = relation is SUBSTITUTION

    def column(name):
        if name not in columns:
            raise ParameterError(f"there is no column {name!r}.")
        return columns[name]

    return Declared(
        column=column,
        relation=relation,
        unit=unit or PrivacyUnit(),
        size=lambda *_: TableSize(people=people, public=public),
    )


WIDER = replace(AGE, bounds=Interval(lower=0, upper=400))


@pytest.mark.parametrize("name", REQUESTS)
def test_next_quarter_asks_the_same_of_other_people(name):
    request = REQUESTS[name]
    later = redeclared(request, declared(people=PEOPLE + 2))
    assert later.epsilon == request.epsilon
    assert later.title == request.title
    size = getattr(request.asked, "size", None)
    if size is not None and size.public:
        assert later.asked.size == TableSize(people=PEOPLE + 2, public=True)
        (one,) = changes([PlannedQuery.of(request)], declared(people=PEOPLE + 2))
        assert "it was asked of 812 people, now of 814 people" in one.told
        assert one.now.request == replace(later, draw=1)
    else:
        assert later == request
    # And back again it is the question of before.
    assert redeclared(later, declared()) == request


def test_bounds_and_people_without_a_value_are_told():
    low = replace(AGE, bounds=Interval(lower=0, upper=50), replacement=25.0)
    (one,) = changes([PlannedQuery.of(of_age())], declared(low))
    assert one.told == (
        "bounds of age: 0 to 100, now 0 to 50",
        f"missing age counts as {AGE.replacement:g}, now counts as 25",
    )
    assert one.now.request.asked.column == low
    assert one.now.width.half == pytest.approx(one.item.width.half / 2, rel=1e-6)


def test_public_sizes_of_groups_cannot_be_taken_over():
    group = labels("region", "north", "south")
    query = JointQuery(
        kind=StatisticKind.POOLED_VARIANCE,
        numbers=(AGE,),
        group=Grouping.of(group),
        groups=GroupSizes(sizes=(400, 412)),
        **terms(PEOPLE),
    )
    (one,) = changes([PlannedQuery.of(asked(query, "laplace"))], declared(group))
    assert one.now is None
    assert "public group sizes" in one.told[0]
    private = replace(query, groups=GroupSizes(sizes=(812, 0, 0), labels_public=False))
    later = redeclared(asked(private, "laplace"), declared(group, people=900))
    assert later.query.groups.people == 900


def test_two_questions_that_become_one_are_asked_once():
    wide = asked(replace(of_age().query, column=WIDER), "laplace")
    plan = AnalysisPlan(items=(PlannedQuery.of(of_age()), PlannedQuery.of(wide).at(0.2)))
    found = adopted(plan, changes(plan.items, declared(WIDER)))
    assert [item.epsilon for item in found.items] == [1.0]
    assert found.items[0].request.query.column == WIDER
