// The editor of a cell is fetched and drawn as the first one opens, and is left a moment after
// Enter or Tab. What is typed until then the grid loses, or takes for another cell: here these
// keys wait. The editor is fetched early.
if (!window.heldKeys) {
  const held = (window.heldKeys = []);
  const GRID = "[data-testid=stDataFrame]";
  const PATIENCE = 3000; // Milliseconds. A cell that cannot be edited opens no editor.
  const TYPED = /^(.|Backspace|Delete|Enter|Tab)$/u;
  const CODES = { Backspace: 8, Tab: 9, Enter: 13, Delete: 46 };
  let waits = false;
  const frame = () => new Promise(requestAnimationFrame);
  const editor = () => document.querySelector("#portal :is(textarea, input)");
  const fetched = async () => {
    const names = performance.getEntriesByType("resource").map(({ name }) => name);
    const grid = names.find((name) => /\/DataFrame\.[^/]*\.js$/.test(name));
    const text = grid ? await (await fetch(grid)).text() : "";
    const [name] = text.match(/data-grid-overlay-editor\.[\w-]+\.js/) ?? [];
    if (name) await import(new URL(name, grid));
  };
  const until = async (ready) => {
    const last = Date.now() + PATIENCE;
    while (!ready() && Date.now() < last) await frame();
    await frame();
  };
  const is_open = () => editor() !== null;
  const is_left = () => editor() === null;
  const opens = ({ key }) => key === "Enter" || (key.length === 1 && key !== " ");
  const leaves = ({ key }) => key === "Enter" || key === "Tab";
  let known = false; // An editor was open before: the next one opens at once.
  const type = async (event) => {
    const { key, shiftKey } = event;
    const at = document.activeElement;
    const inside = at === editor();
    if (inside && key.length === 1) {
      document.execCommand("insertText", false, key);
      return;
    }
    const keyCode = CODES[key] ?? key.toUpperCase().charCodeAt(0);
    const options = { key, keyCode, shiftKey, bubbles: true, cancelable: true };
    at.dispatchEvent(new KeyboardEvent("keydown", options));
    await (inside && leaves(event) ? until(is_left) : frame());
  };
  const wait = async (ready) => {
    waits = true;
    await until(ready);
    known ||= is_open();
    while (held.length) await type(held.shift());
    waits = false;
  };
  addEventListener("keydown", (event) => {
    const { isTrusted, key, ctrlKey, metaKey, altKey, target } = event;
    if (!isTrusted || !TYPED.test(key) || ctrlKey || metaKey || altKey) return;
    if (waits) {
      event.preventDefault();
      event.stopImmediatePropagation();
      held.push(event);
    } else if (target === editor()) {
      if (leaves(event)) wait(is_left);
    } else if (!known && opens(event) && target.closest(GRID)) wait(is_open);
  }, true);
  fetched().catch(() => {}); // then it comes with the first cell
}
