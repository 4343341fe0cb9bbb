// Numbers as they stand: asked for again every few seconds while somebody looks at them and does nothing in them.
"use strict";

const PAUSE = 4000;

async function refresh() {
  const shown = document.querySelector("[data-live]");
  if (document.hidden || shown.contains(document.activeElement)) return;
  const address = new URL(location.href);
  address.searchParams.delete("done");
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  if (fresh && fresh.innerHTML !== shown.innerHTML) shown.replaceChildren(...fresh.childNodes);
}

setInterval(() => refresh().catch(() => {}), PAUSE);
