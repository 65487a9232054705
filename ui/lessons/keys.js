// Page keys and arrow keys lead through a lesson, wherever the focus is.
if (!window.lessonKeys) {
  window.lessonKeys = true;
  const buttons = {
    PageDown: "next", ArrowRight: "next", PageUp: "back", ArrowLeft: "back",
  };
  const moved = 'input:not([type="radio"]), textarea, [role="slider"], [role="tab"], [role="combobox"]';
  document.addEventListener("keydown", (event) => {
    const name = buttons[event.key];
    if (!name || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const arrow = event.key.startsWith("Arrow");
    if (arrow && event.target instanceof Element && event.target.closest(moved)) return;
    const button = document.querySelector(`.st-key-lesson-${name} button`);
    if (!button || button.disabled) return;
    event.preventDefault();
    event.stopPropagation();
    button.click();
  }, true);
}
