"""The words of the trade, each said once: plainly first, then exactly.

A page that has to explain a word takes it from here, so that it means the same
everywhere. A word may name others by writing them in [brackets].
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dpcore.errors import ParameterError

_NAMED = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryEntry:
    """A word, what it means, and where it is met.

    Attributes:
        word: The word as it stands on the pages.
        plain: What it means, in one or two sentences without symbols.
        exact: The same as the field writes it, with its symbols; may be empty.
        page: The file in ``pages`` on which one sees it at work, without ``.py``.
        source: Who introduced it or where it is defined; may be empty.
        also: Other names of the same.

    """

    word: str
    plain: str
    exact: str = ""
    page: str
    source: str = ""
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names of it, the one of the pages first."""
        return (self.word, *self.also)

    @property
    def named(self) -> tuple[str, ...]:
        """Return the other words that it is explained by."""
        return tuple(_NAMED.findall(self.plain + self.exact))


def without_brackets(text: str) -> str:
    """Return a text of a term as it is read.

    >>> without_brackets("Noise of a [mechanism].")
    'Noise of a mechanism.'
    """
    return _NAMED.sub(r"\1", text)


_DWORK = "Dwork, McSherry, Nissim and Smith 2006"
_BUN = "Bun and Steinke 2016"
_WANG = "Wang 2019"
_TERMS: Final = (
    GlossaryEntry(
        word="ε (epsilon)",
        also=("epsilon", "privacy loss parameter"),
        plain="How much one person can change the odds of anything that is published, "
        "at most. The smaller, the better a person is hidden and the noisier the "
        "answer.",
        exact="For all [neighboring tables] and all sets of answers: P(answer from "
        "one) ≤ e^ε · P(answer from the other).",
        page="meaning",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="δ (delta)",
        also=("delta",),
        plain="A small chance that the promise of [ε (epsilon)] fails for a person. It "
        "has to be far below one in the number of people.",
        exact="P(answer from one) ≤ e^ε · P(answer from the other) + δ.",
        page="meaning",
        source="Dwork, Kenthapadi, McSherry, Mironov and Naor 2006",
    ),
    GlossaryEntry(
        word="ρ (rho)",
        also=("rho",),
        plain="Another way to count a [budget], in which many questions with Gaussian "
        "noise add up more cheaply. It is turned into [ε (epsilon)] and [δ (delta)] "
        "for people to read.",
        exact="The level of [zCDP].",
        page="budget",
        source=_BUN,
    ),
    GlossaryEntry(
        word="zCDP",
        also=("zero-concentrated differential privacy",),
        plain="A promise like that of ε and δ, for which costs simply add up.",
        exact="All Rényi divergences of order α between answers from [neighboring "
        "tables] are at most ρα.",
        page="standard_errors",
        source=_BUN,
    ),
    GlossaryEntry(
        word="differential privacy",
        also=("DP",),
        plain="A property of the way in which a number is published: whether any one "
        "person took part hardly changes what is likely to come out.",
        exact="See [ε (epsilon)] and [δ (delta)].",
        page="meaning",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="neighboring tables",
        also=("neighbors", "neighboring relation"),
        plain="Two tables that differ in one person. What is promised is promised for "
        "every such pair.",
        exact="By [add or remove] or by [replace one]; with several rows a person, in "
        "all of a person's rows.",
        page="data",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="add or remove",
        also=("add/remove", "unbounded"),
        plain="One person more or less. How many people there are is secret, too, and "
        "must be asked for.",
        page="data",
    ),
    GlossaryEntry(
        word="replace one",
        also=("bounded", "swap"),
        plain="One person is exchanged for anybody else. How many people there are is public.",
        page="data",
    ),
    GlossaryEntry(
        word="unit of protection",
        also=("unit of privacy",),
        plain="Whose data may be exchanged unnoticed: a row, a person with several "
        "rows, a household.",
        page="data",
    ),
    GlossaryEntry(
        word="privacy loss",
        plain="How much one answer, once it is out, moved the odds that a certain "
        "person took part.",
        exact="ln(P(answer with the person) / P(answer without)).",
        page="privacy_loss",
    ),
    GlossaryEntry(
        word="per-instance privacy loss",
        also=("pDP", "per-instance differential privacy", "own loss"),
        plain="What a certain person in this very table really loses at most, instead "
        "of anybody in any table. It is computed from the data, so that it must not be "
        "shown to others.",
        exact="The smallest ε for the pair of this table and the one without the "
        "person (or with another one).",
        page="privacy_loss",
        source=_WANG,
    ),
    GlossaryEntry(
        word="privacy profile",
        plain="Every pair of ε and δ that a way of publishing keeps, as one curve: for "
        "a larger ε the δ is smaller.",
        exact="δ(ε) = sup over neighbors and sets of P(S) − e^ε Q(S).",
        page="meaning",
        source="Balle, Barthe and Gaboardi 2018",
    ),
    GlossaryEntry(
        word="sensitivity",
        also=("global sensitivity",),
        plain="How far one person can move the exact answer, at most, over all tables "
        "within the [bounds]. Noise is measured by it.",
        exact="Δ = max |f(one) − f(other)| over [neighboring tables].",
        page="sensitivity",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="local sensitivity",
        plain="How far one person can move the exact answer in this very table. It "
        "tells about the table, so that noise must not be measured by it.",
        page="sensitivity",
        source="Nissim, Raskhodnikova and Smith 2007",
    ),
    GlossaryEntry(
        word="bounds",
        plain="The least and the largest value that counts. They are chosen from what "
        "everybody knows, never from the table.",
        page="data",
    ),
    GlossaryEntry(
        word="clamp",
        also=("clip", "clamped"),
        plain="To count a value beyond the [bounds] as the nearest bound. It limits "
        "what a person can do to the answer, and may shift it.",
        exact="min(max(x, lower), upper).",
        page="data",
    ),
    GlossaryEntry(
        word="mechanism",
        plain="A recipe that turns an exact answer into a random one that may be published.",
        page="accuracy",
    ),
    GlossaryEntry(
        word="noise",
        plain="A random amount that is drawn for an answer and added to it, so that "
        "nobody can tell from the answer who is in the table. How it is drawn is "
        "public; what was drawn is not.",
        page="lab",
    ),
    GlossaryEntry(
        word="Laplace noise",
        also=("Laplace mechanism",),
        plain="Noise that is most often small and seldom large, whose typical size is "
        "the [scale]. It keeps ε without any δ.",
        exact="Density e^(−|z|/b) / (2b) with b = Δ/ε.",
        page="lab",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="Gaussian noise",
        also=("Gaussian mechanism",),
        plain="Noise by the bell curve. It needs a δ, and is the better choice for "
        "many numbers at once.",
        exact="Standard deviation from the exact [privacy profile].",
        page="accuracy",
        source="Balle and Wang 2018",
    ),
    GlossaryEntry(
        word="scale",
        plain="The typical size of the noise, in the unit of the answer.",
        exact="b of [Laplace noise]; its standard deviation is √2 · b.",
        page="lab",
    ),
    GlossaryEntry(
        word="truncated Laplace",
        plain="Laplace noise that is drawn anew until the answer lies within the "
        "[bounds]. With the usual [scale] it breaks the promise; the studio widens it.",
        exact="At scale Δ/ε it gives more than ε, and less than 2ε; the corrected "
        "scale is found numerically.",
        page="accuracy",
        source="Liu 2016",
    ),
    GlossaryEntry(
        word="boundary-inflated truncation",
        also=("BIT", "BIT Laplace"),
        plain="Laplace noise whose answers beyond the [bounds] are set to the bound. "
        "It keeps the promise of plain Laplace noise; answers near a bound are "
        "shifted.",
        exact="A point mass at each bound, the Laplace density between them.",
        page="accuracy",
        source="Liu 2016",
    ),
    GlossaryEntry(
        word="bias",
        plain="How far answers are off on average. It does not go away with more draws.",
        exact="E(answer) − truth.",
        page="accuracy",
    ),
    GlossaryEntry(
        word="variance",
        plain="How much answers scatter around their own average, squared.",
        exact="E((answer − E(answer))²).",
        page="accuracy",
    ),
    GlossaryEntry(
        word="mean squared error",
        also=("MSE",),
        plain="The average squared distance of an answer to the truth: [bias] squared "
        "and [variance] together.",
        exact="Bias² + variance; its root, the RMSE, is in the unit of the answer.",
        page="accuracy",
    ),
    GlossaryEntry(
        word="interval",
        also=("confidence interval",),
        plain="A range that holds the exact answer in so many of 100 releases as is "
        "said beside it. The statement on the page names what it is about: this table, "
        "or the people it was drawn from.",
        page="release",
    ),
    GlossaryEntry(
        word="half-width",
        plain="The ± of an [interval]: how far it reaches to either side.",
        page="plan",
    ),
    GlossaryEntry(
        word="release",
        plain="To draw an answer once with secure noise, charge it to the [budget], "
        "and write it into the [ledger]. It cannot be taken back.",
        page="release",
    ),
    GlossaryEntry(
        word="budget",
        also=("privacy budget",),
        plain="How much may be given away about any one person in all, over all "
        "answers. When it is used up, nothing more is released.",
        page="plan",
    ),
    GlossaryEntry(
        word="ledger",
        plain="The list of all that was released from a table and what it cost, in "
        "which nothing can be changed unnoticed.",
        page="budget",
    ),
    GlossaryEntry(
        word="composition",
        plain="How the costs of several answers add up. Simply adding is always right; "
        "finer ways may show that the total is less.",
        exact="Basic, advanced, [zCDP], and [privacy loss distribution].",
        page="budget",
    ),
    GlossaryEntry(
        word="privacy loss distribution",
        also=("PLD",),
        plain="How likely each size of [privacy loss] is. With it the costs of many "
        "answers are added up as exactly as a computer can.",
        page="budget",
        source="Meiser and Mohammadi 2018; Koskela, Jälkö and Honkela 2020",
    ),
    GlossaryEntry(
        word="post-processing",
        plain="Whatever is done with a released answer alone, without looking at the "
        "table again. It costs nothing.",
        page="synthetic_data",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="public",
        plain="Known before anybody looked at the table, or released and paid for, or "
        "following from such numbers alone.",
        page="lessons",
    ),
    GlossaryEntry(
        word="confidential",
        also=("badge", "curator only"),
        plain="Computed from the table without noise. It stays with the [curator]: no "
        "export, no link, no paper has it.",
        page="privacy_loss",
    ),
    GlossaryEntry(
        word="curator", plain="Whoever keeps the table and may look into it.", page="data"
    ),
    GlossaryEntry(
        word="attacker",
        plain="Somebody who wants to find out about one person from what is released, "
        "and may know everybody else's rows and how the noise is drawn. The promise "
        "holds against all of them.",
        page="attacks",
    ),
    GlossaryEntry(
        word="false alarm",
        plain="An attacker says that a person took part who did not.",
        page="meaning",
    ),
    GlossaryEntry(
        word="detection", plain="An attacker says that a person took part who did.", page="meaning"
    ),
    GlossaryEntry(
        word="advantage",
        plain="How much more often an attacker is right about those who took part than "
        "wrong about those who did not.",
        exact="The largest difference of [detection] and [false alarm].",
        page="meaning",
    ),
    GlossaryEntry(
        word="Poisson sampling",
        also=("Bernoulli sampling",),
        plain="Each person is taken into the sample by a coin of its own. If who was "
        "taken stays secret, the answer costs less.",
        page="subsampling",
    ),
    GlossaryEntry(
        word="amplification by sampling",
        plain="An answer from a secret sample gives away less, since nobody can be "
        "sure to be in it.",
        exact="With a share q: ln(1 + q(e^ε − 1)), for the relation that fits the way of sampling.",
        page="subsampling",
        source="Balle, Barthe and Gaboardi 2018",
    ),
    GlossaryEntry(
        word="bootstrap",
        plain="To draw people from the table again and again, with repetition, and see "
        "how the answer scatters. By itself it protects nobody.",
        page="standard_errors",
        source="Efron 1979",
    ),
    GlossaryEntry(
        word="resized bootstrap",
        plain="A bootstrap of fewer people than the table has. The privacy that was "
        "published for it does not hold; the studio shows both and releases only what "
        "holds.",
        page="resized",
    ),
    GlossaryEntry(
        word="standard error",
        plain="How much an answer would scatter if the people had been drawn anew.",
        page="standard_errors",
    ),
    GlossaryEntry(
        word="leverage",
        plain="How unusual a person's features are, and so how much the person pulls a regression.",
        exact="x' H⁻¹ x with H the fit's curvature.",
        page="regression",
    ),
    GlossaryEntry(
        word="residual",
        plain="How far a person's value lies from what the regression predicts.",
        exact="y − x'θ.",
        page="regression",
    ),
    GlossaryEntry(
        word="ridge",
        also=("ridge regression", "penalty"),
        plain="A regression that is held back from extreme coefficients, so that one "
        "person moves them less.",
        exact="Adds λ‖θ‖² to the sum of squared residuals.",
        page="regression",
    ),
    GlossaryEntry(
        word="posterior sample",
        plain="One random draw of a model's coefficients, likelier where they fit "
        "better. The draw itself is the noise.",
        exact="θ ~ N(fit, (γH)⁻¹).",
        page="privacy_loss",
        source=_WANG,
    ),
    GlossaryEntry(
        word="quantile",
        also=("median",),
        plain="The value below which a given share of the people lies; the median is "
        "that of one half.",
        page="release",
    ),
    GlossaryEntry(
        word="histogram",
        plain="How many people there are in each of several ranges or categories, "
        "which must be fixed without looking.",
        page="release",
    ),
    GlossaryEntry(
        word="audit",
        plain="To draw from a mechanism many times and look whether it gives away more "
        "than it promised. It may refute a promise, never prove one.",
        page="audit",
    ),
    GlossaryEntry(
        word="made-up table",
        also=("synthetic table",),
        plain="Rows of people who do not exist, made from released counts alone. It "
        "keeps those counts and little else.",
        page="synthetic_data",
    ),
    GlossaryEntry(
        word="best split",
        plain="How to share a [budget] among questions so that the errors that people "
        "can bear are met as well as possible.",
        page="plan",
    ),
    GlossaryEntry(
        word="period",
        plain="A time with a limit of its own inside a [budget], such as a quarter.",
        page="budget",
    ),
)


TERMS: Final = tuple(sorted(_TERMS, key=lambda term: term.word.casefold()))
"""All words, by the alphabet."""
_NAMES: Final = {name.casefold(): term for term in TERMS for name in term.names}


def term(name: str) -> GlossaryEntry:
    """Return the word of a name, in capitals or not.

    Raises:
        ParameterError: The glossary has no such word.

    >>> term("BIT").word
    'boundary-inflated truncation'

    """
    found = _NAMES.get(name.strip().casefold())
    if found is None:
        raise ParameterError(f"the glossary has no word “{name}”.")
    return found


def matching(text: str) -> tuple[GlossaryEntry, ...]:
    """Return the words in whose names, or else in whose meaning, a text occurs.

    >>> [found.word for found in matching("clip")]
    ['clamp']
    """
    part = text.strip().casefold()
    named = [one for one in TERMS if any(part in name.casefold() for name in one.names)]
    meant = [one for one in TERMS if part in without_brackets(one.plain).casefold()]
    return tuple(named or meant)


def mentioned(text: str) -> tuple[GlossaryEntry, ...]:
    """Return the words that a text uses, in the order of their first use.

    A word counts under each of its names, with or without a plural's s, and only where
    it is not a part of a longer one that counts.

    >>> [found.word for found in mentioned("The budget holds zCDP and two releases.")]
    ['budget', 'zCDP', 'release']
    """
    found = (_NAMES[_name(match)] for match in _ANY.finditer(text))
    return tuple(dict.fromkeys(found))


def _name(match: re.Match[str]) -> str:
    name = match["name"].casefold()
    return _SYMBOLS.get(name, name)


_SYMBOLS: Final = {one.word[0]: one.word.casefold() for one in TERMS if one.word[1:3] == " ("}
# The longest first: "resized bootstrap" is not one more "bootstrap".
_SPELLED = sorted((*_NAMES, *_SYMBOLS), key=len, reverse=True)
_ANY: Final = re.compile(
    rf"(?<!\w)(?P<name>{'|'.join(map(re.escape, _SPELLED))})s?(?!\w)", re.IGNORECASE
)
