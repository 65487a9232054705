"""Is the number of people public? The second view of the Sensitivity explorer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.figures.private_size import leak_picture, price_picture
from dpcore.studies.comparing.private_size import PrivateSize
from dpcore.wording import epsilon_text, significant
from ui import controls, results

_BOUNDS = Interval(lower=0.0, upper=100.0)
_EPSILONS = (0.05, 3.0)
_PLACE = 0.3
_DRAWS, _SEED = 20_000, 1
_SIZES = (5, 20, 50, 200, 1000)


def show_private_number() -> None:
    """Show the leak of a private number of people, and the noisy average."""
    first, second = controls.row(2)
    people = first.slider("People in the table", 20, (2, 500), key="private-people")
    epsilon = second.slider("Promised ε", 1.0, (*_EPSILONS, 0.05), key="promised")
    size = PrivateSize(people=people, epsilon=epsilon, bounds=_BOUNDS)
    level = epsilon_text(size.clamped_level)
    st.header(
        f"Noise scaled by a private n breaks the promise of ε {epsilon_text(epsilon)}: "
        f"plain Laplace has no limit, clamped (BIT) gives {level}",
        anchor=False,
    )
    st.markdown(
        "The mean of values between 0 and 100 is published with noise of scale 100/(n "
        f"ε), n counted in the table: {people} people, or {people - 1} after one "
        "leaves. Then the *width* of the noise differs too, and a far answer is more "
        "likely from the wider one."
    )
    metrics = st.columns(3)
    metrics[0].metric(
        "Promised",
        f"ε {epsilon_text(epsilon)}",
        help="What is said to be given away about one person at most.",
    )
    metrics[1].metric(
        "Laplace, n private",
        "no finite ε",
        help="What is really given away: answers far out tell without limit how wide "
        "the noise is, and so how many people there are.",
    )
    metrics[2].metric(
        "BIT, n private",
        f"ε {level}",
        help="Exactly max{ε, log(n/(n - 1)) + ε (n - 1)/n}, rounded up.",
    )
    results.show(leak_picture(size, widest=_EPSILONS[1]), "leak")
    st.header("The cure: a noisy average", anchor=False)
    st.markdown(
        "Publish a noisy sum (of distances from the middle of the bounds) and a noisy "
        "number of people, each with half of ε, and divide. The scales of both noises "
        "are public constants, so the promise holds whatever n is."
    )
    sizes = [replace(size, people=n) for n in _SIZES if n != people] + [size]
    rng = np.random.default_rng(_SEED)
    errors = np.array([each.noisy_average_error(_PLACE, draws=_DRAWS, rng=rng) for each in sizes])
    picture = price_picture(sizes, errors, size, place=_PLACE, epsilons=_EPSILONS)
    results.show(picture, "price")
    rmse, error = errors[-1]
    st.caption(
        f"True mean 30. Noisy average at {people} people: typical error "
        f"{significant(float(rmse))} ± {significant(2 * float(error), 2)} (two "
        f"standard errors of {_DRAWS:,} simulated releases). If n may be public, or a "
        "constant fixed in advance divides the sum, the price need not be paid."
    )
