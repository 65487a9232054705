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
        walk.typed(_EPSILON, next(prices))
        return walk.released()

    walk.ask_mean()
    yield "release of the mean, BIT Laplace", release
    walk.choose("Statistic", "median")
    yield "release of the median", release
    walk.ask_matrix(columns[1:])
    yield f"release of a matrix of {len(columns)} columns", release


def controls(walk: Walk) -> Iterator[Change]:
    """Yield, by name, a change of a control that returns its time, page by page.

    The table is in use, and the Release page open with the mean of a column asked for.
    """
    epsilons = (f"{0.1 + i / 1000:g}" for i in itertools.count(1))
    yield "Release, epsilon", lambda: walk.typed(_EPSILON, next(epsilons))
    walk.go("accuracy")
    yield "Accuracy, epsilon", lambda: walk.typed(_EPSILON, next(epsilons))
    walk.go("privacy_loss")
    walk.show_everybody()
    yield "Privacy loss, epsilon", lambda: walk.typed(_EPSILON, next(epsilons))
    yield "Privacy loss, compared with", lambda: walk.picked_another("Compared with")
    yield from _without_a_table(walk)


def matrix_controls(walk: Walk) -> Iterator[Change]:
    """Yield changes that leave the question as it is: a matrix of several columns.

    Privacy loss is open, and everybody's loss on screen.
    """
    thresholds = (f"{i / 1000:g}" for i in itertools.count(1))
    yield (
        "Privacy loss of a matrix, threshold",
        lambda: walk.typed("Threshold ε", next(thresholds)),
    )


def model_controls(walk: Walk) -> Iterator[Change]:
    """Yield changes that keep the model that is asked for.

    Privacy loss is open, with everybody's loss from a model on screen.
    """
    epsilons = (f"{1 + i / 1000:g}" for i in itertools.count(1))
    # Others than those of a matrix: what stands there already would bring nothing new.
    thresholds = (f"{1 + i / 1000:g}" for i in itertools.count(1))
    page = "Privacy loss of a model"
    yield f"{page}, epsilon", lambda: walk.typed(_EPSILON, next(epsilons))
    yield (f"{page}, threshold", lambda: walk.typed("Threshold ε", next(thresholds)))


def view_controls(walk: Walk) -> Iterator[Change]:
    """Yield a turn to the next view of the page that is open, the first one shown."""
    # Turning to the one that is open would bring nothing new.
    first, *others = walk.tabs()
    views = itertools.cycle([*others, first])
    yield "next view", lambda: walk.turned(next(views))


def regression_controls(walk: Walk) -> Iterator[Change]:
    """Yield a change on the page about regressions, with a model asked for."""
    # Others than on the page before: what stands there already brings nothing new.
    epsilons = (f"{2 + i / 1000:g}" for i in itertools.count(1))
    walk.go("regression")
    yield "Regression, epsilon", lambda: walk.typed(_EPSILON, next(epsilons))


def plan_controls(walk: Walk) -> Iterator[Change]:
    """Yield a change of what a plan shares out. The Plan page is open."""
    totals = (f"{2 + i / 100:g}" for i in itertools.count(1))
    yield "Plan of 50 questions, total", lambda: walk.typed("Total ε", next(totals))


def resampling_controls(walk: Walk) -> Iterator[Change]:
    """Yield changes on the pages about resamples, and on Figures 1 and 2."""
    steps = itertools.cycle(["ArrowLeft", "ArrowRight"])
    counts = itertools.count(11)
    levels = (f"{1 + i / 100:g}" for i in itertools.count(1))
    prices = (f"{0.5 + i / 100:g}" for i in itertools.count(1))
    walk.go("standard_errors")
    walk.open_more()
    yield (
        "Standard errors, confidence",
        lambda: walk.slid("Confidence of the intervals", next(steps)),
    )
    walk.page.keyboard.press("Escape")
    walk.go("subsampling")
    # With a table in use the page begins with its own view.
    walk.turned("Claim and truth")
    yield ("Subsampling, epsilon", lambda: walk.typed("ε on the sample", next(levels)))
    walk.turned("Release from a sample")
    yield "Subsampling, epsilon of a release", lambda: walk.typed(_EPSILON, next(prices))
    walk.go("resized")
    walk.pick("simulated")
    yield (
        "Resized bootstrap, people with the trait",
        lambda: walk.typed("People with the trait", str(next(counts))),
    )
    walk.pick("my column")
    yield (
        "Resized bootstrap of a column, epsilon",
        lambda: walk.typed("ε of the repair", next(prices)),
    )
    walk.go("figures12")
    panes = itertools.cycle(["One posterior sample", "Noise on the coefficients"])
    yield "Figures 1 and 2, kind of noise", lambda: walk.turned(next(panes))


def _without_a_table(walk: Walk) -> Iterator[Change]:
    walk.go("lab")
    yield "Mechanism lab, epsilon", lambda: walk.slid("Claimed ε", "ArrowRight")
    walk.go("sensitivity")
    statistics = itertools.cycle(["median", "mean"])
    yield ("Sensitivity explorer, statistic", lambda: walk.chosen("Statistic", next(statistics)))
    walk.go("study1")
    correlations = itertools.cycle(["0", "\u22120.5", "0.9"])
    yield "Study 1, correlation", lambda: walk.chosen("True correlation", next(correlations))
    walk.go("study2")
    epsilons = itertools.cycle(["0.5", "1.0", "0.1"])
    yield "Study 2, epsilon", lambda: walk.chosen("ε of the figure", next(epsilons))
