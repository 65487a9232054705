"""Every word is said once, by words that the glossary has, too."""

import pytest

from dpcore.errors import ParameterError
from dpcore.glossary import TERMS, matching, term, without_brackets
from tests.registry import NAMES


def test_no_two_words_share_a_name():
    names = [name.casefold() for one in TERMS for name in one.names]
    assert sorted(names) == sorted(set(names))


def test_a_word_is_explained_plainly_by_others_that_are_there_and_met_on_a_page():
    for one in TERMS:
        assert one not in map(term, one.named)
        assert one.page in NAMES, one.word
        assert one.plain.endswith("."), one.word
        assert "[" not in without_brackets(one.plain + one.exact), one.word
        assert not set("=≤·√∑Δ‖") & set(one.plain), one.word


def test_every_name_leads_to_its_word_in_capitals_or_not():
    for one in TERMS:
        for name in one.names:
            assert term(f" {name.upper()} ") is one
            assert one in matching(name)


def test_words_are_looked_for_in_meanings_where_no_name_has_them():
    assert [one.word for one in matching("household")] == ["privacy unit"]
    assert matching("") == TERMS
    assert matching("nothing like it") == ()
    with pytest.raises(ParameterError, match="no word “nothing like it”"):
        term("nothing like it")
