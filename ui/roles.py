"""Who is signed in, and what their role may do.

Without sign-in, the person at the screen is the curator. What a role may not do is
refused where it is carried out, so that a message written by hand changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from typing import Final

import streamlit as st
from streamlit.auth_util import get_secrets_auth_section
from streamlit.runtime.secrets import secrets_singleton

from dpcore.errors import DPCoreError
from ui.text import literal

VARIABLE: Final = "EPSILON_STUDIO_SIGN_IN"
"""Names the file with the provider and the roles."""
_EMAIL: Final = "email"


class Role(StrEnum):
    """What somebody is here for."""

    CURATOR = "curator"
    ANALYST = "analyst"
    VIEWER = "viewer"


class Action(StrEnum):
    """What not every role may do, in the words of a refusal."""

    PLAN = "use a table of your own"
    RELEASE = "release, or change budgets"
    SEE = "see confidential values"


_PERMITTED: Final = {
    Role.CURATOR: frozenset(Action),
    Role.ANALYST: frozenset((Action.PLAN,)),
    Role.VIEWER: frozenset[Action](),
}
_DUTIES: Final = {
    Role.CURATOR: "You approve plans and release.",
    Role.ANALYST: "You plan questions. A curator releases the answers.",
    Role.VIEWER: "You see what was released.",
}


class RoleError(DPCoreError):
    """The role of whoever is signed in does not permit it."""


def is_needed() -> bool:
    """Return whether people sign in here. A named file counts even if it is missing."""
    return bool(os.environ.get(VARIABLE)) or _has_provider()


@cache
def _has_provider() -> bool:
    """Return whether Streamlit's own secrets name a provider, as the server starts."""
    return bool(get_secrets_auth_section())


def role() -> Role | None:
    """Return the role of whoever is at the screen, ``None`` if they have none."""
    if not is_needed():
        return Role.CURATOR
    user = st.user.to_dict()
    if not user.get("is_logged_in") or not secrets_singleton.load_if_toml_exists():
        return None
    return role_of(user, secrets_singleton.get("roles", {}))


def role_of(user: Mapping[str, object], roles: Mapping[str, object]) -> Role | None:
    """Return the strongest role that the settings give to a user.

    ``roles`` lists patterns for each role, which an entry of the claim has to match.

    >>> roles = {"curator": ["ann@x.org"], "viewer": ["*@x.org"]}
    >>> role_of({"email": "Ann@x.org"}, roles), role_of({"email": "bo@x.org"}, roles)
    (<Role.CURATOR: 'curator'>, <Role.VIEWER: 'viewer'>)
    >>> role_of({"email": "bo@x.org.evil.test"}, roles)
    >>> role_of({"email": "ann@x.org", "email_verified": False}, roles)
    >>> role_of({"groups": ["staff", "dp"]}, {"claim": "groups", "analyst": ["dp"]})
    <Role.ANALYST: 'analyst'>

    """
    claim = str(roles.get("claim", _EMAIL))
    if claim == _EMAIL and user.get("email_verified", True) not in (True, "true"):
        return None
    names = [name.lower() for name in _texts(user.get(claim))]
    for known in Role:
        patterns = [pattern.lower() for pattern in _texts(roles.get(known))]
        if any(fnmatchcase(name, pattern) for name in names for pattern in patterns):
            return known
    return None


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(one) for one in value] if isinstance(value, Iterable) else []


def may(action: Action) -> bool:
    """Return whether whoever is at the screen may do it."""
    found = role()
    return found is not None and action in _PERMITTED[found]


def require(action: Action) -> None:
    """Go on only where the role permits it.

    Raises:
        RoleError: It does not.

    """
    if not may(action):
        raise RoleError(f"your role does not permit you to {action}. Ask a curator.")


def is_known() -> bool:
    """Let people in who have a role; offer to sign in to all others."""
    if role() is not None:
        return True
    st.title("Epsilon Studio")
    if st.user.to_dict().get("is_logged_in"):
        st.error("You are signed in, and have no role here. Ask the administrator for one.")
        st.button("Sign out", on_click=st.logout)
    else:
        st.markdown("Sign in to go on.")
        st.button("Sign in", type="primary", on_click=st.login)
    return False


def beside() -> None:
    """Say in the sidebar who is signed in, and as what."""
    found = role()
    if not is_needed() or found is None:
        return
    name = st.user.to_dict().get("name") or st.user.to_dict().get(_EMAIL, "")
    st.caption(f"{literal(str(name))}, {found}. {_DUTIES[found]}")
    st.button("Sign out", on_click=st.logout)
