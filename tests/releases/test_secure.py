import ast
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import dpcore
from dpcore import secure_noise
from dpcore.analyses import secure
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.generalized import GeneralizedGaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.secure_noise import candidates
from tests.conftest import few
from tests.terms import ONE, UNIT

# So many draws that noise wider by 30%, which the Kolmogorov distance tells least, is
# taken for the stated one less often than once in 10^9 runs, as the stated is refused.
DRAWS = 5000
SURE = 1e-9
LINE = Interval(lower=-math.inf, upper=math.inf)
FREE = PrivacyCost.of(epsilon=1e6, rho=1e6)


def draw(mechanism, value, *, sensitivity=ONE, cost=FREE):
    return secure.draw(mechanism, np.asarray(value, float), sensitivity=sensitivity, cost=cost)


def fits(draws, cdf):
    return stats.kstest(draws, cdf).pvalue > SURE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "stated"),
    few(
        2,
        (Laplace(noise=2.0), stats.laplace),
        (Gaussian(noise=2.0), stats.norm),
        (TruncatedLaplace(noise=2.0, bounds=LINE), stats.laplace),
        (BoundaryInflatedLaplace(noise=2.0, bounds=LINE), stats.laplace),
    ),
)
def test_unbounded_draws_follow_the_stated_law_and_no_wider_one(mechanism, stated):
    draws = draw(mechanism, np.full(3 * DRAWS, 10.0))
    assert fits(draws, stated(10.0, 2.0).cdf)
    assert not fits(draws, stated(10.0, 2.6).cdf)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bounds", "value"),
    few(
        1,
        (Interval(lower=1e6, upper=1e6 + 3), 1e6 + 2.9),
        (Interval(lower=-math.inf, upper=-2.0), -2.1),
        (Interval(lower=0.0, upper=3.0), 0.1),
        (Interval(lower=2.0, upper=math.inf), 2.1),
    ),
)
def test_truncated_draws_follow_the_stated_law_and_no_wider_one(bounds, value, monkeypatch):
    # Few candidates a round: quick, and it takes many rounds; the law is the same.
    monkeypatch.setattr(secure_noise, "candidates", lambda *_: 4)
    mechanism = TruncatedLaplace(noise=0.5, bounds=bounds)
    wider = TruncatedLaplace(noise=0.65, bounds=bounds)
    draws = draw(mechanism, np.full(DRAWS, value))
    assert (draws == bounds.clip(draws)).all()
    assert fits(draws, lambda x: mechanism.cdf(x, value))
    assert not fits(draws, lambda x: wider.cdf(x, value))


def test_one_round_gives_the_truncated_law():
    mechanism = TruncatedLaplace(noise=0.5, bounds=UNIT)
    draws = draw(mechanism, np.full(150, 0.0))
    assert ((draws >= 0) & (draws <= 1)).all()
    assert fits(draws, lambda x: mechanism.cdf(x, 0.0))


def test_the_first_candidate_inside_counts(monkeypatch):
    rounds = iter([[-1.0, 0.25, 0.5, 2.0, 3.0, -4.0], [9.0, 9.0, 9.0, 0.75, 0.5, 9.0]])
    monkeypatch.setattr(secure_noise, "candidates", lambda *_: 3)
    monkeypatch.setattr(secure_noise, "measurement", lambda *_: lambda _: next(rounds))
    drawn = draw(TruncatedLaplace(noise=0.5, bounds=UNIT), [0.0, 0.0])
    assert drawn.tolist() == [0.25, 0.75]


def test_a_further_round_is_as_rare_as_stated():
    for width, noise in [(1.0, 1.0), (1.0, 100.0), (math.inf, 3.0), (50.0, 1e-3)]:
        stays = stats.laplace.cdf(width / noise) - 0.5
        tries = candidates(width, noise)
        assert tries * math.log2(1 - stays) <= -64 * (1 - 1e-9)
        assert (tries - 1) * math.log2(1 - stays) > -64


@pytest.mark.parametrize("noise", [1000.0, 1e300])
def test_bounds_too_narrow_for_truncation_are_refused(noise):
    with pytest.raises(ParameterError, match="BIT Laplace"):
        draw(TruncatedLaplace(noise=noise, bounds=UNIT), [0.5])


def test_clamped_draws_have_the_stated_atoms_and_law():
    mechanism = BoundaryInflatedLaplace(noise=0.5, bounds=UNIT)
    draws = draw(mechanism, np.full(DRAWS, 0.2))
    for bound, chance in zip((0.0, 1.0), mechanism.atoms(0.2), strict=True):
        seen = int((draws == bound).sum())
        assert stats.binomtest(seen, DRAWS, float(chance)).pvalue > SURE
    inner = draws[(draws > 0) & (draws < 1)]
    truncated = TruncatedLaplace(noise=0.5, bounds=UNIT)
    assert fits(inner, lambda x: truncated.cdf(x, 0.2))


def test_coordinates_are_drawn_around_their_own_values():
    draws = draw(Laplace(noise=1e-6), [1.0, -5.0, 1e3])
    assert draws == pytest.approx([1.0, -5.0, 1e3], abs=1e-4)
    assert len(set(draws - [1.0, -5.0, 1e3])) == 3


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused(value):
    with pytest.raises(ParameterError, match="finite") as caught:
        draw(Laplace(noise=1.0), [0.0, value])
    assert str(value) not in str(caught.value).split()


@pytest.mark.parametrize("noise", [0.0, 5e-324, sys.float_info.min / 2])
@pytest.mark.parametrize("law", [Laplace, Gaussian])
def test_noise_that_does_not_protect_is_refused(law, noise):
    with pytest.raises(ParameterError, match="scale of the noise"):
        draw(law(noise=noise), [1.0])


def test_infinite_noise_is_refused():
    with pytest.raises(ParameterError, match="scale of the noise"):
        draw(BoundaryInflatedLaplace(noise=math.inf, bounds=UNIT), [0.5])


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1 / 3, 1.0, 3.0])
def test_calibrated_noise_passes_the_samplers_own_accounting(epsilon):
    sensitivity = Sensitivity(coordinates=2, l1=0.14, l2=0.1, largest=0.07)
    cost = PrivacyCost.of(epsilon=epsilon)
    for law in (Laplace, BoundaryInflatedLaplace):
        mechanism = law.calibrate(sensitivity=sensitivity, epsilon=epsilon, bounds=UNIT)
        drawn = draw(mechanism, [0.5, 0.5], sensitivity=sensitivity, cost=cost)
        assert np.isfinite(drawn).all()


def test_noise_below_its_claim_is_refused():
    with pytest.raises(ClaimError, match=r"does not give the level 0\.5"):
        draw(Laplace(noise=1.99), [0.0], cost=PrivacyCost.of(epsilon=0.5))
    with pytest.raises(ClaimError, match="does not give the level"):
        draw(Gaussian(noise=0.99), [0.0], cost=PrivacyCost.of(rho=0.5))
    assert np.isfinite(draw(Gaussian(noise=1.0), [0.0], cost=PrivacyCost.of(rho=0.5)))


def test_a_mechanism_without_secure_sampler_is_refused():
    with pytest.raises(ParameterError, match="sampler for GeneralizedGaussian"):
        draw(GeneralizedGaussian(noise=1.0), [0.0])


def test_widening_covers_rounding_in_every_norm():
    cells = Sensitivity(coordinates=4, l1=4.0, l2=2.0, largest=1.0)
    wide = secure.widen(cells, 2.0**46)
    assert (wide.l1, wide.l2, wide.largest) == (8.0, 4.0, 2.0)
    assert secure.widen(cells, 0.0) == cells


def test_widening_covers_the_rounding_of_sums():
    rng = np.random.default_rng(5)
    table = rng.uniform(-1e3, 1e3, 10_000)
    neighbor = table.copy()
    neighbor[17] = table[17] + 0.125
    exact = Sensitivity.scalar(0.125)
    computed = abs(np.sum(neighbor) - np.sum(table))
    assert computed <= secure.widen(exact, 1e7).largest


def outside_simulations(tree):
    """Yield the nodes of a file but those of planned errors: no release has a seed to give them."""
    for node in ast.iter_child_nodes(tree):
        arguments = node.args if isinstance(node, ast.FunctionDef) else None
        given = [*arguments.args, *arguments.kwonlyargs] if arguments else []
        seeded = {"simulation", "rng"} & {each.arg for each in given}
        if not seeded and getattr(node, "name", "") != "SimulatedDraws":
            yield node
            yield from outside_simulations(node)


def product(*folders):
    root = Path(dpcore.__file__).parent.parent
    paths = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in paths}


def test_releases_alone_draw_securely():
    callers = {
        name
        for name, text in product("dpcore", "ui", "pages", "epsilon_studio").items()
        if ".secure_draw(" in text and not name.startswith("dpcore/mechanisms/")
    }
    # What an audit tries is what is released.
    audits = "dpcore/studies/auditing/trials.py"
    assert callers == {
        "dpcore/analyses/secure.py",
        "dpcore/analyses/label_rounds.py",
        "dpcore/analyses/labels.py",
        audits,
    }


def secure_draws():
    for name, text in product("dpcore/mechanisms").items():
        for node in ast.walk(ast.parse(text)):
            if getattr(node, "name", "") == "secure_draw":
                yield name, node


def test_releases_never_simulate():
    samplers = {name: text for name, text in product("dpcore").items() if "/secure" in name}
    assert not [name for name, text in samplers.items() if "imulation" in text]
    trees = samplers | product("dpcore/analyses")
    nodes = [(name, ast.parse(text)) for name, text in trees.items()] + list(secure_draws())
    assert len(nodes) > 30
    for name, tree in nodes:
        for node in outside_simulations(tree):
            named = isinstance(node, ast.Attribute) and node.attr in {"random", "simulate"}
            imported = isinstance(node, ast.Import | ast.ImportFrom) and any(
                "random" in part
                for part in (
                    getattr(node, "module", None) or "",
                    *(alias.name for alias in node.names),
                )
            )
            assert not named, name
            assert not imported, name
