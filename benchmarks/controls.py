"""One representative control of every page, changed back and forth."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from benchmarks.walk import Walk

Change = tuple[str, "Callable[[], float]"]
_EPSILON = "ε for this release"


def release_controls(walk: Walk, columns: Sequence[str]) -> Iterator[Change]:
    """Yield a press that releases an answer, each time at another price.

    The Release page is open, with the first of the columns asked about.
    """
    prices = (f"{0.05 + i / 10_000:g}" for i in itertools.count(1))

    def release() -> float:
        walk.type(_EPSILON, next(prices))
        return walk.released()

    walk.ask_mean()
    yield "release of the mean, BIT Laplace", release
    walk.ask("median")
    yield "release of the median", release
    walk.ask_matrix(columns[1:])
    yield f"release of a matrix of {len(columns)} columns", release


def controls(walk: Walk) -> Iterator[Change]:
    """Yield, by name, a change of a control that returns its time, page by page.

    The table is in use, and the Release page open with the mean of a column asked for.
    """
    epsilons = (f"{0.1 + i / 1000:g}" for i in itertools.count(1))
    yield "Release, epsilon", lambda: walk.type(_EPSILON, next(epsilons))
    walk.go("accuracy")
    yield "Trade-offs, epsilon", lambda: walk.type(_EPSILON, next(epsilons))
    walk.go("privacy_loss")
    walk.show_everybody()
    yield "Individual privacy, epsilon", lambda: walk.type(_EPSILON, next(epsilons))
    yield "Individual privacy, what if", lambda: walk.pick_another("What if")
    yield from _without_a_table(walk)


def matrix_controls(walk: Walk) -> Iterator[Change]:
    """Yield changes that leave the question as it is: a matrix of several columns.

    Individual privacy is open, and everybody's loss on screen.
    """
    thresholds = (f"{i / 1000:g}" for i in itertools.count(1))
    yield (
        "Individual privacy of a matrix, threshold",
        lambda: walk.type("Nobody should lose more than", next(thresholds)),
    )


def model_controls(walk: Walk) -> Iterator[Change]:
    """Yield changes that keep the model that is asked for.

    Individual privacy is open, with everybody's loss from a model on screen.
    """
    epsilons = (f"{1 + i / 1000:g}" for i in itertools.count(1))
    # Others than those of a matrix: what stands there already would bring nothing new.
    thresholds = (f"{1 + i / 1000:g}" for i in itertools.count(1))
    page = "Individual privacy of a model"
    yield f"{page}, epsilon", lambda: walk.type(_EPSILON, next(epsilons))
    yield (
        f"{page}, threshold",
        lambda: walk.type("Nobody should lose more than", next(thresholds)),
    )


def view_controls(walk: Walk) -> Iterator[Change]:
    """Yield a turn to the next view of the page that is open, the first one shown."""
    # Turning to the one that is open would bring nothing new.
    first, *others = walk.tabs()
    views = itertools.cycle([*others, first])
    yield "next view", lambda: walk.turn(next(views))


def regression_controls(walk: Walk) -> Iterator[Change]:
    """Yield a change on the page about regressions, with a model asked for."""
    # Others than on the page before: what stands there already brings nothing new.
    epsilons = (f"{2 + i / 1000:g}" for i in itertools.count(1))
    walk.go("regression")
    yield "Regression, epsilon", lambda: walk.type(_EPSILON, next(epsilons))


def plan_controls(walk: Walk) -> Iterator[Change]:
    """Yield a change of what a plan shares out. The Plan page is open."""
    totals = (f"{2 + i / 100:g}" for i in itertools.count(1))
    yield "Plan of 50 questions, total", lambda: walk.type("Total ε", next(totals))


def resampling_controls(walk: Walk) -> Iterator[Change]:
    """Yield changes on the pages about resamples, and on Figures 1 and 2."""
    steps = itertools.cycle(["ArrowLeft", "ArrowRight"])
    counts = itertools.count(11)
    levels = (f"{1 + i / 100:g}" for i in itertools.count(1))
    prices = (f"{0.5 + i / 100:g}" for i in itertools.count(1))
    walk.go("standard_errors", "Resampling")
    walk.unfold("More settings")
    yield (
        "Standard errors, confidence",
        lambda: walk.slide("Confidence of the intervals", next(steps)),
    )
    walk.go("subsampling", "Resampling")
    yield ("Subsampling, epsilon", lambda: walk.type("ε on the sample", next(levels)))
    walk.turn("Release from a sample")
    yield "Subsampling, epsilon of a release", lambda: walk.type(_EPSILON, next(prices))
    walk.go("resized", "Resampling")
    yield (
        "Resized bootstrap, people with the trait",
        lambda: walk.type("People with the trait", str(next(counts))),
    )
    walk.pick("my column")
    yield (
        "Resized bootstrap of a column, epsilon",
        lambda: walk.type("ε of the repair", next(prices)),
    )
    walk.go("figures12", "Studies")
    panes = itertools.cycle(["One posterior sample", "Noise on the coefficients"])
    yield "Figures 1 and 2, kind of noise", lambda: walk.turn(next(panes))


def _without_a_table(walk: Walk) -> Iterator[Change]:
    walk.go("lab", "Learn")
    yield "Mechanism lab, epsilon", lambda: walk.slide("Claimed ε", "ArrowRight")
    walk.go("sensitivity", "Learn")
    statistics = itertools.cycle(["median", "mean"])
    yield ("Sensitivity explorer, statistic", lambda: walk.choose("Statistic", next(statistics)))
    walk.go("study1", "Studies")
    correlations = itertools.cycle(["0", "-0.5", "0.9"])
    yield "Study 1, correlation", lambda: walk.pick(next(correlations))
    walk.go("study2", "Studies")
    epsilons = itertools.cycle(["0.5", "1.0", "0.1"])
    yield "Study 2, epsilon", lambda: walk.choose("Show ε", next(epsilons))
