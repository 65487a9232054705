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
        plain="The limit on how much one person's data can change the odds of any "
        "published result. A smaller ε means stronger privacy and more noise.",
        exact="For all [neighboring datasets] D, D′ and all sets of results S: P(M(D) ∈ "
        "S) ≤ e^ε · P(M(D′) ∈ S).",
        page="meaning",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="δ (delta)",
        also=("delta",),
        plain="A small probability with which the guarantee of [ε (epsilon)] may fail. It "
        "should be far below 1 divided by the number of people.",
        exact="P(M(D) ∈ S) ≤ e^ε · P(M(D′) ∈ S) + δ.",
        page="meaning",
        source="Dwork, Kenthapadi, McSherry, Mironov and Naor 2006",
    ),
    GlossaryEntry(
        word="ρ (rho)",
        also=("rho",),
        plain="Another unit for a [privacy budget], in which many releases with Gaussian "
        "noise add up to less. It is converted to [ε (epsilon)] and [δ (delta)] for "
        "reading.",
        exact="The parameter of [zCDP].",
        page="budget",
        source=_BUN,
    ),
    GlossaryEntry(
        word="zCDP",
        also=("zero-concentrated differential privacy",),
        plain="A privacy definition under which the costs of several releases are simply added.",
        exact="All Rényi divergences of order α between results from [neighboring "
        "datasets] are at most ρα.",
        page="standard_errors",
        source=_BUN,
    ),
    GlossaryEntry(
        word="differential privacy",
        also=("DP",),
        plain="A property of a way to publish results. Whether any one person takes part "
        "hardly changes which results are likely.",
        exact="See [ε (epsilon)] and [δ (delta)].",
        page="meaning",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="neighboring datasets",
        also=("neighboring tables", "neighbors", "neighboring relation"),
        plain="Two datasets that differ in one person. The guarantee holds for every such pair.",
        exact="By [add or remove] or by [substitution]. If a person has several rows, "
        "they differ in all rows of that person.",
        page="data",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="add or remove",
        also=("add/remove", "unbounded"),
        plain="One person is added to the dataset or removed from it. The number of "
        "people is then private and costs [ε (epsilon)] to release.",
        page="data",
    ),
    GlossaryEntry(
        word="substitution",
        also=("replace one", "bounded", "swap"),
        plain="One person's record is replaced by any other record. The number of people "
        "is then public.",
        page="data",
    ),
    GlossaryEntry(
        word="privacy unit",
        also=("unit of protection", "unit of privacy"),
        plain="What the guarantee protects: one row, one person with all rows, or one household.",
        page="data",
    ),
    GlossaryEntry(
        word="privacy loss",
        plain="How much one published result changes the odds that a certain person took part.",
        exact="ln(P(answer with the person) / P(answer without)).",
        page="privacy_loss",
    ),
    GlossaryEntry(
        word="privacy loss per person",
        also=("per-instance privacy loss", "pDP", "per-instance differential privacy", "own loss"),
        plain="The largest privacy loss of one particular person in this dataset. The "
        "guarantee covers every person in every dataset. The loss is computed from "
        "the data and must stay confidential.",
        exact="The smallest ε for the pair of this dataset and the dataset without the "
        "person, or with another record.",
        page="privacy_loss",
        source=_WANG,
    ),
    GlossaryEntry(
        word="privacy profile",
        plain="The curve of all pairs of ε and δ that a mechanism satisfies. A larger ε "
        "goes with a smaller δ.",
        exact="δ(ε) = sup over neighbors and sets of P(S) − e^ε Q(S).",
        page="meaning",
        source="Balle, Barthe and Gaboardi 2018",
    ),
    GlossaryEntry(
        word="sensitivity",
        also=("global sensitivity",),
        plain="The most that one person can change the exact result, over all datasets "
        "within the [bounds]. The noise is proportional to it.",
        exact="Δ = max |f(one) − f(other)| over [neighboring tables].",
        page="sensitivity",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="local sensitivity",
        plain="The most that one person can change the exact result in this particular "
        "dataset. It depends on the data, so noise in proportion to it breaks the "
        "guarantee.",
        page="sensitivity",
        source="Nissim, Raskhodnikova and Smith 2007",
    ),
    GlossaryEntry(
        word="bounds",
        plain="The smallest and largest value that a column may have. They come from "
        "public knowledge or from [private bounds], never from a look at the data.",
        page="data",
    ),
    GlossaryEntry(
        word="private bounds",
        also=("bounds found at a cost", "approximate bounds"),
        plain="[Bounds] that a release finds in the data, for a part of the [privacy "
        "budget]. They are public, like every released result.",
        exact="Noisy counts in bins from 1, 2, 5 and 10 times powers of 10. The outermost "
        "bins above a threshold give the bounds.",
        page="data",
        source="Wilson and others 2020",
    ),
    GlossaryEntry(
        word="clamping",
        also=("clamp", "clip", "clamped"),
        plain="Setting values outside the [bounds] to the nearest bound. It limits what "
        "one person can change, and may bias the result.",
        exact="min(max(x, lower), upper).",
        page="data",
    ),
    GlossaryEntry(
        word="mechanism",
        plain="A procedure that turns an exact result into a random one that may be published.",
        page="accuracy",
    ),
    GlossaryEntry(
        word="noise",
        plain="A random amount added to a result, which hides whether any one person is "
        "in the data. Its distribution is public, the amount is not.",
        page="lab",
    ),
    GlossaryEntry(
        word="Laplace noise",
        also=("Laplace mechanism",),
        plain="Noise that is usually small and rarely large. Its typical size is the "
        "[scale]. It satisfies ε without any δ.",
        exact="Density e^(−|z|/b) / (2b) with b = Δ/ε.",
        page="lab",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="Gaussian noise",
        also=("Gaussian mechanism",),
        plain="Noise with a normal distribution. It needs a δ and is more accurate when "
        "many results are released together.",
        exact="Standard deviation from the exact [privacy profile].",
        page="accuracy",
        source="Balle and Wang 2018",
    ),
    GlossaryEntry(
        word="scale",
        plain="The typical size of the noise, in the unit of the result.",
        exact="b of [Laplace noise]; its standard deviation is √2 · b.",
        page="lab",
    ),
    GlossaryEntry(
        word="truncated Laplace",
        plain="Laplace noise, redrawn until the result lies within the [bounds]. At the "
        "usual [scale] it breaks the guarantee. The studio uses a larger scale.",
        exact="At scale Δ/ε the actual loss lies between ε and 2ε. The corrected scale is "
        "found numerically.",
        page="accuracy",
        source="Liu 2016",
    ),
    GlossaryEntry(
        word="boundary-inflated truncation",
        also=("BIT", "BIT Laplace"),
        plain="Laplace noise whose results outside the [bounds] are set to the bound. It "
        "keeps the guarantee of Laplace noise. Results near a bound are biased.",
        exact="A point mass at each bound and the Laplace density between them.",
        page="accuracy",
        source="Liu 2016",
    ),
    GlossaryEntry(
        word="BIT Gaussian",
        plain="Gaussian noise whose results outside the [bounds] are set to the bound. It needs "
        "the same noise as [Gaussian noise].",
        exact="Clamping is post-processing, so the [privacy profile] is no larger.",
        page="accuracy",
        source="Liu 2016",
    ),
    GlossaryEntry(
        word="truncated Gaussian",
        also=("bounded Gaussian",),
        plain="Gaussian noise, redrawn until the result lies within the [bounds]. Unlike "
        "[truncated Laplace], it needs no more noise than without bounds.",
        exact="With more noise it satisfies ε without δ on finite bounds (bounded Gaussian).",
        page="accuracy",
        source="Chen and Hale 2022; Gopi, Lee and Liu 2022",
    ),
    GlossaryEntry(
        word="limited Laplace",
        plain="Laplace noise of a limited range, around the exact result. With a small "
        "probability the result reveals everything, which δ covers.",
        exact="The range is b log(1 + (e^ε − 1)/(2δ)) for one number.",
        page="accuracy",
        source="Geng, Ding, Guo and Kumar 2020",
    ),
    GlossaryEntry(
        word="BIT discrete Laplace",
        also=("discrete Laplace", "geometric noise"),
        plain="Whole-number Laplace noise on a count, set to the nearest bound where it falls "
        "outside.",
        exact="Probabilities proportional to e^(−|k|/b), with b = Δ/ε.",
        page="release",
        source="Ghosh, Roughgarden and Sundararajan 2009",
    ),
    GlossaryEntry(
        word="bias",
        plain="The average error of results. Releasing again does not reduce it.",
        exact="E(answer) − truth.",
        page="accuracy",
    ),
    GlossaryEntry(
        word="variance",
        plain="The average squared distance of results from their own mean.",
        exact="E((answer − E(answer))²).",
        page="accuracy",
    ),
    GlossaryEntry(
        word="mean squared error",
        also=("MSE",),
        plain="The average squared error of a result. It is the squared [bias] plus the "
        "[variance].",
        exact="Bias² + variance. Its square root, the RMSE, is in the unit of the result.",
        page="accuracy",
    ),
    GlossaryEntry(
        word="confidence interval",
        also=("interval",),
        plain="A range that contains the exact value in 95 of 100 releases, or at another "
        "stated level. The page states whether it covers noise only, or noise and "
        "sampling.",
        page="release",
    ),
    GlossaryEntry(
        word="stated model",
        plain="A distribution that the reader assumes for the values before [clamping]. "
        "The [confidence interval] of a mean then includes the [bias] from clamping. It "
        "says nothing if the assumption is wrong.",
        exact="All members of the model that the released mean and standard deviation do "
        "not contradict. Beside it, percentiles of a parametric bootstrap, which is asymptotic.",
        page="release",
        source="after Awan and Wang 2024; Ferrando, Wang and Sheldon 2022",
    ),
    GlossaryEntry(
        word="margin of error",
        also=("half-width",),
        plain="Half the width of a [confidence interval], written with ±.",
        page="plan",
    ),
    GlossaryEntry(
        word="release",
        plain="Publishing a result with noise. Its cost is charged to the [privacy "
        "budget] and recorded in the [ledger]. A release cannot be undone.",
        page="release",
    ),
    GlossaryEntry(
        word="privacy budget",
        also=("budget",),
        plain="The limit on the total privacy cost of all releases. When it is spent, "
        "nothing more can be released.",
        page="plan",
    ),
    GlossaryEntry(
        word="account",
        plain="The [privacy budget] of the people of one dataset, with everything charged to it. "
        "Changed copies of the dataset share it.",
        page="manage",
    ),
    GlossaryEntry(
        word="rank",
        also=("ranks",),
        plain="The place of a value when all values are sorted. An error of 5 ranks means that up "
        "to 5 people lie between the result and the true value.",
        page="accuracy",
    ),
    GlossaryEntry(
        word="ledger",
        plain="The record of all releases and their costs. Later changes to it are detected.",
        page="budget",
    ),
    GlossaryEntry(
        word="partition selection",
        plain="Releasing labels that nobody lists beforehand. Only labels with a noisy count above "
        "a threshold are released. Several rounds release no counts, and suit people with several "
        "labels.",
        exact="Truncated geometric noise with a threshold is (ε, δ)-differentially private. So "
        "are rounds of [Gaussian noise] on weights (DP-SIPS).",
        page="data",
        source="Desfontaines, Voss, Gipson and Mandayam 2022; Swanberg, Desfontaines and "
        "Haney 2023",
    ),
    GlossaryEntry(
        word="composition",
        plain="How the costs of several releases add up. Adding them is always valid. "
        "Tighter methods may give a smaller total.",
        also=("basic composition", "advanced composition"),
        exact="Basic, advanced, [zCDP], and [privacy loss distribution].",
        page="budget",
    ),
    GlossaryEntry(
        word="privacy loss distribution",
        also=("PLD",),
        plain="The probability of each size of [privacy loss]. It gives the tightest "
        "total for many releases.",
        page="budget",
        source="Meiser and Mohammadi 2018; Koskela, Jälkö and Honkela 2020",
    ),
    GlossaryEntry(
        word="odometer",
        plain="The [privacy loss per person] of one person, added up after each release.",
        page="privacy_loss",
        source="Rogers, Roth, Ullman and Vadhan 2016",
    ),
    GlossaryEntry(
        word="post-processing",
        plain="Any computation on released results alone, without using the data again. "
        "It costs nothing.",
        page="synthetic_data",
        source=_DWORK,
    ),
    GlossaryEntry(
        word="gradual release",
        also=("sharper answer",),
        plain="A more exact answer to the same question, drawn given the first one. Both "
        "together reveal what the more exact one does, so that the difference in "
        "[ε (epsilon)] pays for it.",
        exact="y₁ = y₂ + W with W independent of the data: (y₁, y₂) is [post-processing] of y₂.",
        page="release",
        source="Koufogiannis, Han and Pappas 2015",
    ),
    GlossaryEntry(
        word="public",
        plain="Known before anyone used the data, released at a cost, or computed from "
        "such numbers alone.",
        page="lessons",
    ),
    GlossaryEntry(
        word="confidential",
        also=("badge", "curator only"),
        plain="Computed from the data without noise. Only the [curator] sees it. No "
        "export, link or document contains it.",
        page="privacy_loss",
    ),
    GlossaryEntry(
        word="curator",
        plain="The person who is responsible for the data and may look at them.",
        page="data",
    ),
    GlossaryEntry(
        word="attacker",
        plain="Someone who tries to learn about one person from released results. The "
        "guarantee holds even if the attacker knows all other rows and how noise is "
        "drawn.",
        page="attacks",
    ),
    GlossaryEntry(
        word="false alarm",
        also=("false positive",),
        plain="The attacker claims that a person took part who did not.",
        page="meaning",
    ),
    GlossaryEntry(
        word="detection",
        also=("true positive",),
        plain="The attacker claims that a person took part who did.",
        page="meaning",
    ),
    GlossaryEntry(
        word="advantage",
        plain="The rate of [detection] minus the rate of [false alarm] of an attacker.",
        exact="The largest difference of the two rates.",
        page="meaning",
    ),
    GlossaryEntry(
        word="trade-off function",
        also=("f-DP",),
        plain="The least false negative rate of any test about one record, at each false "
        "positive rate. At the rate that a guess has without the release, one minus it limits "
        "how often that guess is right.",
        exact="f(α) = inf of the type II error of tests with type I error at most α.",
        page="meaning",
    ),
    GlossaryEntry(
        word="Gaussian DP",
        also=("μ-GDP",),
        plain="A guarantee in one number, μ: a release is as hard to tell apart as two normal "
        "distributions at a distance of μ standard deviations. Levels add up as squares.",
        exact="f(α) ≥ Φ(Φ⁻¹(1 - α) - μ).",
        page="meaning",
    ),
    GlossaryEntry(
        word="regret",
        plain="How much the level μ of [Gaussian DP] says too much: the largest gap between its "
        "[trade-off function] and the exact one.",
        page="meaning",
    ),
    GlossaryEntry(
        word="Poisson sampling",
        also=("Bernoulli sampling",),
        plain="Each person is included in the sample independently with the same "
        "probability. If the sample stays secret, a release costs less.",
        page="subsampling",
    ),
    GlossaryEntry(
        word="subsampling amplification",
        also=("amplification by sampling",),
        plain="A release from a secret sample has a smaller privacy loss, because nobody "
        "can be sure who was sampled.",
        exact="With a sampling rate q: ln(1 + q(e^ε − 1)), for the relation that fits the "
        "sampling.",
        page="subsampling",
        source="Balle, Barthe and Gaboardi 2018",
    ),
    GlossaryEntry(
        word="bootstrap",
        plain="Resampling the data with replacement to estimate how a result varies. By "
        "itself it gives no privacy.",
        page="standard_errors",
        source="Efron 1979",
    ),
    GlossaryEntry(
        word="resized bootstrap",
        plain="A bootstrap with fewer draws than the data have rows. Its published "
        "privacy guarantee does not hold. The studio shows why and releases only a "
        "corrected version.",
        page="resized",
    ),
    GlossaryEntry(
        word="standard error",
        plain="How much a result would vary if new people were sampled.",
        page="standard_errors",
    ),
    GlossaryEntry(
        word="leverage",
        plain="How unusual a person's predictors are, and so how strongly the person "
        "affects a regression.",
        exact="x' H⁻¹ x with H the fit's curvature.",
        page="regression",
    ),
    GlossaryEntry(
        word="residual",
        plain="The difference between a person's outcome and the prediction of the regression.",
        exact="y − x'θ.",
        page="regression",
    ),
    GlossaryEntry(
        word="ridge",
        also=("ridge regression", "penalty"),
        plain="A regression with a penalty on large coefficients, which limits the effect "
        "of any one person. It shrinks them together towards 0, unlike ordinary least squares.",
        exact="Adds λ‖θ‖² to the sum of squared residuals.",
        page="regression",
    ),
    GlossaryEntry(
        word="Hessian",
        plain="The second derivatives of what a regression minimizes, at its fit. It is large in "
        "directions in which the table determines the coefficients well.",
        exact="H = XᵀWX + Λ.",
        page="regression",
    ),
    GlossaryEntry(
        word="posterior sample",
        plain="One random draw of a model's coefficients from their posterior "
        "distribution. The draw itself is the noise.",
        exact="θ ~ N(fit, (γH)⁻¹).",
        page="privacy_loss",
        source=_WANG,
    ),
    GlossaryEntry(
        word="survey weight",
        also=("weight",),
        plain="How many people of the population a row of a survey represents. Weights above a "
        "public cap are clamped ([clamping]), so that one row changes only so much.",
        exact="The weighted mean is Σ w_i x_i / Σ w_i and the total Σ w_i x_i, with 0 ≤ w_i ≤ W.",
        page="release",
        source="Horvitz and Thompson 1952; Hájek 1971",
    ),
    GlossaryEntry(
        word="design effect",
        plain="By how much unequal weights ([survey weight]) increase the sampling [variance] of a "
        "mean, beside a simple random sample of as many rows.",
        exact="Kish: d = n Σ w_i² / (Σ w_i)², between 1 and the cap over the mean weight.",
        page="release",
        source="Kish 1965",
    ),
    GlossaryEntry(
        word="stratum",
        also=("strata",),
        plain="A part of the population whose size is public, such as a region. A stratified mean "
        "weights the mean of each stratum by that size.",
        exact="Σ (N_h / N) m_h, with the public sizes N_h and N = Σ N_h.",
        page="release",
        source="Neyman 1934",
    ),
    GlossaryEntry(
        word="quantile",
        also=("median",),
        plain="The value below which a given share of the values lie. The median is the "
        "quantile of 50%.",
        page="release",
    ),
    GlossaryEntry(
        word="histogram",
        plain="The number of people in each bin or category. Bins are fixed without "
        "looking at the data.",
        page="release",
    ),
    GlossaryEntry(
        word="marginal",
        also=("marginals", "marginal table", "set of marginals"),
        plain="A table of counts by some of the columns, such as two of them. Several marginals "
        "can be released as one question, and then made to agree about the totals they share.",
        exact="A person changes one count of each of k tables: Gaussian noise grows with √k, "
        "[Laplace noise] with k. Agreement is by least squares.",
        page="release",
        source="Xiao, He, Zhang and Kifer 2023",
    ),
    GlossaryEntry(
        word="audit",
        plain="Sampling a mechanism many times to test its claimed guarantee. An audit "
        "can refute a claim but cannot prove it.",
        page="audit",
    ),
    GlossaryEntry(
        word="synthetic data",
        also=("synthetic table",),
        plain="Rows of people who do not exist, generated from released counts. They "
        "preserve those counts and little else.",
        page="synthetic_data",
    ),
    GlossaryEntry(
        word="MST",
        also=("maximum spanning tree",),
        plain="A mechanism for [synthetic data]. It counts every column, and a tree of pairs of "
        "columns that it chooses privately, with noise.",
        page="synthetic_data",
        source="McKenna, Miklau and Sheldon 2021",
    ),
    GlossaryEntry(
        word="best split",
        plain="The division of a [privacy budget] among releases that best meets their "
        "target margins of error.",
        page="plan",
    ),
    GlossaryEntry(
        word="period",
        plain="A time span with its own limit within a [privacy budget], such as a quarter.",
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
    ['clamping']
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
    ['privacy budget', 'zCDP', 'release']
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
