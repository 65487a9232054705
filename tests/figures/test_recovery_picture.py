"""The picture of an attack: the found number stands beside the truth."""

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.figures.individual.disclosure import recovery_picture
from dpcore.studies.attacks.noise import attack_count, attack_mean
from tests.conftest import assert_says

BOUNDS = Interval(lower=0.0, upper=100.0)


def attack(digits=None):
    values = np.linspace(10, 60, 200)
    return attack_mean(
        values, 3, bounds=BOUNDS, epsilon=0.5, rng=np.random.default_rng(0), digits=digits
    )


def test_exact_answer_is_called_exact():
    picture = recovery_picture(attack(), what="mean of age", unit="years")
    assert picture.title.endswith("computes 35 years: the exact answer")
    assert picture.table["value"].iloc[0] == picture.table["value"].iloc[-1] == 35.0
    assert "Without noise the mean of age is 35 years" in picture.alt


def test_rounded_loss_says_how_far_off():
    picture = recovery_picture(attack(3), what="m", unit="")
    assert_says(picture.title, "off by", "times more")


def test_names_are_shown_as_they_are():
    found = attack_count(57, epsilon=1.0, delta=1e-6, rng=np.random.default_rng(0))
    picture = recovery_picture(found, what="<b>x</b>", unit="")
    assert picture.figure.layout.xaxis.title.text == "&lt;b&gt;x&lt;/b&gt;"
    assert "57: the exact answer" in picture.title
