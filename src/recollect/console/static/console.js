// Shortcuts: "/" searches, "g" then a letter goes to a page, Escape closes a question. Everything works without them.
"use strict";

const pages = { o: "/", m: "/memories", g: "/graph", c: "/conversations", s: "/sources", p: "/profile", j: "/jobs" };
const root = new URL(document.querySelector(".brand").href).pathname.replace(/\/$/, "");
let going = false;

function typing(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

function closeQuestions(except) {
  for (const open of document.querySelectorAll("details.ask[open]")) {
    if (!open.contains(except)) open.open = false;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const open = document.querySelector("details.ask[open]");
    closeQuestions(null);
    if (open) open.querySelector("summary").focus();
    if (typing(event.target)) event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("[data-shortcut='/']").focus();
  } else if (going && event.key in pages) {
    location.href = root + pages[event.key];
  }
  going = event.key === "g" && !going;
});

document.addEventListener("click", (event) => closeQuestions(event.target));

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// A link to a part that is folded away unfolds it.
function unfold() {
  const part = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (part instanceof HTMLDetailsElement) part.open = true;
}
window.addEventListener("hashchange", unfold);
unfold();
