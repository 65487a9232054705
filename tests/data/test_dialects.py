import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.dialects import PREFIX_BYTES, Dialect, sniff
from dpcore.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal", "thousands"),
    [
        ("a,b\n1,2\n", ",", ".", ""),
        ("a;b\n1;2\n", ";", ".", ""),
        ("a\tb\n1\t2\n", "\t", ".", ""),
        ("a;b\n1,5;2,25\n", ";", ",", ""),
        ("a\tb\n1,5\tx\n", "\t", ",", ""),
        ('a,b\n"1,000",2\n', ",", ".", ","),
        ("a;b\n1,000;2.5\n", ";", ".", ","),
        ("a;b\n1.000;2,5\n", ";", ",", "."),
        ("a;b\n1.000;2\n", ";", ",", "."),
        ("a;b\n1,234;2\n", ";", ",", ""),
        ("a\tb\n1,234\t2\n", "\t", ".", ","),
        ("a,b\n1.234,2\n", ",", ".", ""),
        ("a;b\n0.123;2\n", ";", ".", ""),
        ("a;b\n1 000,5;2\n", ";", ",", " "),
        ("a;b\n1\u00a0000;2\n", ";", ".", " "),
        ("a,b\n1'000,2.5\n", ",", ".", "'"),
        ("a;b\n1.234.567;2\n", ";", ",", "."),
        ("a;b\n01.02.2020;1.2.3\n", ";", ".", ""),
        ('a;"b,c,d"\n1;2\n', ";", ".", ""),
        ('a,b\n"x;y;z",1\n"x;y;z",2\n', ",", ".", ""),
        ("a,b\n1,2,3\n4,5,6\n", ",", ".", ""),
        ("a\n1\n", ",", ".", ""),
        ("", ",", ".", ""),
    ],
)
def test_marks_are_told_apart(text, delimiter, decimal, thousands):
    expected = Dialect(delimiter=delimiter, decimal=decimal, thousands=thousands)
    assert sniff(text.encode()) == expected


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"a\n1\n", "utf-8"),
        ("ä\n1\n".encode(), "utf-8"),
        ("ä\n1\n".encode("utf-8-sig"), "utf-8-sig"),
        ("ä\n1\n".encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + "ä\n1\n".encode("utf-16-be"), "utf-16"),
        ("ä\n1\n".encode("cp1252"), "cp1252"),
        (b"\x81\n1\n", "latin-1"),
    ],
)
def test_encoding_is_told(data, encoding):
    assert sniff(data).encoding == encoding


def test_only_the_beginning_counts_and_may_end_within_a_character():
    line = "ä,b\n".encode()
    data = b"x" + line * (PREFIX_BYTES // len(line) + 5)
    for given_data in (data, data[:PREFIX_BYTES]):
        assert sniff(given_data).encoding == "utf-8"
    late = b"a,b\n" * (PREFIX_BYTES // 4) + b"\xe4;1\n" * 10
    assert sniff(late) == Dialect()


@settings(deadline=None, max_examples=200)
@given(data=st.binary(max_size=200))
def test_any_bytes_have_a_dialect(data):
    assert isinstance(sniff(data), Dialect)


@pytest.mark.parametrize(
    "wrong",
    [
        {"encoding": "klingon"},
        {"delimiter": "x"},
        {"decimal": ";"},
        {"thousands": "_"},
        {"decimal": ",", "thousands": ","},
    ],
)
def test_impossible_dialect_is_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Dialect(**wrong)
