"""A reverse proxy as hosts have one: it ends TLS, and passes requests on to the app."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import ssl
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.browser.server import ROOT

_LOOPBACK = "127.0.0.1"
_END = b"\r\n\r\n"
_PART = 1 << 16


class Proxy:
    """A proxy with TLS before a server on this machine; a context manager."""

    def __init__(self, folder: Path, host: str, to: int) -> None:
        certificate = _certificate(folder, host)
        command = [sys.executable, "-m", "tests.browser.proxy", str(certificate), str(to)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


async def _serve(certificate: str, to: int) -> None:
    """Serve until the process is ended, and print the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = await asyncio.start_server(partial(_pass_on, to), _LOOPBACK, 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - read by the test
    await server.serve_forever()


async def _pass_on(to: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on one request, and all that follows an upgrade."""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        head = (await reader.readuntil(_END)).removesuffix(_END)
        kept = [line for line in head.split(b"\r\n") if not _of_this_connection(line)]
        upgrade = b"\r\nupgrade:" in head.lower()
        kept += [b"Connection: Upgrade" if upgrade else b"Connection: close"]
        kept += [b"X-Forwarded-Proto: https", b"X-Forwarded-For: 192.0.2.7"]
        app_reader, app_writer = await asyncio.open_connection(_LOOPBACK, to)
        app_writer.write(b"\r\n".join(kept) + _END)
        await asyncio.gather(_pipe(reader, app_writer), _pipe(app_reader, writer))
    writer.close()


def _of_this_connection(line: bytes) -> bool:
    return line.lower().startswith((b"connection:", b"x-forwarded-"))


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the end, and end there too."""
    with contextlib.suppress(OSError):
        while part := await reader.read(_PART):
            writer.write(part)
            await writer.drain()
    writer.close()


def _certificate(folder: Path, host: str) -> Path:
    """Return a file with a key and a certificate that nobody else has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "proxy.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return pem


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], int(sys.argv[2])))
