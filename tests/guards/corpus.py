"""Hashes of what about a thousand random questions are stored, priced and answered as.

``python -m tests.guards.corpus`` writes the hashes anew, after a change that is meant.
The questions are made as the JSON of their parameters, and all else is reached from the
request that is read back from it: so the corpus does not name the classes of questions.
"""

import hashlib
import json
import os
import random
import sys
import tempfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import plotly.io as pio
from scipy import special

from dpcore.analyses import secure, sharpening
from dpcore.analyses.base import Mode
from dpcore.analyses.reading import is_model, model_request_from, request_from
from dpcore.analyses.sharpening import sharper_draw
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.contribution_bounds import RowCap, at_most
from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.gathering import Background, planned, released
from dpcore.errors import DPCoreError
from dpcore.figures.privacy_label import LabelFacts
from dpcore.inference.intervals import LEVEL
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.sharper_answers import sharper_request
from dpcore.ledger.transaction import release
from dpcore.lessons.paths import LESSONS
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.label_selection import LabelSelection
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.privacy_filter import PrivacyBudget
from dpcore.statistics.parameters import COLUMN
from tests.models.tables_in_parts import in_parts
from tests.statistics.columns import DROP, category, number, yes_no

HASHES = Path(__file__).parents[1] / "vectors" / "guards.json"
SEED, QUESTIONS, PEOPLE = 20261126, 850, 60
NOW = datetime(2026, 11, 23, tzinfo=UTC)
AGE = number("age", kind=ColumnKind.WHOLE, unit="years")
PAY = number("pay", 5000.0, unit="euros")
HEIGHT = number("height", 250.0, missing=DROP, unit="cm")
BORN = Column(
    name="born", kind=ColumnKind.DATE, bounds=Interval(lower=0.0, upper=18000.0), missing=DROP
)
TOWN, SMOKES = category("town", ("north", "south", "west")), yes_no("smokes")
COLUMNS = (AGE, PAY, HEIGHT, BORN, TOWN, SMOKES)
OF_NUMBERS = (
    "mean",
    "sum",
    "variance",
    "standard deviation",
    "variance, divisor n",
    "standard deviation, divisor n",
)
NOISE = (
    *("laplace", "bit", "truncated", "truncated-published", "folded", "averaged"),
    *("generalized", "gaussian", "gaussian-classic", "gaussian-pdp", "gaussian-pdp-exact"),
    "gaussian-pdp-one-sided",
)
MODELS = ("linear", "Huber", "logistic", "Poisson")
LAWS = (
    "output",
    "output-public",
    "posterior",
    "objective",
    "adaptive",
    "output-fisher",
    "output-democratic",
)
SUMMED = ["laplace", "gaussian"]
SHAPES = (
    *("number", "number", "number", "number", "groups", "groups", "groups", "resampled"),
    *("resampled", "model", "model", "rank", "quantiles", "means", "cross", "shares"),
    *("matrix", "pair", "pair"),
)
NEWER = ("spread", "weighted", "labels_found", "bounds_found", "marginals", "tree", "sharper")
"""Shapes that came later: some questions of each, after all others."""
OF_EACH = 8
PROCEDURES = ("divide by their sum", "nearest shares", "all but one", "universal histogram")


def frame():
    """Return the cells of a table whose sums are exact."""
    rng = np.random.default_rng(1)
    age, pay = rng.integers(15, 110, PEOPLE), rng.integers(0, 50_000, PEOPLE) / 8
    born = pd.to_datetime(rng.integers(0, 19000, PEOPLE), unit="D").strftime("%Y-%m-%d")
    height = np.where(rng.random(PEOPLE) < 0.1, np.nan, rng.integers(1200, 2100, PEOPLE) / 8)
    return pd.DataFrame(
        {
            "age": age,
            "pay": np.where(rng.random(PEOPLE) < 0.05, np.nan, pay),
            "height": height,
            "born": np.where(rng.random(PEOPLE) < 0.05, "", born),
            "town": rng.choice(["north", "south", "west", "far", ""], PEOPLE),
            "smokes": rng.choice(["no", "yes", ""], PEOPLE),
        }
    )


class Maker:
    """Makes the parameters of questions at random."""

    def __init__(self, columns, *, cap=None):
        self.rng = np.random.default_rng(SEED + (cap or 0))
        self.numbers = columns[:4]
        self.labels = columns[4:]
        self.cap = cap

    def one(self, values):
        return values[int(self.rng.integers(len(values)))]

    def chance(self, share=0.5):
        return bool(self.rng.random() < share)

    def terms(self, relation="", rows=0):
        relation = relation or self.one(["substitution", "add-remove"])
        rows = rows or self.one([1, 1, 1, 2, 3])
        unit = {"noun": self.one(["person", "person", "household"]), "rows": rows}
        public = relation == "substitution" and rows == 1
        if self.cap:
            unit["rows"], public = 1, public and self.chance()
            unit["cap"] = self.cap
        people = PEOPLE if public else self.one([20, 60, 300])
        size = {"people": people, "public": public}
        return {"relation": relation, "unit": unit, "size": size}

    def column(self, among, terms, **changes):
        found = COLUMN.write(self.one(among)) | changes
        if found["missing"] == "drop" and terms["size"]["public"]:
            found["missing"] = "replace"
            found["replacement"] = found["labels"][0] if found["labels"] else found["bounds"][0]
        return found

    def scalar(self, kind, terms):
        of_labels = kind in {"count", "proportion", "histogram", "all shares"}
        column = self.column(self.labels if of_labels and self.chance() else self.numbers, terms)
        found = terms | {"kind": kind, "column": column, "membership": None, "edges": None}
        low, high = column["bounds"] or (0.0, 1.0)
        middle = float(low + (high - low) * self.one([0.25, 0.5, 0.75]))
        if kind in {"count", "proportion"}:
            within = {"interval": self.one([[None, middle], [middle, None], [low, middle]])}
            found["membership"] = within if column["bounds"] else {"label": column["labels"][-1]}
        elif of_labels and column["bounds"]:
            found["edges"] = [low, middle, high]
        found |= {"q": self.one([0.1, 0.9])} if kind == "quantile" else {}
        return found | ({"qs": [0.25, 0.5, 0.9]} if kind == "several quantiles" else {})

    def grouped(self, kind, terms):
        found = self.scalar(kind, terms | {"size": {"people": 100, "public": False}})
        degree = {"mean": 1, "proportion": 1, "sum": 0, "count": 0}.get(kind, 2)
        if kind == "difference of groups":
            found |= {"pair": ["south", "north"]}
        if degree:
            found.pop("size")
            found |= {} if "pair" in found else {"moments": degree}
        return found | {"group": self.column(self.labels, terms)}

    def joint(self, kind, terms):
        size = {"pooled variance": 1, "covariance matrix": 3}.get(kind, 2)
        numbers = self.numbers[:3] if kind != "covariance" else self.numbers
        chosen = self.rng.permutation(len(numbers))[:size]
        columns = [self.column((numbers[place],), terms) for place in chosen]
        found = terms | {"kind": kind, "columns": columns}
        if "pooled" in kind:
            town, private = self.column(self.labels[:1], terms), self.chance()
            sizes = {} if private else {"sizes": [20, 15, 15, 10]}
            found |= {"group": town, "labels_public": not private} | sizes
        if kind.startswith("means"):
            found.pop("size")
            found |= {"group": self.column(self.labels, terms)}
        return found

    def crossed(self, kind, terms):
        first, second = self.rng.permutation(len(self.numbers + self.labels))[:2]
        axes = [self.column(((*self.numbers, *self.labels)[at],), terms) for at in (first, second)]
        cut = [
            {"edges": [b[0], sum(b) / 2, b[1]]} if (b := axis["bounds"]) else {} for axis in axes
        ]
        both = [{"column": axis} | edges for axis, edges in zip(axes, cut, strict=True)]
        return terms | {"kind": kind, "crossed": both}

    def noisy(self, query, among=NOISE):
        key = self.one(among)
        delta = self.one([1e-6, 1e-5]) if key.startswith("gaussian") else 0.0
        return {
            "query": query,
            "mechanism": key,
            "epsilon": self.one([0.25, 0.5, 1.0, 3.0]),
            "delta": delta,
        }

    def resampled(self):
        form = self.one(["bootstrap", "subsampled", "resized"])
        terms = self.terms("" if form == "subsampled" else "substitution", rows=1)
        kinds = ["mean", "proportion", *(["sum", "count"] if form != "resized" else [])]
        query = self.scalar(self.one(kinds), terms)
        people = query["size"]["people"]
        found = {"kind": form, "query": query, "epsilon": self.one([0.5, 1.0]), "delta": 0.0}
        if form == "bootstrap":
            correction = self.one(["published", "asymptotic", "finite sample"])
            bound = "generic" if correction.startswith("finite") else None
            known = {"rho": 0.5, "delta": 1e-6, "times": 3, "bound": bound}
            return {"kind": form, "query": query, "correction": correction} | known
        if form == "subsampled":
            law = self.one(["laplace", "gaussian"])
            fixed = query["relation"] == "substitution"
            known = {"mechanism": f"subsampled-{law}", "share": self.one([0.25, 0.5])}
            delta = 1e-6 if law == "gaussian" else 0.0
            return found | known | {"delta": delta, "people": people if fixed else None}
        key = self.one(["resized-published", "resized-repaired"])
        return found | {
            "mechanism": key,
            "draws": self.one([5, 20]),
            "delta": self.one([0.0, 1e-6]),
        }

    def model(self):
        terms, model, key = self.terms(), self.one(MODELS), self.one(LAWS)
        target = self.column(self.labels[1:] if model == "logistic" else self.numbers[:2], terms)
        among = (*self.numbers[2:], *self.labels[:1])[: self.one([1, 2, 3])]
        matrix = np.eye(1 + sum(max(1, len(c.labels)) for c in among)).tolist()
        question = {
            "target": target,
            "features": [self.column((column,), terms) for column in among],
            "intercept": self.chance(0.8),
            "unit_rows": self.one(["divide all", "clip long ones"]),
            "model": model,
            "penalty": {"strength": 20.0, "spares_first": False, "per_person": self.chance(0.3)},
            "threshold": 0.25 if model == "Huber" else None,
            "relation": terms["relation"],
            "unit": terms["unit"],
            "most_people": PEOPLE,
        }
        return {
            "kind": "model",
            "question": question | ({"covers_excess": True} if self.chance() else {}),
            "mechanism": key,
            "epsilon": self.one([0.5, 1.0]),
            "delta": 1e-6,
            "gamma": self.one([None, 1.0]),
            "samples": self.one([1, 2]) if key == "posterior" else 1,
            "matrix": matrix if key == "output-public" else None,
            "share": 0.5 if key == "adaptive" else None,
        }

    def number(self):
        kind = self.one([*OF_NUMBERS, "count", "proportion", "histogram", "all shares"])
        return self.noisy(self.scalar(kind, self.terms()))

    def rank(self):
        found = self.scalar(self.one(["median", "quantile"]), self.terms())
        return self.noisy(found, ["exponential"])

    def quantiles(self):
        return self.noisy(self.scalar("several quantiles", self.terms()), SUMMED)

    def groups(self):
        kind = self.one([*OF_NUMBERS, "count", "proportion", "difference of groups"])
        return self.noisy(self.grouped(kind, self.terms()), self.one([NOISE, SUMMED]))

    def means(self):
        return self.noisy(self.joint("means of several columns", self.terms()), SUMMED)

    def cross(self):
        return self.noisy(self.crossed("cross table", self.terms()))

    def shares(self):
        found = self.noisy(self.scalar("all shares", self.terms()), ["bit", "truncated", "laplace"])
        how = self.one(PROCEDURES)
        constraint = {
            "kind": how,
            "remainder": 0 if how == "all but one" else None,
            "branching": 2 if how == "universal histogram" else None,
            "syntheses": self.one([1, 2]),
        }
        return found | {"constraint": constraint}

    def matrix(self):
        kind, count = self.one([("correlation", 3), ("covariance matrix", 6)])
        found = self.noisy(self.joint(kind, self.terms()), ["laplace", "bit", "truncated"])
        return found | ({"weights": [1.0, *[2.0] * (count - 1)]} if self.chance() else {})

    def pair(self):
        kind = self.one(["covariance", "pooled variance", "pooled covariance"])
        return self.noisy(self.joint(kind, self.terms("substitution", rows=1)))

    def spread(self):
        found = self.scalar("mean and standard deviation", self.terms(rows=1))
        return self.noisy(found, SUMMED)

    def weighted(self):
        kind, terms = self.one(["mean", "proportion"]), self.terms()
        found = self.scalar(kind, terms) | {
            "kind": f"weighted {kind.replace('proportion', 'share')}"
        }
        groups = [self.column(self.labels, terms)] if self.chance() else []
        found |= {"group": groups, "weight": self.column((PAY,), terms)}
        return self.noisy(found, SUMMED)

    def undeclared(self, column, kind, key):
        terms = self.terms() | {"size": {"people": 100, "public": False}}
        known = {"labels": [], "bounds": None, "missing": "drop", "replacement": None}
        found = self.noisy(terms | {"kind": kind, "column": COLUMN.write(column) | known}, [key])
        return found, found["query"]

    def labels_found(self):
        found, query = self.undeclared(TOWN, "labels", "label-selection")
        query["longest"] = self.one([4, 100])
        return found | {"epsilon": 3.0, "delta": self.one([1e-4, 0.1])}

    def bounds_found(self):
        found, query = self.undeclared(self.one(self.numbers[:3]), "bounds", "laplace")
        query["decades"] = self.one([[-6, 12], [0, 4]])
        return found

    def marginals(self):
        found = self.crossed("set of marginals", self.terms())
        found |= {"tables": self.one([[[0], [1]], [[0, 1]], [[0], [0, 1]]])}
        return self.noisy(found | {"consistent": self.chance()}, SUMMED)

    def tree(self):
        found = self.crossed("synthetic table", self.terms(rows=1))
        found["axes"] = found.pop("crossed")
        return self.noisy(found, ["spanning-tree"]) | {"delta": self.one([1e-6, 1e-5])}

    def sharper(self):
        """Return a question whose answer is sharpened."""
        kind = self.one(["mean", "sum", "count", "histogram"])
        found = self.noisy(self.scalar(kind, self.terms()), ["laplace", "bit"])
        return found | {"sharper": self.one([1.5, 4.0])}

    def next(self):
        """Return the parameters of a question of any shape."""
        return getattr(self, self.one(SHAPES))()

    def newer(self, place):
        """Return the parameters of a question of a shape that came later."""
        return getattr(self, NEWER[place % len(NEWER)])()


def drawn(rng):
    """Return what stands in for the secure sampler."""

    def draw(mechanism, value, **_):
        if isinstance(mechanism, Exponential):
            return np.array([float(np.argmax(value))])
        return mechanism.simulate(value, rng=rng, size=np.shape(value))

    return draw


def mark(make):
    """Return a short hash of what is made, or of why it is refused."""
    try:
        made = make()
    except DPCoreError as error:
        made = f"refused: {error}"
    content = made if isinstance(made, bytes) else str(made).encode()
    return hashlib.blake2b(content, digest_size=4).hexdigest()


def cells(value):
    """Return the bytes of what an answer is drawn from."""
    if isinstance(value, dict):  # the number of people of each label
        return json.dumps(value, sort_keys=True).encode()
    found = getattr(value, "values", getattr(value, "theta", value))
    return np.asarray(found).tobytes()


def opened(request):
    """Return a ledger with an account of the table."""
    ledger = Ledger.in_memory()
    budget = PrivacyBudget.of(epsilon=10**6, delta=0.99)
    ledger.open_account("table", budget, request.relation, request.unit.rows)
    return ledger


def answered(request, value, seed, ledger=None):
    """Return the record of an answer that is not drawn securely."""
    rng, ledger = np.random.default_rng(seed), ledger or opened(request)
    bits = random.Random(seed).getrandbits  # noqa: S311 - nothing is released
    conditional = partial(sharper_draw, bits=bits)

    def counted(law, counts):
        return counts + rng.integers(-law.threshold, law.threshold + 1, len(counts))

    with (
        mock.patch.object(LabelSelection, "secure_draw", counted),
        mock.patch.object(secure, "draw", drawn(rng)),
        mock.patch.object(sharpening, "sharper_draw", conditional),
        mock.patch.object(os, "urandom", rng.bytes),
    ):
        return release(
            request, value, ledger=ledger, fingerprint="table", mode=Mode.CLASSROOM, now=NOW
        )


def planned_as(request):
    """Return what is known of an answer before it is drawn."""
    plan, cost = request.plan, request.cost
    after = [plan.noise, plan.event.to_dict(), cost.epsilon, cost.delta, cost.rho]
    if request.parameters().get("kind") is None:
        after += [plan.rho, plan.worst_case(delta=1e-6)]
        after += np.asarray(plan.half_widths(LEVEL)).tolist()
    return [*after, request.refusal(Mode.CLASSROOM), request.refusal(Mode.RELEASE)]


def words(request):
    """Return what a request says of itself."""
    asked = request.asked
    return (request.title, request.statement, request.unit_text, request.units, asked.conditions)


class Guard:
    """The hashes of a question, by what is hashed."""

    def __init__(self, parameters, table, parts, seed):
        self.request, self.record, self.ledger = None, None, None
        read = model_request_from if is_model(parameters) else request_from
        try:
            request = read(json.loads(json.dumps(parameters)), table)
            self.request = self.sharper(request, parameters, table, seed)
        except DPCoreError:
            self.hashes = "refused"
            return
        request = self.request
        found = {
            "parameters": mark(lambda: json.dumps(request.parameters(), sort_keys=True)),
            "words": mark(lambda: words(request)),
            "plan": mark(lambda: planned_as(request)),
            "width": mark(lambda: request.width(group=20)),
            "parts": mark(lambda: cells(request.value(parts))) if parts else "",
            "answer": mark(lambda: self.answer(table, seed)),
        }
        self.hashes = " ".join(f"{name}:{value}" for name, value in found.items() if value)

    def sharper(self, request, parameters, table, seed):
        """Return the request that sharpens its answer, where that is asked for."""
        if "sharper" not in parameters:
            return request
        self.ledger = opened(request)
        earlier = answered(request, request.value(table), seed + 1, self.ledger)
        return sharper_request(earlier, request, request.epsilon * parameters["sharper"])

    def answer(self, table, seed):
        """Return the bytes of the value and of the record."""
        value = self.request.value(table)
        self.record = answered(self.request, value, seed, self.ledger)
        return cells(value) + self.record.to_json().encode()


def documents(guards, table):
    """Return the hashes of all documents of some releases, and of the same as a plan."""
    request, found = guards[0].request, {}
    behind = Background(
        facts=LabelFacts(
            budget=PrivacyBudget.of(epsilon=100, delta=1e-3),
            spent=request.cost,
            relation=request.relation,
            unit=request.unit,
            number=PEOPLE,
            releases=len(guards),
        ),
        dataset=table,
        everybody=False,
        entries=(),
        today="2026-11-23",
    )
    items = tuple(PlannedQuery.of(guard.request) for guard in guards)
    subjects = {
        "released": released([guard.record for guard in guards], behind),
        "planned": planned(AnalysisPlan(items=items, total=50.0, delta=1e-6), behind),
    }
    for name, subject in subjects.items():
        for document in DOCUMENTS:
            text = document.text(subject)
            found[f"{name}, {document.name}"] = mark(lambda text=text: text)
    return found


def newer(table, parts):
    """Return the hashes of questions of the shapes that came later, and of their documents."""
    maker, found, guards = Maker(COLUMNS), {}, []
    for place in range(OF_EACH * len(NEWER)):
        parameters = maker.newer(place)
        guards.append(Guard(parameters, table, parts, place))
        found[f"newer {place}, {parameters['query']['kind']}"] = guards[-1].hashes
    # An earlier answer is in a ledger of its own.
    known = [each for each in guards if each.record and each.ledger is None]
    for relation in ("substitution", "add-remove"):
        alike = {
            PlannedQuery.of(each.request).key: each
            for each in known
            if (each.request.relation.value, each.request.unit.rows) == (relation, 1)
        }
        marks = documents([*alike.values()][:8], table)
        found |= {f"newer {name}, {relation}": value for name, value in marks.items()}
    return found


def pictures():
    """Return the hashes of the pictures of all lessons, as their knobs are first."""
    others, pio.templates.default = pio.templates.default, "plotly"  # Streamlit sets its own
    try:
        shown = {key: lesson.view(lesson.first).picture for key, lesson in LESSONS.items()}
        return {
            # A figure is drawn when it is asked for.
            f"lesson {key}": mark(
                lambda one=one: one.figure.to_json() + one.alt + one.table.to_csv()
            )
            for key, one in shown.items()
        }
    finally:
        pio.templates.default = others


def arithmetic():
    """Return a hash of how this machine computes: the last bits of a few functions."""
    x = np.linspace(0.01, 3, 997)
    square = np.outer(x[:40], x[40:80]) + np.diag(x[:40])
    results = (np.exp(x), np.log(x), np.sin(x), x.sum(), x @ x[::-1], special.ndtri(x / 4))
    solved = (
        square @ square.T,
        np.linalg.solve(square, x[:40]),
        np.linalg.eigvalsh(square.T @ square),
    )
    return mark(lambda: b"".join(np.asarray(one).tobytes() for one in results + solved))


def hashes(questions=QUESTIONS, capped_ones=150):
    """Return all hashes by the name of what is hashed; of so many questions."""
    table = Dataset(name="t", frame=frame(), columns=COLUMNS)
    visits = frame().assign(owner=np.arange(PEOPLE) // 3)
    source = Dataset(
        name="t", frame=visits, columns=(*COLUMNS, Column(name="owner", kind=ColumnKind.IDENTIFIER))
    )
    capped = at_most(source, RowCap(owners=("owner",), most=2), key=b"k" * 32)
    found, plain = {"arithmetic": arithmetic()}, []
    with tempfile.TemporaryDirectory() as folder:
        parts = in_parts(Path(folder), table, (7, 30), group=16)
        for maker, read, lying, count in (
            (Maker(COLUMNS), table, parts, questions),
            (Maker(capped.columns, cap=2), capped, None, capped_ones),
        ):
            for place in range(count):
                parameters = maker.next()
                guard = Guard(parameters, read, lying, place)
                asked = parameters.get("query") or parameters["question"]
                kind = asked.get("kind") or asked["model"]
                name = f"{'capped' if maker.cap else 'plain'} {place}, {kind}"
                found[f"{name}, {parameters.get('mechanism')}"] = guard.hashes
                alone = (asked["relation"], asked["unit"]["rows"]) == ("substitution", 1)
                if guard.record and alone and not maker.cap:
                    plain.append(guard)
        found |= newer(table, parts)
    for start in range(0, len(plain), 60):
        marks = documents(plain[start : start + 6], table)
        found |= {f"{name}, from {start}": value for name, value in marks.items()}
    return found | pictures()


if __name__ == "__main__":
    HASHES.write_text(json.dumps(hashes(), indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{HASHES}\n")
