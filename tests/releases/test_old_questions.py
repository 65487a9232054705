"""Questions of old ledgers: what still means the same is found again, and is free."""

from datetime import UTC, datetime

import pytest

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.number import QUERY, Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.legacy_fingerprints import earlier_fingerprint
from dpcore.data.readers.files import read
from dpcore.errors import ParameterError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.releases.declared import read_by_column
from dpcore.statistics.kinds import StatisticKind
from tests.terms import SUBSTITUTION

KEY = b"0123456789abcdef"
# The fingerprints that the tables had before cells were kept as they are written.
EARLIER = [
    (
        b"pay,region\n12.50,1\n3.125,2\nNA,1\n",
        "94102cb81b7a02c031de8fc1e721472b1bd1004fcab01bf365c55d6472cfb430",
    ),
    (
        b"pay;region\n1.234,50;a\n7,5;\n",
        "6da8d3d0c42e07905f554b68b023c5e41ba2a57d3fe77f53ccbedb3dc0d03327",
    ),
    (b"a,b\n1,x\n2,y\n", "d98aa03e50996ec367f49ad9090cde1ee8db0a5d6455a276ce155535bcabb68b"),
    (
        b"a,b\n0.1234567890123456,True\n-1e-7,False\n",
        "5c48028c3208642c5f8f5111cfd5cbdb04cfc6a07df141d891780f9ee09c6464",
    ),
    (b"a,b\n01,x\n2,NA\n", "86290bb56faaa51cf695e6abff099e240f7b2e9c0b3607164291ebfe990df9ab"),
    (
        b"a,b\n9007199254740993,x\n1e400,y\n",
        "76041e8ca1b0509cafb124405d9c5a29f9e89089be7dd5cdb246c60c8b831d51",
    ),
    (
        b'a,b\n"x, y",1\n"z",2.0\n',
        "4a49abf3db9971e6a95d1efb20d1174defd0b22cf0f6eb326a2caa6db1b637d4",
    ),
]


def opened(data):
    found = read(data)
    return Dataset(name="t", frame=found.frame, columns=found.columns)


@pytest.mark.parametrize(("data", "fingerprint"), EARLIER)
def test_a_table_is_found_again_by_its_earlier_fingerprint(data, fingerprint):
    assert earlier_fingerprint(opened(data), KEY) == fingerprint


def question(column, kind=StatisticKind.HISTOGRAM, people=3):
    query = Query(
        kind=kind,
        column=column,
        relation=SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=people, public=True),
    )
    return Request(query=query, mechanism_key="laplace", epsilon=0.5)


def region(*labels, **changes):
    return Column(
        name="region",
        kind=ColumnKind.CATEGORY,
        labels=labels,
        missing=MissingPolicy.REPLACE,
        replacement=labels[0],
        **changes,
    )


PAY = Column(
    name="pay",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=0, upper=20),
    missing=MissingPolicy.REPLACE,
    replacement=10.0,
)
YES_NO = Column(
    name="x",
    kind=ColumnKind.YES_NO,
    labels=("0", "1"),
    missing=MissingPolicy.REPLACE,
    replacement="0",
    equality=LabelEquality.AS_NUMBERS,
)
SAME = [
    question(PAY, StatisticKind.MEAN),
    question(region("north", "south")),
    question(YES_NO),
    question(
        region(
            "north",
            missing_codes=("NA", "null", "NULL", "<NA>", "nan", "NaN", "#N/A", "n/a", "N/A"),
        )
    ),
]
CHANGED = [
    question(region("1", "2")),
    question(region("1", "2", equality=LabelEquality.AS_NUMBERS)),
    question(region("DE", "NA")),
    question(region("north", missing_codes=())),
]


@pytest.mark.parametrize("request_", SAME)
def test_what_means_the_same_has_the_parameters_that_it_had(request_):
    column = request_.parameters()["query"]["column"]
    assert not column.keys() & {"equality", "missing_codes", "dates"}


@pytest.mark.parametrize("request_", CHANGED)
def test_what_means_something_else_is_another_question(request_):
    column = request_.parameters()["query"]["column"]
    assert column.keys() & {"equality", "missing_codes"}
    assert QUERY.read(request_.parameters()["query"]) == request_.query


def test_an_old_question_with_numbers_as_labels_is_not_answered_anew():
    old = question(region("1", "2")).parameters()["query"]
    del old["column"]["equality"]
    query = QUERY.read(old)
    assert query.column.equality is LabelEquality.UNSTATED
    assert QUERY.write(query) == old
    assert read_by_column({"query": old})
    table = opened(b"pay,region\n1,1\n2,2\n3,1\n")
    for equality in (LabelEquality.AS_WRITTEN, LabelEquality.AS_NUMBERS):
        declared = table.with_columns(region("1", "2", equality=equality))
        with pytest.raises(ParameterError, match="Make the question again"):
            query.value(declared)


def test_an_old_account_goes_on_and_its_answer_is_free():
    ledger = Ledger.in_memory()
    table = opened(EARLIER[0][0]).with_columns(PAY)
    name = earlier_fingerprint(table, KEY)
    ledger.open_account(name, PrivacyBudget.of(epsilon=1.0), SUBSTITUTION)
    asked = question(PAY, StatisticKind.MEAN)
    known = {"ledger": ledger, "fingerprint": name, "mode": Mode.RELEASE}
    now = datetime(2026, 1, 1, tzinfo=UTC)
    first, again = (release(asked, asked.value(table), now=now, **known) for _ in range(2))
    assert again == first
    assert ledger.account(name).spent.epsilon == first.cost.epsilon
