"""A packed file becomes the one file in it, and never more than may be read."""

from __future__ import annotations

import io
import lzma
import zipfile
from typing import Final

from dpcore.data import limits
from dpcore.errors import DataError

_ZIP: Final = b"PK\x03\x04"
_XZ: Final = b"\xfd7zXZ\x00"
_STREAMS: Final = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_XZ_MEMORY: Final = 1 << 28
"""What an archive may ask for to be unpacked: its header names the size."""
_OFFICE: Final = "[Content_Types].xml"


def unpacked(data: bytes) -> bytes:
    """Return the file in a gzip, bzip2, xz, Zstandard or zip archive, others as is.

    How much a file becomes is limited while it is unpacked, so that a small archive of
    a huge file is refused before it fills the memory. Workbooks of office programs are
    zip archives, too, and stay as they are.

    Raises:
        DataError: The archive is damaged or locked, holds more than one file, or a file
            larger than may be read.

    """
    for signature, name in _STREAMS.items():
        if data.startswith(signature):
            return _limited(_from_stream(data, name))
    if data.startswith(_XZ):
        return _limited(_from_xz(data))
    return _limited(_from_zip(data)) if data.startswith(_ZIP) else data


def _from_stream(data: bytes, name: str) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    try:
        with pa.CompressedInputStream(pa.BufferReader(data), name) as stream:
            return bytes(stream.read(limits.MAX_BYTES + 1))
    except (OSError, pa.ArrowException):
        raise _damaged() from None


def _from_xz(data: bytes) -> bytes:
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    try:
        text = reader.decompress(data, limits.MAX_BYTES + 1)
    except (lzma.LZMAError, MemoryError):
        raise _damaged() from None
    if not reader.eof and len(text) <= limits.MAX_BYTES:
        raise _damaged()
    return text


def _from_zip(data: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if _OFFICE in names:
                return data
            files = [
                name
                for name in names
                if not name.endswith("/") and not name.startswith("__MACOSX/")
            ]
            if len(files) != 1:
                raise DataError(
                    f"the zip archive holds {len(files)} files, and it has to hold "
                    "one. Unpack it, and upload the file with the table."
                )
            with archive.open(files[0]) as file:
                return file.read(limits.MAX_BYTES + 1)
    except RuntimeError:
        raise DataError(
            "the zip archive is locked with a password. Unpack it, and upload the file."
        ) from None
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError):
        raise _damaged() from None


def _limited(text: bytes) -> bytes:
    limits.check_bytes(len(text))
    return text


def _damaged() -> DataError:
    message = (
        "the archive cannot be unpacked: it is damaged, or was not sent to its end. "
        "Pack the table once more, or upload it unpacked."
    )
    return DataError(message)
