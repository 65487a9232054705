"""Odd and broken files, each with the answer that a reader owes the user."""

from dataclasses import dataclass

SENTINEL = "SECRET-4711"
S = SENTINEL.encode()


@dataclass(frozen=True, slots=True)
class Bad:
    """A file to be refused: where, and what the message must mention."""

    name: str
    data: bytes
    mentions: tuple[str, ...]
    line: int | None = None
    column: int | None = None
    encoding: str = "utf-8"
    delimiter: str = ","
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Odd:
    """A file to be read as sniffed: its columns, None being a missing value."""

    name: str
    data: bytes
    expected: dict[str, list[object]]
    lines: tuple[int, ...] | None = None


BAD = (
    Bad("empty", b"", ("empty", "Upload")),
    Bad("only blank lines", b"\n\r\n  \n", ("empty",)),
    Bad("only a byte order mark", b"\xef\xbb\xbf", ("empty",)),
    Bad("header only", b"a,b\n", ("no records",)),
    Bad("header without line end", b"a,b", ("no records",)),
    Bad("too many fields", b"a,b\n1,2\n3," + S + b",5\n", ("line 3", "3 fields"), 3),
    Bad("too few fields", b"a,b,c\n1,2,3\n" + S + b",4\n", ("line 3", "2 fields"), 3),
    Bad("one field", b"a,b\n1,2\n" + S + b"\n3,4\n", ("line 3", "1 field "), 3),
    Bad("trailing delimiter", b"a,b\n1," + S + b",\n", ("line 2", "3 fields"), 2),
    Bad("all too long", b"a,b\n1,2," + S + b"\n1,2,3\n", ("line 2",), 2),
    Bad("ragged after blank", b"a,b\n\n1,2\n" + S + b"\n", ("line 4",), 4),
    Bad("ragged after a cell of two lines", b'a,b\n1,"x\ny"\n' + S + b"\n", ("line 4",), 4),
    Bad("ragged with quotes", b'a,b\n"1,5","' + S + b'","3"\n', ("line 2",), 2),
    Bad("ragged by stray quotes", b'a,b\n1,5"\n2"' + S + b"\n", ("line 3",), 3),
    Bad(
        "two errors that cancel", b'a,b,c,d\n1,5"\n2,"' + S + b'",3,4\n', ("line 2", "2 fields"), 2
    ),
    Bad("ragged on old Macs", b"a,b\r1,2\r" + S + b"\r", ("line 3",), 3),
    Bad("no delimiter but semicolons", b"a,b;c\n" + S + b";2\n", ("line 2",), 2),
    Bad("same names", b"a,b,a\n1,2," + S + b"\n", ("column 3", "column 1"), 1, 3),
    Bad("same names but for spaces", b"a, a\n1,2\n", ("column 2", "column 1"), 1, 2),
    Bad("nameless column", b"a,,c\n1,2,3\n", ("column 2", "no name"), 1, 2),
    Bad("blank name", b"a,  \n1,2\n", ("column 2", "no name"), 1, 2),
    Bad("very long name", b"a," + b"x" * 201 + b"\n1,2\n", ("200 characters",), 1, 2),
    Bad("10 000 columns", b",".join(b"c%d" % i for i in range(10_000)), ("2,000",), 1),
    Bad("xlsx", b"PK\x03\x04" + S, ("Excel", "save it as CSV")),
    Bad("xls", b"\xd0\xcf\x11\xe0\xa1\xb1" + S, ("Excel", "save it as CSV")),
    Bad("png", b"\x89PNG\r\n\x1a\n" + S, ("image",)),
    Bad("gzip", b"\x1f\x8b\x08" + S, ("unpack",)),
    Bad("parquet", b"PAR1" + S, ("Parquet",)),
    Bad("pdf", b"%PDF-1.7" + S, ("PDF",)),
    Bad("NUL bytes", b"a,b\n1,2\n" + S + b"\0,4\n", ("line 3", "NUL"), 3),
    Bad("UTF-16 without mark", ("a,b\n" + SENTINEL).encode("utf-16-le"), ("NUL",), 1),
    Bad("UTF-16 read as UTF-8", "a\n1".encode("utf-16"), ("choose", "utf-16"), 1),
    Bad("latin-1 read as UTF-8", b"a\n1\nM\xfcller " + S, ("line 3", "latin-1"), 3),
    Bad("latin-1 in the header", b"Gr\xf6\xdfe\n1\n", ("line 1", "latin-1"), 1),
    Bad("undefined in cp1252", b"a\n" + S + b"\x81\n", ("line 2",), 2, encoding="cp1252"),
    Bad("half a character", b"\xff\xfea", ("utf-16",), encoding="utf-16"),
    Bad("unclosed quote at the end", b'a,b\n1,2\n3,"' + S + b"\n4,5\n", ("line 3",), 3),
    Bad("unclosed quote", b'a,b\n1,2\n"' + S + b",4\n5,6\n", ("line 3",), 3),
    Bad(
        "unclosed quote in a large file",
        b'a,b\n1,2\n3,"' + (S + b"\n") * 20_000,
        ("line 3", "quotation mark"),
        3,
    ),
    Bad("unclosed quote in the header", b'a,"b\n' + S * 90, ("quotation",), 1),
    Bad(
        "unclosed quote in the header of a large file",
        b'a,"b\n' + S * 20_000,
        ("line 1", "quotation mark"),
        1,
    ),
    Bad("nameless column below blanks", b"\n \na,,c\n1,2,3\n", ("column 2",), 3, 2),
    Bad(
        "ragged below comments",
        b"# x\n\n# y\na,b\n1,2\n" + S + b"\n",
        ("line 6", "1 field "),
        6,
        skipped=3,
    ),
    Bad(
        "ragged below comments, with stray quotes",
        b'# x\na,b\n1,5"\n2"' + S + b"\n",
        ("line 4",),
        4,
        skipped=1,
    ),
    Bad("same names below sep=", b"sep=;\na;a\n", ("column 2",), 2, 2, "utf-8", ";", 1),
    Bad("everything left out", b"a,b\n1,2\n", ("no line is left", "2"), skipped=2),
    Bad("more left out than there is", b"a\n1\n", ("no line is left",), skipped=9),
    Bad("latin-1 below a comment", b"# x\na\n\xfc\n", ("line 3",), 3, skipped=1),
)

ODD = (
    Odd("one person", b"a\n1\n", {"a": [1]}),
    Odd("no line end", b"a,b\n1,2", {"a": [1], "b": [2]}, (2,)),
    Odd("Windows", b"a,b\r\n1,2\r\n3,4\r\n", {"a": [1, 3], "b": [2, 4]}, (2, 3)),
    Odd("old Macs", b"a,b\r1,2\r3,4\r", {"a": [1, 3], "b": [2, 4]}, (2, 3)),
    Odd("byte order mark", b"\xef\xbb\xbfa,b\n1,2\n", {"a": [1], "b": [2]}),
    Odd("UTF-16", "ä;b\n1,5;x\n".encode("utf-16"), {"ä": [1.5], "b": ["x"]}),
    Odd("Latin-1", "ä;b\nß;2\n".encode("latin-1"), {"ä": ["ß"], "b": [2]}),
    Odd("Latin-2", "b;a\nŁódź;2\n".encode("iso8859-2"), {"b": ["Łódź"], "a": [2]}),
    Odd("Cyrillic", "имя;a\nАнна;2\n".encode("cp1251"), {"имя": ["Анна"], "a": [2]}),
    Odd(
        "Mac Roman of old Macs",
        "nom;a\rFrançois;2\rHélène;3\r".encode("mac-roman"),
        {"nom": ["François", "Hélène"], "a": [2, 3]},
        (2, 3),
    ),
    Odd("Shift-JIS", "名前,a\n田中,2\n".encode("cp932"), {"名前": ["田中"], "a": [2]}),
    Odd("row numbers of R", b'"","a"\n"1",2\n', {"row": [1], "a": [2]}),
    Odd("pipes", b"a|b\n1|2,5\n", {"a": [1], "b": [2.5]}),
    Odd(
        "white space",
        b" a   b\n 01  1.50\n\t02 \t 2.25 \n",
        {"a": [1, 2], "b": [1.5, 2.25]},
        (2, 3),
    ),
    Odd(
        "title rows",
        b"Visits in May\n\nage,ward,pay\n31,east,5\n45,west,6\n",
        {"age": [31, 45], "ward": ["east", "west"], "pay": [5, 6]},
        (4, 5),
    ),
    Odd("tabs", b"a\tb\n1\t2,5\n", {"a": [1], "b": [2.5]}),
    Odd("empty cells of tabs", b"a\tb\n\t\n1\t2\n", {"a": [None, 1], "b": [None, 2]}),
    Odd("blank lines", b"\na,b\n\n1,2\n  \n3,4\n\n\n", {"a": [1, 3], "b": [2, 4]}, (4, 6)),
    Odd("blank lines in one column", b"a\n1\n\n2\n", {"a": [1, 2]}, (2, 4)),
    Odd("an empty cell in one column", b'a\n1\n""\n2\n', {"a": [1, None, 2]}, (2, 3, 4)),
    Odd("a cell of two lines", b'a,b\n"x\ny",1\nz,2\n', {"a": ["x\ny", "z"], "b": [1, 2]}, (2, 4)),
    Odd("a name of two lines", b'"a\nb",c\n1,2\n', {"a\nb": [1], "c": [2]}, (3,)),
    Odd("quoted delimiters", b'a,b\n"x,y",1\n', {"a": ["x,y"], "b": [1]}),
    Odd("escaped quotes", b'a,b\n"x ""y"", z",1\n', {"a": ['x "y", z'], "b": [1]}),
    Odd("stray quotes", b'a,b\n5" pipe,1\n6",2\n', {"a": ['5" pipe', '6"'], "b": [1, 2]}),
    Odd("space before quotes", b'a, b\n1, "x, y"\n', {"a": [1], "b": ["x, y"]}),
    Odd(
        "hostile names",
        b'<b>x</b>,**y**,"[z](javascript:0)"\n1,2,3\n',
        {"<b>x</b>": [1], "**y**": [2], "[z](javascript:0)": [3]},
    ),
    Odd("formulas", b"a,b\n=1+1,+cmd|'/C calc'!A0\n", {"a": ["=1+1"], "b": ["+cmd|'/C calc'!A0"]}),
    Odd("missing", b"a,b\nNA,x\n,NaN\n3,n/a\n", {"a": [None, None, 3], "b": ["x", None, None]}),
    Odd(
        "missing with spaces",
        b"a,b\n1,x\n2,NA \nNA ,y\n",
        {"a": [1, 2, None], "b": ["x", None, "y"]},
    ),
    Odd("None is an answer", b"a\nNone\nMild\n", {"a": ["None", "Mild"]}),
    Odd(
        "infinite",
        b"a\ninf\n-inf\n1e400\n5\n",
        {"a": [float("inf"), -float("inf"), float("inf"), 5]},
    ),
    Odd("huge integers", b"a\n99999999999999999999\n1\n", {"a": [1e20, 1]}),
    Odd("truth values", b"a,b\nTRUE,true\nFALSE,\n", {"a": ["TRUE", "FALSE"], "b": ["true", None]}),
    Odd("all missing", b"a,b\n,1\n,2\n", {"a": [None, None], "b": [1, 2]}),
    Odd("spaces around", b"a , b\n x ,1 \n x,2\n", {"a": ["x", "x"], "b": [1, 2]}),
    Odd(
        "US thousands",
        b'a,b\n"1,000",1.5\n"12,345,678",2\n',
        {"a": [1000, 12345678], "b": [1.5, 2]},
    ),
    Odd(
        "German thousands",
        b"a;b\n1.000;2,5\n-12.345.678,25;3\n",
        {"a": [1000, -12345678.25], "b": [2.5, 3]},
    ),
    Odd(
        "French thousands",
        "a;b\n1\u202f000,5;2\n12\u00a0345;3\n".encode(),
        {"a": [1000.5, 12345], "b": [2, 3]},
    ),
    Odd(
        "Swiss thousands",
        "a;b\n1'000.50;2\n12’345;3\n".encode(),
        {"a": [1000.5, 12345], "b": [2, 3]},
    ),
    Odd("German dates stay text", b"a;b\n01.02.2020;1,5\n", {"a": ["01.02.2020"], "b": [1.5]}),
    Odd("three decimals", b"a,b\n0.125,1.250\n", {"a": [0.125], "b": [1.25]}),
    Odd(
        "underscores and hexadecimals stay text",
        b"a,b\n1_000,0x1F\n",
        {"a": ["1_000"], "b": ["0x1F"]},
    ),
    Odd("decimal commas within quotes", b'a,b\n"1,5","2,25"\n', {"a": [1.5], "b": [2.25]}),
    Odd("one column of decimal commas", b"a\n1,5\n2,5\n", {"a": [1.5, 2.5]}),
    Odd(
        "more digits than a float holds",
        b"a,b\n" + b"9" * 309 + b",-" + b"9" * 5000 + b"\n0,1\n",
        {"a": [float("inf"), 0], "b": [-float("inf"), 1]},
    ),
    Odd(
        "more digits than a float holds, in groups",
        b"a;b\n1" + b".000" * 110 + b";2,5\n",
        {"a": [float("inf")], "b": [2.5]},
    ),
    Odd("a long way to say 7", b"a\n" + b"0" * 500 + b"7\n", {"a": [7]}),
    Odd("long digits beside text", b"a\nx\n" + b"9" * 309, {"a": ["x", "9" * 309]}),
    Odd("Excel's sep=;", b"sep=;\r\na;b\r\n1;2,5\r\n", {"a": [1], "b": [2.5]}, (3,)),
    Odd("quoted SEP=,", b'"SEP=,"\na,b\n1,2\n', {"a": [1], "b": [2]}, (3,)),
    Odd("sep= and a tab", b"sep=\t\na,c\tb\n1\t2\n", {"a,c": [1], "b": [2]}, (3,)),
    Odd("sep=; after a mark", b"\xef\xbb\xbfsep=;\na,c;b\n1;2\n", {"a,c": [1], "b": [2]}, (3,)),
    Odd("sep=; in UTF-16", "sep=;\na;b\nä;2\n".encode("utf-16"), {"a": ["ä"], "b": [2]}),
    Odd(
        "comments",
        b"# from the hospital; May, June\n#\n\n# by hand\na,b\n1,2\n3,4\n",
        {"a": [1, 3], "b": [2, 4]},
        (6, 7),
    ),
    Odd("comments and sep=;", b"sep=;\n# x\na;b\n1;2\n", {"a": [1], "b": [2]}, (4,)),
    Odd("comments on old Macs", b"# x, y\r# z\ra,b\r1,2\r", {"a": [1], "b": [2]}, (4,)),
    Odd("a comment above one column", b"# ages\nage\n30\n", {"age": [30]}, (3,)),
    Odd("a header that begins with #", b"#id,a\nx,2\n", {"#id": ["x"], "a": [2]}, (2,)),
    Odd("a spaced one", b"# id\ta\nx\t2\n", {"# id": ["x"], "a": [2]}, (2,)),
    Odd(
        "a comment and such a header", b"##v1, x, y\n#id,a\nx,y\n", {"#id": ["x"], "a": ["y"]}, (3,)
    ),
    Odd("a numbered column", b"#\n1\n2\n", {"#": [1, 2]}, (2, 3)),
    Odd("a # further down", b"a,b\n#1,2\n", {"a": ["#1"], "b": [2]}, (2,)),
    Odd(
        "line ends that are none",
        "a\u2028b,c\x85d,e\x1cf\n1,2,3\n".encode(),
        {"a\u2028b": [1], "c\x85d": [2], "e\x1cf": [3]},
        (2,),
    ),
)
