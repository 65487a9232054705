"""Inject single-line faults into the core at random, and say which ones the tests notice.

``python -m tests.faults --count 60 --seed 1`` works in a copy of the committed tree, one fault
after the other, and runs the quick tests (``--all`` all of them) until the first failure: tests
of the same room first. A fault that changes no behavior cannot be noticed, such as a bound that
is never reached: a person looks at those that were not.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
QUICK = "not app and not browser and not server and not slow and not exhaustive"
_SWAPPED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A changed expression on one line."""

    path: str
    line: int
    begin: int
    end: int
    before: str
    after: str

    def put_into(self, source: str) -> str:
        """Return a file with the fault."""
        lines = source.splitlines(keepends=True)
        text = lines[self.line - 1].encode()
        changed = text[: self.begin] + f"({self.after})".encode() + text[self.end :]
        return "".join([*lines[: self.line - 1], changed.decode(), *lines[self.line :]])


def faults(path: str, source: str) -> Iterator[Fault]:
    """Yield every fault that can be injected into a file; text is left as it is."""
    tree = ast.parse(source)
    text = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or node in text or node.lineno != node.end_lineno:
            continue
        before = ast.unparse(node)
        if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _SWAPPED:
            node.op = _SWAPPED[type(node.op)]()
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPPED:
            node.ops[0] = _SWAPPED[type(node.ops[0])]()
        elif isinstance(node, ast.Constant) and type(node.value) in {int, float}:
            node.value = node.value + 1
        else:
            continue
        yield Fault(
            path=path, line=node.lineno, begin=node.col_offset, end=node.end_col_offset or 0,
            before=before, after=ast.unparse(node),
        )  # fmt: skip


def chosen(root: Path, count: int, rng: random.Random) -> list[Fault]:
    """Return faults of different lines of the core, chosen at random."""
    known = [
        fault
        for path in sorted((root / "dpcore").rglob("*.py"))
        for fault in faults(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    ]
    one_a_line = {(fault.path, fault.line): fault for fault in rng.sample(known, len(known))}
    return rng.sample(list(one_a_line.values()), count)


def noticed(root: Path, fault: Fault, *, quick: bool) -> str:
    """Return which test fails with the fault; empty if none does."""
    room = fault.path.split("/")[1]
    near, far = f"tests/{room}", ["tests", "dpcore"]
    orders = [[near]] * (root / near).is_dir() + [far]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile", "quick" if quick else "ci"]
    command += ["-m", QUICK, "--ignore", "tests/app", "--ignore", "tests/browser"] * quick
    path, right = root / fault.path, (root / fault.path).read_text(encoding="utf-8")
    path.write_text(fault.put_into(right), encoding="utf-8")
    try:
        for order in orders:
            run = subprocess.run(
                [*command, *order], cwd=root, capture_output=True, text=True, check=False
            )
            if run.returncode:
                lines = [
                    line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))
                ]
                return lines[0] if lines else f"pytest ended with {run.returncode}"
    finally:
        path.write_text(right, encoding="utf-8")
    return ""


def main() -> None:
    """Inject the faults that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="all tests, and not the quick ones only")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "copy"
        git = shutil.which("git") or "git"
        subprocess.run([git, "clone", "-q", str(ROOT), str(root)], check=True)
        found = 0
        for fault in chosen(root, asked.count, random.Random(asked.seed)):
            test = noticed(root, fault, quick=not asked.all)
            found += bool(test)
            place = f"{fault.path}:{fault.line}"
            print(
                f"{place}  {fault.before}  ->  {fault.after}  {test or 'NOT NOTICED'}", flush=True
            )
        print(f"{found} of {asked.count} noticed")


if __name__ == "__main__":
    main()
