"""``epsilon-studio doctor``: check that the app can run here, and say what is missing."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from dpcore.errors import DPCoreError
from dpcore.version import VERSION
from epsilon_studio.location import app_folder, free_port, is_free

_PACKAGE: Final = "epsilon-studio"
_PYTHON: Final = (3, 11)
_SERVED: Final = ("app.py", "asgi.py", "pages", "ui", ".streamlit/config.toml")
SIGN_IN: Final = "EPSILON_STUDIO_SIGN_IN"
_SECTIONS: Final = ("auth", "roles")
_EXTRAS: Final = {
    "EPSILON_STUDIO_LEDGER": ("postgresql", ("sqlalchemy", "psycopg")),
    "EPSILON_STUDIO_DATABASES": ("postgresql", ("sqlalchemy",)),
    "EPSILON_STUDIO_CLUSTER": ("cluster", ("distributed",)),
    SIGN_IN: ("auth", ("authlib", "httpx")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one check.

    Attributes:
        ok: Whether the app can run with it.
        text: What was checked, what was found, and what to do. No address or password.

    """

    ok: bool
    text: str


def main(port: int | None = None) -> int:
    """Print the findings of all checks; return 1 if one of them failed."""
    print(f"Epsilon Studio {VERSION}")  # noqa: T201 - the output of the command
    found = [*findings(port)]
    for each in found:
        print(f"{'ok  ' if each.ok else 'FAIL'}  {each.text}")  # noqa: T201
    return 0 if all(each.ok for each in found) else 1


def findings(port: int | None) -> Iterator[Finding]:
    """Yield the result of each check."""
    yield Finding(
        ok=sys.version_info >= _PYTHON,
        text=f"Python {platform.python_version()} (needs {'.'.join(map(str, _PYTHON))} or newer)",
    )
    yield _packages()
    yield _files()
    yield from _extras()
    if os.environ.get(SIGN_IN):
        yield _attempted(_sign_in)
    for check in (_noise, _folder, _ledger):
        yield _attempted(check)
    yield _port(port)


def _packages() -> Finding:
    """Check that every required package is installed in the required range."""
    required = _requirements()
    wrong = [problem for line in required if (problem := _problem(line))]
    if wrong:
        return Finding(ok=False, text=f"Packages: {'; '.join(wrong)}. Install Epsilon Studio again")
    return Finding(ok=True, text=f"Packages: {len(required)} installed, all in range")


def _requirements() -> list[str]:
    """Return the required packages, of the installation or else of the checkout."""
    try:
        lines = metadata.requires(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        listed = Path(__file__).parents[1] / "requirements.txt"
        lines = [line for line in listed.read_text(encoding="ascii").splitlines() if line]
    return [line for line in lines if "extra ==" not in line and not line.startswith("-")]


def _problem(line: str) -> str:
    """Return what is wrong with a required package, empty if nothing is."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - may be missing itself

    required = Requirement(line)
    try:
        version = metadata.version(required.name)
    except metadata.PackageNotFoundError:
        return f"{required.name} is missing"
    if required.specifier.contains(version, prereleases=True):
        return ""
    return f"{required.name} is {version}, and {required.specifier} is needed"


def _files() -> Finding:
    missing = [name for name in _SERVED if not (app_folder() / name).exists()]
    text = f"missing: {', '.join(missing)}" if missing else "complete"
    return Finding(ok=not missing, text=f"Files of the app: {text}")


def _extras() -> Iterator[Finding]:
    """Check the packages that settings of the environment ask for."""
    for variable, (extra, names) in _EXTRAS.items():
        if os.environ.get(variable, "").strip():
            there = all(map(_is_installed, names))
            todo = "installed" if there else f"missing: install {_PACKAGE}[{extra}]"
            yield Finding(ok=there, text=f"Packages for {variable}: {todo}")


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _attempted(check: Callable[[], str]) -> Finding:
    """Return what a check says, or how it failed."""
    subject = (check.__doc__ or "").rstrip(".")
    try:
        return Finding(ok=True, text=f"{subject}: {check()}")
    except DPCoreError as error:
        return Finding(ok=False, text=f"{subject}: {error}")
    except Exception as error:  # noqa: BLE001 - a failed import can raise anything
        return Finding(ok=False, text=f"{subject}: {type(error).__name__}")


def _sign_in() -> str:
    """Sign-in."""
    settings = tomllib.loads(Path(os.environ[SIGN_IN]).read_text(encoding="utf-8"))
    missing = [name for name in _SECTIONS if name not in settings]
    if missing:
        raise DPCoreError(f"{SIGN_IN} names a file without [{'] and ['.join(missing)}]")
    return "a provider and roles are named"


def _noise() -> str:
    """Secure noise."""
    from dpcore import secure_noise  # noqa: PLC0415 - takes a second

    secure_noise.warm_up()
    return secure_noise.sampler()


def _folder() -> str:
    """Folder of the ledger."""
    from dpcore.ledger.store import default_folder  # noqa: PLC0415

    folder = default_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"x")
    return f"{folder} can be written"


def _ledger() -> str:
    """Ledger."""
    from dpcore.ledger import opening  # noqa: PLC0415
    from dpcore.ledger.ledger import Ledger  # noqa: PLC0415
    from dpcore.ledger.store import LEDGER, default_folder  # noqa: PLC0415

    address, folder = opening.address(), default_folder()
    if not address and not (folder / LEDGER).exists():
        return "none yet, the first release makes it"
    ledger = opening.on_server(address, folder) if address else Ledger.at(folder / LEDGER)
    ledger.verify()
    place = "on a server" if address else "in the folder"
    return f"{place}, {len(ledger.accounts())} accounts, its chain is intact"


def _port(port: int | None) -> Finding:
    if port is None:
        return Finding(ok=True, text=f"Port {free_port()} is free")
    free = is_free(port)
    return Finding(ok=free, text=f"Port {port} is {'free' if free else 'in use: choose another'}")
