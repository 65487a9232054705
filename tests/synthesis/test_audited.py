"""The promise of a made-up table, audited like that of a release."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import Trial, TrialDraws, batches
from dpcore.studies.meaning.attacker import Guarantee
from dpcore.synthesis import fitting
from dpcore.synthesis.fitting import fit
from tests.synthesis.tables import SICK, asked, told

DRAWS = 240


@pytest.mark.slow
@pytest.mark.parametrize(("times", "refuted"), [(1.0, False), (0.25, True)])
def test_a_made_up_table_tells_no_more_than_its_counts(times, refuted):
    (request,) = asked((SICK,), hub=None, epsilon=1.0, public=False)
    noise, rng = request.plan.noise * times, np.random.default_rng(20)

    def draw(world, size):
        """Return how many are sick in the made-up tables of two neighbors."""
        found = []
        for _ in range(size):
            counts = np.array([40.0, 10.0 - world]) + rng.laplace(0, noise, 2)
            trees = fitting.plant([told(request, counts, 5 * noise)])
            found.append(fitting.whole(trees, fit(trees)).columns["sick"])
        return np.array(found, dtype=float)

    trial = Trial(
        claim=Guarantee(epsilon=1.0),
        labels=SICK.labels,
        sides=("with the person", "without"),
        draw=draw,
    )
    found = audit(trial, TrialDraws.together(batches(trial, DRAWS)))
    assert found.refuted == refuted
