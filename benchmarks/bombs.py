"""Small or hostile files of every format: how long each takes, and how much memory.

``python -m benchmarks.bombs`` reads each in a process of its own, as an upload is, and
prints seconds, the memory that was added at most, and what came out.
``python -m benchmarks.bombs NAME`` reads one, in this process.
"""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_SECONDS: Final = 180
_BLOCK: Final = 1000
_RELATION: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LINKS: Final = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    f'relationships"><Relationship Id="rId1" Type="{_RELATION}/worksheet" '
    f'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{_RELATION}/'
    'sharedStrings" Target="sharedStrings.xml"/></Relationships>'
)
_ROOT: Final = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    f'relationships"><Relationship Id="rId1" Type="{_RELATION}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>'
)
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(rows: Iterable[str], strings: Iterable[str] = ()) -> bytes:
    """Return a workbook of one sheet, whose XML is written as it comes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        )
        archive.writestr("_rels/.rels", _ROOT)
        archive.writestr(
            "xl/workbook.xml",
            '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
            'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
            '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
        )
        archive.writestr("xl/_rels/workbook.xml.rels", _LINKS)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for row in rows:
                sheet.write(row.encode())
            sheet.write(b"</sheetData></worksheet>")
        with archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as shared:
            shared.write(f'<sst xmlns="{_MAIN}">'.encode())
            for text in strings:
                shared.write(text.encode())
            shared.write(b"</sst>")
    return made.getvalue()


def _rows(rows: int, columns: int, cell: str) -> Iterable[str]:
    letters = [chr(ord("A") + place) for place in range(columns)]
    for row in range(1, rows + 1):
        cells = (cell.format(f"{letter}{row}") for letter in letters)
        yield f'<row r="{row}">{"".join(cells)}</row>'


def _cells() -> bytes:
    return workbook(_rows(500_000, 20, '<c r="{}"><v>1</v></c>'))


def _unplaced() -> bytes:
    return workbook(f"<row>{'<c><v>1</v></c>' * 20}</row>" * _BLOCK for _ in range(500))


def _errors() -> bytes:
    cells = '<c t="e" r="A1"></c>'
    return workbook(f"<row>{cells * 1000}</row>" for _ in range(2_900))


def _shared() -> bytes:
    return workbook(
        _rows(100, 2, '<c r="{}" t="s"><v>0</v></c>'),
        (f"<si><t>{place}</t></si>" for place in range(20_000_000)),
    )


def _long_shared() -> bytes:
    """Every cell is one text of 100 kB."""
    return workbook(
        _rows(500_000, 5, '<c r="{}" t="s"><v>0</v></c>'), (f"<si><t>{'x' * 100_000}</t></si>",)
    )


def _spread() -> bytes:
    return workbook(
        ('<row r="1"><c r="A1"><v>1</v></c></row>',
         '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')
    )  # fmt: skip


def _white() -> bytes:
    """Return a sheet of blanks: 900 MB of XML."""
    return workbook(" " * 1_000_000 for _ in range(900))


def _unclosed() -> bytes:
    return workbook(["<c " * 20_000_000])


def _comma_lines() -> bytes:
    header = ",".join(f"c{place}" for place in range(2000))
    return f"{header}\n".encode() + (b"," * 1999 + b"\n") * 94_000


def _names() -> bytes:
    return b"a," * (90 << 20)


def _blank_lines() -> bytes:
    return b"a,b\n1,2\n" + b"\n" * (180 << 20) + b"3,4\n"


def _quotes() -> bytes:
    return b'a,b\n"' + b'""' * (90 << 20)


def _quoted_cells() -> bytes:
    return b"a,b\n" + b'"",""\r\n' * (190 << 17) + b'x"y,1\n'


def _distinct() -> bytes:
    body = "\n".join(f"x{a:06x},y{a:06x}" for a in range(7_500_000))
    return f"a,b\n{body}\n".encode()


def _irregular_distinct() -> bytes:
    body = "\n".join(f"x{a:06x},y{a:06x}" for a in range(7_500_000))
    return f'a,b\n1,x"\n\n{body}\n'.encode()


def _numbers() -> bytes:
    return b"a,b\n" + b"1,2\n" * 9_900_000


def _legitimate() -> bytes:
    """One million rows of thirty numbers."""
    header = ",".join(f"c{place}" for place in range(30))
    line = ",".join(f"{place * 37 % 1000}" for place in range(30))
    return f"{header}\n".encode() + f"{line}\n".encode() * 1_000_000


def _packed_commas() -> bytes:
    import gzip  # noqa: PLC0415

    return gzip.compress(b"," * (181 << 20))


def _white_space() -> bytes:
    return b"a b\n" + b"1 2\n" * 1000 + b" " * (180 << 20) + b"\n"


def _latin() -> bytes:
    return b"a,b\n" + (b"\xe4" * 50 + b",1\n") * 3_700_000


def _parquet(make: Callable[[], pa.Table], **options: object) -> bytes:
    import pyarrow.parquet as pq  # noqa: PLC0415

    made = io.BytesIO()
    pq.write_table(make(), made, **options)
    return made.getvalue()


def _constant(rows: int, columns: int) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    column = pa.repeat(pa.scalar(1.5), rows)
    return pa.table({f"c{place}": column for place in range(columns)})


def _long_text(rows: int) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    column = pa.DictionaryArray.from_arrays(
        pa.repeat(pa.scalar(0, pa.int32()), rows), pa.array(["x" * 1_000_000])
    )
    return pa.table({"a": column})


def _parquet_constant() -> bytes:
    return _parquet(lambda: _constant(9_000_000, 40))


def _parquet_wide() -> bytes:
    return _parquet(lambda: _constant(1_000_000, 400))


def _parquet_text() -> bytes:
    return _parquet(lambda: _long_text(9_000_000))


def _parquet_distinct() -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    def make() -> pa.Table:
        texts = pa.array([f"x{place:07x}" for place in range(7_500_000)])
        return pa.table({"a": texts, "b": texts})

    return _parquet(make, compression="zstd")


def _arrow(table: pa.Table, compression: str | None) -> bytes:
    import pyarrow as pa  # noqa: PLC0415

    made = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(made, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=1 << 20)
    return made.getvalue()


def _arrow_packed() -> bytes:
    return _arrow(_constant(6_000_000, 40), "zstd")


def _arrow_dictionary() -> bytes:
    return _arrow(_long_text(9_000_000), "zstd")


def _arrow_nulls() -> bytes:
    """Columns of nulls take no bytes at all."""
    import pyarrow as pa  # noqa: PLC0415

    column = pa.nulls(10_000_000)
    return _arrow(pa.table({f"c{place}": column for place in range(500)}), None)


def _sav() -> bytes:
    return _coded("write_sav", "zsav", row_compress=False, compress=True)


def _coded(writer: str, suffix: str, **options: object) -> bytes:
    import pathlib  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    import pyreadstat  # noqa: PLC0415

    rows, columns = (600_000, 90) if suffix in {"zsav", "sav"} else (250_000, 90)
    frame = pd.DataFrame(
        np.ones((rows, columns)), columns=[f"c{place}" for place in range(columns)]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"a.{suffix}"
        getattr(pyreadstat, writer)(frame, str(path), **options)
        return path.read_bytes()


def _sav_rows() -> bytes:
    return _coded("write_sav", "sav", row_compress=True)


def _sav_text() -> bytes:
    """Texts of 30,000 blanks each, which are packed to next to nothing."""
    import pathlib  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    import pandas as pd  # noqa: PLC0415
    import pyreadstat  # noqa: PLC0415

    frame = pd.DataFrame({"a": ["x" * 30_000] * 60_000})
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.zsav"
        pyreadstat.write_sav(frame, str(path), compress=True)
        return path.read_bytes()


def _dta() -> bytes:
    return _coded("write_dta", "dta")


def _xpt() -> bytes:
    return _coded("write_xport", "xpt")


BOMBS: Final[dict[str, Callable[[], bytes]]] = {
    name.removeprefix("_"): made
    for name, made in globals().copy().items()
    if name
    in {
        "_cells", "_unplaced", "_errors", "_shared", "_long_shared", "_spread",
        "_white", "_unclosed", "_commas", "_comma_lines", "_names", "_blank_lines",
        "_quotes", "_quoted_cells", "_distinct", "_irregular_distinct", "_numbers",
        "_legitimate", "_packed_commas", "_white_space", "_latin", "_parquet_constant",
        "_parquet_wide", "_parquet_text", "_parquet_distinct", "_arrow_packed",
        "_arrow_dictionary", "_arrow_nulls", "_sav", "_sav_rows", "_sav_text", "_dta",
        "_xpt",
    }
}  # fmt: skip


def measure(name: str) -> str:
    """Read a bomb in this process, and say in a line what it took."""
    from dpcore import memory  # noqa: PLC0415
    from dpcore.data.readers.files import read, unpacked  # noqa: PLC0415
    from dpcore.errors import DPCoreError  # noqa: PLC0415

    made = subprocess.run(
        [sys.executable, __file__, name, "--bytes"],
        check=True, capture_output=True,
    ).stdout  # fmt: skip
    read(b"a,b\n1,2\n")
    before = _peak()
    start, processor = time.monotonic(), time.process_time()
    try:
        with memory.some_at_hand():
            frame = read(unpacked(made)).frame
        outcome = f"read, {len(frame):,} x {len(frame.columns):,}"
    except DPCoreError as error:
        outcome = f"refused: {error}"
    seconds = time.monotonic() - start
    cpu = time.process_time() - processor
    return (
        f"{name:20} {len(made) / 2**20:7.1f} MB  {seconds:6.1f} s  (cpu {cpu:5.1f}) "
        f"+{(_peak() - before) / 2**10:7.0f} MB  {outcome}"
    )


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Read one bomb, or each in a process of its own."""
    match sys.argv[1:]:
        case [name, "--bytes"]:
            sys.stdout.buffer.write(BOMBS[name]())
        case [name]:
            print(measure(name), flush=True)
        case _:
            for name in BOMBS:
                try:
                    subprocess.run(
                        [sys.executable, __file__, name],
                        timeout=_MOST_SECONDS, check=False,
                    )  # fmt: skip
                except subprocess.TimeoutExpired:
                    print(f"{name:20} not over after {_MOST_SECONDS} s", flush=True)


if __name__ == "__main__":
    main()
