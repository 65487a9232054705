"""When the app has come to rest: every run that was asked for has ended and is drawn.

The state that Streamlit writes into the page is late: a click is on its way to the
server while the page still says that nothing runs. So the page listens at its own
websocket from the start. A run is asked for by the browser, or begun by the server, and
is over when the server says that it ended, and not in order to begin anew. One that was
going on as another was asked for may end first: a run of the whole page that was asked
for has to begin as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# A busy machine is no error: what never comes to rest is.
DEADLINE: Final = 180_000

# Field numbers of Streamlit's messages: BackMsg.rerun_script, whose fragment_id names
# the part of the page it is about and whose is_auto_rerun tells that a timer asks;
# ForwardMsg.new_session, whose metadata.run.fragment_ids are the parts that run; and
# ForwardMsg.script_finished, whose value 2 is "ended early, to run anew". What is asked
# for a part of the page may never begin: that part may be gone by then.
_LISTEN: Final = """(() => {
    const [RERUN, PART, BY_TIMER] = [11, 5, 6];
    const [META, RUN, PARTS, BEGUN, ENDED, ANEW] = [2, 6, 2, 4, 6, 2];
    const rest = (window.rest = {running: true, awaited: false, asked: 0});
    const number = (bytes, at) => {
        let value = 0, scale = 1;
        for (;;) {
            const byte = bytes[at++] ?? 0;
            value += (byte & 127) * scale;
            if (byte < 128) return [value, at];
            scale *= 128;
        }
    };
    const fields = data => {
        const whole = data.buffer ?? data;
        const bytes = new Uint8Array(whole, data.byteOffset ?? 0, data.byteLength);
        const found = new Map();
        for (let at = 0, tag, value; at < bytes.length; ) {
            [tag, at] = number(bytes, at);
            if (tag % 8 === 1) { at += 8; continue; }
            if (tag % 8 === 5) { at += 4; continue; }
            [value, at] = number(bytes, at);
            const part = bytes.subarray(at, at + value);
            if (tag % 8 === 2) at += value;
            found.set(Math.floor(tag / 8), tag % 8 === 2 ? part : value);
        }
        return found;
    };
    window.WebSocket = class extends WebSocket {
        constructor(...settings) {
            super(...settings);
            this.addEventListener("message", ({data}) => {
                if (!(data instanceof ArrayBuffer)) return;
                const found = fields(data);
                if (found.has(BEGUN)) {
                    const run = fields(found.get(META)).get(RUN);
                    rest.running = true;
                    rest.awaited &&= fields(run).has(PARTS);
                }
                if (found.has(ENDED)) rest.running = found.get(ENDED) === ANEW;
            });
        }
        send(data) {
            const rerun = fields(data).get(RERUN);
            const asked = rerun && fields(rerun);
            if (asked && !asked.get(BY_TIMER)) {
                rest.running = true;
                rest.awaited ||= !asked.get(PART)?.length;
                rest.asked += 1;
            }
            super.send(data);
        }
    };
})()"""
# Some frames in a row, so that what the last message brought is drawn. Between two of
# them the page has its turn: on a busy machine what a click has changed is sent to the
# server only then, and frames alone would pass it by. Until then no frame is asked for:
# drawing while the server computes would take its processor.
_AT_REST: Final = """async every => {
    const calm = () => {
        const app = document.querySelector("[data-testid=stApp]");
        const rest = window.rest;
        return app && rest && !rest.running && !rest.awaited
            && app.dataset.testScriptState === "notRunning"
            && app.dataset.testConnectionState === "CONNECTED";
    };
    const turn = new MessageChannel();
    for (let frames = 0; frames < 3; ) {
        if (calm()) {
            await new Promise(requestAnimationFrame);
            await new Promise(done => { turn.port1.onmessage = done; turn.port2.postMessage(0); });
            frames = calm() ? frames + 1 : 0;
        } else {
            frames = 0;
            await new Promise(done => setTimeout(done, every));
        }
    }
    turn.port1.close();
    return true;
}"""


def listened(browser: Browser) -> Browser:
    """Return the browser, every tab of which will know whether it is at rest.

    Nothing moves by itself: each frame that is drawn meanwhile takes from the server.
    """
    plain = browser.new_context

    def new_context(**options: object) -> BrowserContext:
        context = plain(**{"reduced_motion": "reduce", **options})
        context.add_init_script(_LISTEN)
        context.set_default_timeout(DEADLINE)
        return context

    browser.new_context = new_context
    return browser


def settled(page: Page, *, every: float = 20) -> None:
    """Wait until every run that was asked for has ended, and is drawn.

    Until then the page looks ``every`` so many milliseconds.
    """
    page.wait_for_function(_AT_REST, arg=every, timeout=DEADLINE, polling=every)
