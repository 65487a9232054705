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

# What is not below another number but for the last digits of floats.
FLOATS = 1 - 1e-9


def run(subject, folder):
    """Run the script in an empty folder, where nothing of this project is found."""
    file = folder / "accounting.py"
    file.write_text(script(subject), encoding="utf-8")
    alone = (
        "import importlib.util, json, runpy, sys\n"
        "assert not any(map(importlib.util.find_spec, ('dpcore', 'ui', 'pages')))\n"
        "found = runpy.run_path(sys.argv[1], run_name='__main__')\n"
        "assert not any(name.startswith('dpcore') for name in sys.modules)\n"
        "draws = [release['draw'] for release in found['FACTS']['releases']]\n"
        "print(json.dumps([found['total'], found['whole'], draws]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", alone, str(file)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *read, last = done.stdout.splitlines()
    # What people read ends with the verdict, and no line is longer than a screen.
    assert read[-1] == "The accounting agrees with the charged cost."
    assert sum(line.endswith(": agrees.") for line in read) == 2
    assert max(map(len, read)) < 200
    return dict(zip(("total", "whole", "draws"), json.loads(last), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True])
def test_script_alone_comes_to_the_totals_of_the_account(together, tmp_path):
    subject = answered(together=together)
    found = run(subject, tmp_path)
    charged = float(subject.cost.epsilon)
    assert charged * FLOATS <= found["total"] <= charged * (1 + 1e-6)
    fixed = subject.totals.pld
    assert fixed * FLOATS <= found["whole"] <= fixed * (1 + 1e-6)
    assert len(found["draws"]) == len(subject.questions)
    alike = 0
    for question, draw in zip(subject.questions, found["draws"], strict=True):
        assert draw
        if question.key in {"bit", "truncated", "folded"} and len(draw) == 1:
            assert 0 <= draw[0] <= 100
        alike += bool({f"{x:.6g}" for x in draw} & {x.value for x in question.numbers})
    # Each is drawn anew. Counts of a few may come out as released, by chance.
    assert alike < len(subject.questions) / 2


@pytest.mark.slow
def test_what_the_libraries_do_not_know_has_its_stated_price(tmp_path):
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
    subject = replace(answered(), questions=questions)
    cost = sum((question.cost for question in questions), PrivacyCost())
    subject = replace(subject, facts=replace(subject.facts, spent=cost))
    found = run(subject, tmp_path)
    charged = float(cost.epsilon)
    assert charged * FLOATS <= found["total"] <= charged * 1.01
    assert found["whole"] >= subject.totals.pld * FLOATS


@pytest.mark.slow
def test_an_answer_and_the_sharper_one_are_counted_once(tmp_path):
    subject = sharpened()
    assert [float(question.cost.epsilon) for question in subject.questions] == [0.25, 2.0]
    assert float(subject.cost.epsilon) == 2.25
    found = run(subject, tmp_path)
    assert found["total"] == pytest.approx(2.25, rel=1e-6)
    assert subject.totals.basic == pytest.approx(2.25, rel=1e-6)
    (replaced,) = filter(None, (question.replaces for question in subject.questions))
    assert replaced.startswith("This answer replaces the earlier answer ")
    assert "This answer replaces the earlier answer" in report(subject)
