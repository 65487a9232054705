"""A provider of OpenID Connect made for tests: it signs in whoever is chosen on its page."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.browser.server import ROOT, free_port

CLIENT, SECRET = "epsilon-studio", "known to the two of them"
PEOPLE = {"Ann": "ann@studio.test", "Ben": "ben@studio.test", "Cleo": "cleo@studio.test"}
STRANGER = "Dan"
_ADDRESSES = PEOPLE | {STRANGER: "dan@elsewhere.test"}
_LIFETIME = 600


class Provider:
    """The provider in a process of its own; a context manager."""

    def __init__(self) -> None:
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.browser.provider", str(self._port)]
        self._process = subprocess.Popen(command, cwd=ROOT)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def settings(self, folder: Path) -> Path:
        """Return a file with this provider and a role for each of the people."""
        file = folder / "sign-in.toml"
        curator, analyst, _ = PEOPLE.values()
        file.write_text(
            f"""
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "{secrets.token_urlsafe(32)}"
client_id = "{CLIENT}"
client_secret = "{SECRET}"
server_metadata_url = "{self.url}/.well-known/openid-configuration"

[roles]
curator = ["{curator}"]
analyst = ["{analyst}"]
viewer = ["*@studio.test"]
""",
            encoding="utf-8",
        )
        return file


def app(url: str) -> Starlette:
    """Return the provider as it is served at an address."""
    key = RSAKey.generate_key(2048, {"kid": "1", "alg": "RS256", "use": "sig"})
    codes: dict[str, dict[str, Any]] = {}

    async def metadata(_: Request) -> Response:
        return JSONResponse(
            {
                "issuer": url,
                "authorization_endpoint": f"{url}/authorize",
                "token_endpoint": f"{url}/token",
                "jwks_uri": f"{url}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        )

    async def authorize(request: Request) -> Response:
        """Offer the people; a chosen one comes back to the app with a code."""
        asked = request.query_params
        name = asked.get("as")
        if name is None:
            links = (
                f'<p><a href="{url}/authorize?{urlencode({**asked, "as": one})}">{one}</a></p>'
                for one in _ADDRESSES
            )
            return HTMLResponse("<h1>Who are you?</h1>" + "".join(links))
        code = secrets.token_urlsafe()
        codes[code] = {"name": name, "nonce": asked["nonce"]}
        back = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", 302)

    async def token(request: Request) -> Response:
        form = await request.form()
        known = codes.pop(str(form.get("code")), None)
        if known is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        email = _ADDRESSES[known["name"]]
        claims = known | {
            "iss": url,
            "aud": CLIENT,
            "sub": email,
            "email": email,
            "email_verified": True,
            "iat": now,
            "exp": now + _LIFETIME,
        }
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": signed})

    async def keys(_: Request) -> Response:
        return JSONResponse({"keys": [key.as_dict(private=False)]})

    return Starlette(
        routes=[
            Route("/.well-known/openid-configuration", metadata),
            Route("/authorize", authorize),
            Route("/token", token, methods=["POST"]),
            Route("/keys", keys),
        ]
    )


if __name__ == "__main__":
    port = int(sys.argv[1])
    uvicorn.run(app(f"http://127.0.0.1:{port}"), port=port, log_level="warning")
