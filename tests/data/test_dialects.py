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
        ("a|b\n1|2\n", "|", ".", ""),
        ("a  b\n1  2.5\n 3\t4\n", " ", ".", ""),
        ("a b\n1 2,5\n3 4,25\n", " ", ",", ""),
        ("full name\nAnna Li\nBo Wu\n", ",", ".", ""),
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
        ("ä\n1\n".encode("utf-16-le"), "utf-16-le"),
        ("ä\n1\n".encode("utf-16-be"), "utf-16-be"),
        ("ä\n1\n".encode("cp1252"), "cp1252"),
    ],
)
def test_encoding_is_told(data, encoding):
    assert sniff(data).encoding == encoding


TEXTS = {
    "German": "Name;Ort;Größe\nMüller;Köln;1,85\nSchäfer;Düsseldorf;1,60\n",
    "French": "nom;ville\nÉlodie;Orléans\nFrançois;Besançon\nHélène;Nîmes\n",
    "Spanish": "niño;señor\nMuñoz;Peña\nJosé;Málaga\n",
    "Czech": "jméno;věk\nŘehoř;30\nŽofie;41\nJiří;22\nVáclav;55\n",
    "Polish": "imię;miasto\nŁukasz;Łódź\nZdzisława;Kraków\nMałgorzata;Gdańsk\n",
    "Turkish": "adı;şehir\nAyşe;İstanbul\nOğuz;Eskişehir\nIşık;Muğla\n",
    "Russian": "имя;город\nАнна;Москва\nИван;Казань\n",
    "Greek": "όνομα;πόλη\nΓιώργος;Αθήνα\nΜαρία;Θεσσαλονίκη\n",
    "Japanese": "名前,都市\n田中太郎,東京\n鈴木花子,大阪\n",
    "Chinese": "姓名,城市\n张伟,北京\n李娜,上海\n",
    "prices": "preis\n5 €\n6 €\nœuvre\n",
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("German", "cp1252"),
        ("German", "mac-roman"),
        ("German", "latin-1"),
        ("French", "cp1252"),
        ("French", "mac-roman"),
        ("Spanish", "cp1252"),
        ("Spanish", "mac-roman"),
        ("Czech", "cp1250"),
        ("Czech", "iso8859-2"),
        ("Polish", "cp1250"),
        ("Polish", "iso8859-2"),
        ("Turkish", "cp1254"),
        ("Russian", "cp1251"),
        ("Greek", "cp1253"),
        ("Japanese", "cp932"),
        ("Chinese", "gb18030"),
        ("prices", "cp1252"),
        ("prices", "iso8859-15"),
        *((language, "utf-8") for language in TEXTS),
        *((language, "utf-16-le") for language in ("German", "French")),
    ],
)
@pytest.mark.parametrize("before", [0, 2 * PREFIX_BYTES])
def test_text_of_any_language_is_decoded_as_it_was_written(language, encoding, before):
    """Also behind many lines of ASCII, which say nothing of the rest."""
    text = "id,name\n" * (before // 8) + TEXTS[language]
    assert text.encode(encoding).decode(sniff(text.encode(encoding)).encoding) == text


def test_a_sample_that_ends_within_a_character_is_decoded():
    line = "ä,b\n".encode()
    data = b"x" + line * (PREFIX_BYTES // len(line) + 5)
    for given_data in (data, data[:PREFIX_BYTES]):
        assert sniff(given_data).encoding == "utf-8"
    long = "名前都市田中太郎東京".encode("cp932") * PREFIX_BYTES
    assert sniff(b"x," + long).encoding == "cp932"


@pytest.mark.parametrize(
    ("before", "skipped"),
    [("", 0), ("Visits in May\n", 1), ("Visits in May\nsource: ward\n\n", 3), ("# comment\n", 1)],
)
def test_lines_of_titles_are_proposed_to_be_skipped(before, skipped):
    table = "age;ward;pay\n31;east;5\n45;west;6\n12;west;7\n"
    assert sniff(f"{before}{table}".encode()).skipped == skipped


def test_a_row_of_the_table_is_not_taken_for_its_header():
    for text in ("a,b\nx,y,z\nu,v,w\n", "a\n1,2,3\n4,5,6\n", "a,b,c\nx,y,z\n"):
        assert sniff(text.encode()).skipped == 0


@settings(deadline=None, max_examples=200)
@given(data=st.binary(max_size=200))
def test_any_bytes_have_a_dialect(data):
    assert isinstance(sniff(data), Dialect)


@pytest.mark.parametrize(
    "wrong",
    [
        {"encoding": "klingon"},
        {"delimiter": '"'},
        {"delimiter": "::"},
        {"delimiter": ""},
        {"decimal": ";"},
        {"thousands": "_"},
        {"decimal": ",", "thousands": ","},
    ],
)
def test_impossible_dialect_is_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Dialect(**wrong)
