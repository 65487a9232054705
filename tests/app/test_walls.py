"""What is true of a table in Live mode: shown in the confidential areas, nowhere else.

Every message of every run is searched as a server would send it: what a browser draws
follows from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from dpcore.formatting import significant
from tests.app import walls
from tests.app.asking import choose, go
from tests.app.hand import turn
from tests.app.test_pages import button, fill, mode, press_release, put_in_use, release_buttons
from tests.app.test_questions import shown
from tests.registry import ABOUT_A_TABLE
from tests.written import alone, spellings, within

NUMBER, MODEL = "a number (statistic)", "a regression model"
DRAWN = {"bidi_component", "arrow_data_frame"}
Numbers = dict[str, float]


@dataclass(kw_only=True)
class Wire:
    """What is sent of each run, outside the confidential areas and inside them."""

    files: dict[str, Callable[[], str | bytes]]
    public: list[bytes] = field(default_factory=list)
    said: list[bytes] = field(default_factory=list)
    inside: list[bytes] = field(default_factory=list)
    areas: set[tuple[int, ...]] = field(default_factory=set)

    def note(self, message: ForwardMsg) -> None:
        """Keep a message, on the side of the areas where it is drawn."""
        path = tuple(message.metadata.delta_path)
        if message.HasField("delta"):
            # What was drawn there by an earlier run is gone, and all that was within it.
            self.areas = {area for area in self.areas if area[: len(path)] != path}
        if "-confidential-" in message.delta.add_block.id:
            self.areas.add(path)
        within_one = any(path[: len(area)] == area for area in self.areas)
        sent = message.SerializeToString().replace(b"\\u002f", b"/")
        (self.inside if within_one else self.public).append(sent)
        if not within_one and message.delta.new_element.WhichOneof("type") not in DRAWN:
            self.said.append(sent)

    def download(self) -> None:
        """Keep every file that is offered."""
        for content in self.files.values():
            file = content()
            self.public.append(file.encode() if isinstance(file, str) else file)

    def holds(self, numbers: Numbers) -> set[str]:
        """Return which of these numbers came inside an area."""
        return found(numbers, b"\n".join(self.inside))

    def tells(self, numbers: Numbers) -> set[str]:
        """Return which of these numbers came outside the areas."""
        return found(numbers, b"\n".join(self.public))


def found(numbers: Numbers, text: bytes) -> set[str]:
    return {
        name
        for name, number in numbers.items()
        if any(within(needle, text) for needle in spellings(number))
    }


@pytest.fixture
def wire(files) -> Iterator[Wire]:
    wire = Wire(files=files)
    ForwardMsgQueue.on_before_enqueue_msg(wire.note)
    yield wire
    ForwardMsgQueue.on_before_enqueue_msg(None)


@pytest.fixture
def declared(open_page) -> AppTest:
    """A tab in Live mode, with all columns of the table declared."""
    app = open_page("data")
    app.file_uploader[0].set_value(("people.csv", walls.table().encode(), "text/csv")).run()
    choose(app, "Column", 2)
    fill(app, text_area={"Public list of categories": "\n".join(walls.REGIONS[:3])})
    choose(app, "Column", 1)
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 80.0})
    choose(app, "Column", 0)
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": walls.TOP, "Privacy budget ε": 9.0})
    return put_in_use(app)


def open_area(app: AppTest) -> None:
    """Open the confidential area of the page."""
    (area,) = (each for each in app.toggle if each.label.startswith("Show "))
    area.set_value(True).run()


def release(app: AppTest, wire: Wire, **chosen: object) -> None:
    """Ask for another statistic, and keep the files of its answer."""
    for label, option in chosen.items():
        choose(app, label.replace("_", " "), option)
    press_release(app)
    assert "Release 1 of this question" in shown(app)
    wire.download()


@pytest.mark.slow
def test_live_mode_keeps_what_is_true_in_its_areas(wire, declared, caplog):
    views, models = walls.losses(), walls.models()
    known = walls.statistics() | models | {n: x for of in views.values() for n, x in of.items()}
    app = go(declared, "release")
    fill(app, number_input={"ε for this release": walls.EPSILON})
    release(app, wire)
    go(app, "privacy_loss")
    fill(app, radio={"What is released": MODEL})
    for mechanism in reversed(walls.MECHANISMS):
        choose(app, "Mechanism", mechanism)
    fill(app, radio={"What is released": NUMBER, "Compared with": walls.ADD_REMOVE})
    assert wire.holds(known) == wire.tells(known) == set()
    open_area(app)
    for view, numbers in views.items():
        turn(app, "individual-view", view)
        assert wire.holds(numbers), view
    fill(app, radio={"What is released": MODEL})
    for view in reversed(views):
        turn(app, "individual-view", view)
    assert wire.holds({n: x for n, x in models.items() if n.startswith("output")})
    go(app, "release")
    button(app, "Add to plan").click().run()
    wire.inside.clear()
    for name in ABOUT_A_TABLE:
        go(app, name)
        wire.download()
    go(app, "release")
    for statistic in ("proportion", "histogram", "covariance matrix", "median"):
        release(app, wire, Statistic=statistic)
    choose(app, "Statistic", "variance")
    choose(app, "By group", 0)
    release(app, wire)
    choose(app, "Column", 2)
    fill(app, selectbox={"Statistic": "all shares", "Mechanism": "bit"})
    release(app, wire, Make_the_shares_add_up_to_1="divide by their sum")
    for name in ("privacy_loss", "accuracy", "budget"):
        go(app, name)
    assert wire.holds(known) == wire.tells(known) == set()
    assert found(known, caplog.text.encode()) == set()
    # What a page says with three digits; figures and tables have too many.
    said = b"\n".join(wire.said).decode(errors="replace")
    largest = [views["All people"]["largest loss"]]
    largest += [models[f"{key}, largest"] for key in walls.MECHANISMS]
    for loss in largest:
        assert not any(alone(significant(loss, up=up), said) for up in (False, True))
    assert not re.search("income|hours|north|region", str(dict(app.query_params)))

    # A lesson shows the truth beside a release.
    mode(app).set_value("classroom").run()
    go(app, "release")
    press_release(app)
    assert wire.holds(known) | wire.tells(known) >= {f"share of {name}" for name in walls.REGIONS}


@pytest.mark.slow
def test_resampling_keeps_the_column_in_its_areas(wire, declared, caplog):
    areas = walls.resampling()
    known = {name: number for area in areas.values() for name, number in area.items()}
    app = go(declared, "standard_errors")
    turn(app, "se-station", "Your table")
    fill(app, number_input={"Bootstraps to release": 5})
    area(app, wire, "Show the coverage for your column", areas["standard-errors"])
    go(app, "subsampling")
    turn(app, "ss-view", "Does it pay?")
    area(app, wire, "Show the error for your column", areas["sampled-column"])
    turn(app, "ss-view", "Release from a sample")
    choose(app, "Statistic", "sum")
    fill(app, number_input={"ε for this release": walls.SAMPLED})
    area(app, wire, "Show the privacy loss of each person")
    go(app, "resized")
    fill(app, radio={"Data": "my column"})
    area(app, wire, "Show what scores of this column reveal", areas["resized"])
    go(app, "budget")
    wire.download()
    assert wire.holds(known) == wire.tells(known) == set()
    assert found(known, caplog.text.encode()) == set()
    assert "income" not in str(dict(app.query_params))


def area(app: AppTest, wire: Wire, switch: str, numbers: Numbers | None = None) -> None:
    """Open an area: what it shows comes only then; release with it open."""
    assert wire.holds(numbers or {}) == set()
    fill(app, toggle={switch: True})
    assert numbers is None or wire.holds(numbers)
    press_release(app) if release_buttons(app) else None
    wire.download()
    wire.inside.clear()


def test_errors_quote_no_cell(open_page, wire, caplog):
    cell = "SENTINEL-7391"
    app = open_page("data")
    text = "age,name\n" + "".join(f"{i % 90},{cell}-{i}\n" for i in range(300))
    app.file_uploader[0].set_value(("people.csv", text.encode(), "text/csv")).run()
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 10.0})
    choose(app, "Column", 1)
    choose(app, "Type", "number")
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 10.0})
    fill(app, toggle={"Show how these bounds fit the data": True})
    # No cell is a number: the page says how many are not, and says it without a cell.
    assert "Of these, 300 have a cell that is not of the type number" in shown(app)
    put_in_use(app)
    go(app, "release")
    release(app, wire, Column=1)
    for broken in (
        f'age,name\n1,"{cell}\n2,x\n'.encode(),
        f"age,name\n1,{cell},3\n".encode(),
        f"age,name\n1,{cell}\x00\n".encode(),
        f"age,name\n1,{cell}é\n".encode("utf-16")[:-1],
    ):
        go(app, "data")
        app.file_uploader[0].set_value(("broken.csv", broken, "text/csv")).run()
        assert "Your previous data are unchanged." in shown(app)
    sent = b"".join([*wire.public, *wire.inside])
    assert cell.encode() not in sent
    assert cell not in caplog.text
