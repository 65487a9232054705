"""The script redoes the accounting where this project is not; the notebook is it."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from dpcore.documents.report import report
from dpcore.documents.reproduction import script
from dpcore.privacy.events import BootstrapEvent, FixedSampleEvent, SampleEvent
from dpcore.privacy_filter import PrivacyCost
from tests.documents.subjects import answered, sharpened
from tests.documents.test_counts_in_papers import synthesized

# They share one process, which is slow to start.
pytestmark = pytest.mark.slow
# What is not below another number but for the last digits of floats.
FLOATS = 1 - 1e-9


ALONE = """
import importlib.util, json, runpy, sys
assert not any(map(importlib.util.find_spec, ("dpcore", "ui", "pages")))
for path in sys.argv[1:]:
    found = runpy.run_path(path, run_name="__main__")
    draws = [release["draw"] for release in found["FACTS"]["releases"]]
    print(json.dumps([found["total"], found["whole"], draws]))
assert not any(name.startswith("dpcore") for name in sys.modules)
"""


def unknown_to_libraries():
    first = answered().questions[0]
    events = (
        SampleEvent.from_ratio(0.5, law="laplace", rate=0.25),
        SampleEvent.from_ratio(0.5, law="gaussian", rate=0.5),
        FixedSampleEvent.from_ratio(0.5, law="laplace", rate=0.25),
        BootstrapEvent.from_ratio(0.01, people=100, times=2),
    )
    delta = 1e-6
    questions = tuple(
        replace(
            first,
            event=event.to_dict(),
            cost=PrivacyCost.of(
                epsilon=event.epsilon(delta), delta=delta if event.needs_delta else 0.0
            ),
        )
        for event in events
    )
    cost = sum((question.cost for question in questions), PrivacyCost())
    known = answered()
    return replace(known, questions=questions, facts=replace(known.facts, spent=cost))


SUBJECTS = {
    "apart": answered,
    "together": lambda: answered(together=True),
    "unknown": unknown_to_libraries,
    "sharpened": sharpened,
    "synthesized": synthesized,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Run the scripts in an empty folder, where nothing of this project is found."""
    folder = tmp_path_factory.mktemp("alone")
    for name, subject in SUBJECTS.items():
        (folder / name).write_text(script(subject()), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, *SUBJECTS],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    read = done.stdout.splitlines()
    ends = [place for place, line in enumerate(read) if line.startswith("[")]
    # What people read ends with the verdict, and no line is longer than a screen.
    assert all(read[end - 1].endswith(" agrees with the charged cost.") for end in ends)
    assert max(len(line) for place, line in enumerate(read) if place not in ends) < 200
    keys = ("total", "whole", "draws")
    found = [dict(zip(keys, json.loads(read[end]), strict=True)) for end in ends]
    begins = [0, *(end + 1 for end in ends)]
    for one, first, end in zip(found, begins, ends, strict=False):
        one["read"] = read[first:end]
    return dict(zip(SUBJECTS, found, strict=True))


def agreeing(found):
    """Return of what a run says that it agrees: the charged cost, the total of a fixed set."""
    texts = [line.split(":")[0] for line in found["read"] if line.endswith(": agrees.")]
    return [text.split()[1] for text in texts]


@pytest.mark.parametrize("name", ["apart", "together"])
def test_script_alone_comes_to_the_totals_of_the_account(name, found):
    subject, found = SUBJECTS[name](), found[name]
    charged = float(subject.cost.epsilon)
    assert charged * FLOATS <= found["total"] <= charged * (1 + 1e-6)
    fixed = subject.totals.pld
    assert fixed * FLOATS <= found["whole"] <= fixed * (1 + 1e-6)
    assert agreeing(found) == ["charged", "as"]
    assert len(found["draws"]) == len(subject.questions)
    alike = 0
    for question, draw in zip(subject.questions, found["draws"], strict=True):
        assert draw
        if question.key in {"bit", "truncated", "folded"} and len(draw) == 1:
            assert 0 <= draw[0] <= 100
        alike += bool({f"{x:.6g}" for x in draw} & {x.value for x in question.numbers})
    # Each is drawn anew. Counts of a few may come out as released, by chance.
    assert alike < len(subject.questions) / 2


def test_what_the_libraries_do_not_know_has_its_stated_price(found):
    subject, found = unknown_to_libraries(), found["unknown"]
    charged = float(subject.cost.epsilon)
    assert charged * FLOATS <= found["total"] <= charged * 1.01
    assert found["whole"] >= subject.totals.pld * FLOATS
    # Nothing is said to agree that nothing was compared with.
    assert agreeing(found) == ["charged"]
    assert found["read"][-1] == "What is recomputed agrees with the charged cost."
    assert found["read"][-2] == "Taken as charged, not recomputed: 2 of 4 releases."
    assert found["read"][-3].endswith("not recomputed here.")
    assert sum(line.endswith("not recomputed here") for line in found["read"]) == 2


def test_a_synthetic_table_is_recomputed_alone_and_with_others(found):
    """Its choices and its noise have a level of zCDP, and losses; neither is their sum."""
    subject, found = synthesized(), found["synthesized"]
    assert agreeing(found) == ["charged", "as"]
    assert found["read"][-1] == "The accounting agrees with the charged cost."
    charged = float(subject.cost.epsilon)
    assert found["total"] == pytest.approx(charged, rel=1e-5)
    assert found["whole"] == pytest.approx(subject.totals.pld, rel=1e-3)
    assert found["whole"] < 0.95 * charged
    # Whoever adds up the listed costs gets the basic composition.
    assert subject.totals.basic == charged


def test_an_answer_and_the_sharper_one_are_counted_once(found):
    subject = sharpened()
    assert [float(question.cost.epsilon) for question in subject.questions] == [0.25, 2.0]
    assert float(subject.cost.epsilon) == 2.25
    assert found["sharpened"]["total"] == pytest.approx(2.25, rel=1e-6)
    assert subject.totals.basic == pytest.approx(2.25, rel=1e-6)
    (replaced,) = filter(None, (question.replaces for question in subject.questions))
    assert replaced.startswith("This answer replaces the earlier answer ")
    assert "This answer replaces the earlier answer" in report(subject)
