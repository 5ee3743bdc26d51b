"use strict";
// The page is drawn by the server. Here: panels that have changed are fetched
// anew, forms are sent without leaving the page, tabs on narrow windows.

const query = new URLSearchParams(location.search);
const guide = document.body.dataset.person !== undefined;
const panels = [...document.querySelectorAll("[data-topics]")];
const drawn = new Map(); // id -> HTML last put in
const opened = new Set(); // data-keep of open details

for (const panel of panels) finish(panel, true);

async function refresh(panel) {
  if (panel.busy) { panel.again = true; return; }
  panel.busy = true;
  try {
    const answer = await fetch(`/sandbox/page/${panel.id}?${query}`);
    if (answer.ok) draw(panel, await answer.text());
  } catch { /* the sandbox is restarting: the event stream will be back */ }
  panel.busy = false;
  if (panel.again) { panel.again = false; later(panel, 150); }
}

function later(panel, delay) {
  if (panel.timer) return;
  panel.timer = setTimeout(() => { panel.timer = 0; refresh(panel); }, delay);
}

function draw(panel, html) {
  if (drawn.get(panel.id) === html) return;
  const typing = panel.contains(document.activeElement) && document.activeElement.matches("textarea, input:not([type=checkbox]), select");
  if (typing && !panel.querySelector("[data-keep-text]")) { later(panel, 1500); return; }
  const scroll = panel.querySelector("[data-scroll]") || panel;
  const bottom = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
  const top = scroll.scrollTop;
  const said = panel.querySelector(".say input[name=text]");
  const text = said?.value, focused = said === document.activeElement;
  const composer = panel.querySelector(".composer form");
  drawn.set(panel.id, html);
  panel.innerHTML = html;
  const fresh = panel.querySelector(".composer form");
  if (composer && fresh && composer.wall.value === fresh.wall.value && !composer.sent) fresh.replaceWith(composer);
  finish(panel, bottom);
  if (!(bottom && panel.dataset.bottom !== undefined)) (panel.querySelector("[data-scroll]") || panel).scrollTop = top;
  const again = panel.querySelector(".say input[name=text]");
  if (again && text) again.value = text;
  if (again && focused) again.focus();
}

// finish does what a fresh panel needs.
function finish(panel, bottom) {
  for (const details of panel.querySelectorAll("details[data-keep]")) {
    details.open = opened.has(details.dataset.keep);
    details.addEventListener("toggle", () => details.open ? opened.add(details.dataset.keep) : opened.delete(details.dataset.keep));
  }
  for (const text of panel.querySelectorAll("[data-clamp]")) {
    const key = text.closest("[data-key]")?.dataset.key;
    if (text.scrollHeight > 330 && !opened.has(key)) text.classList.add("clamped");
  }
  if (bottom && panel.dataset.bottom !== undefined) {
    const scroll = panel.querySelector("[data-scroll]");
    if (scroll) {
      scroll.scrollTop = scroll.scrollHeight;
      for (const image of scroll.querySelectorAll("img")) image.addEventListener("load", () => { scroll.scrollTop = scroll.scrollHeight; }, { once: true });
    }
  }
}

document.addEventListener("click", async (event) => {
  const clamped = event.target.closest(".clamped");
  if (clamped) {
    clamped.classList.remove("clamped");
    opened.add(clamped.closest("[data-key]")?.dataset.key);
  }
  const pick = event.target.closest("[data-pick]");
  if (pick) {
    event.preventDefault();
    const [name, value] = pick.dataset.pick.split("=");
    query.set(name, value);
    history.replaceState(null, "", "?" + query);
    if (name === "person") { location.reload(); return; }
    for (const panel of panels) if (panel.dataset.query === name) { drawn.delete(panel.id); panel.scrollTop = 0; refresh(panel); }
  }
  // A link to a post of one of these walls stays here: VK itself has no such post.
  const post = event.target.closest("a[href]")?.href.match(/vk\.(?:com|ru)\/wall(-?\d+)_(\d+)/);
  if (post && await reveal(post[1], post[2], event)) return;
  const press = event.target.closest("[data-press]");
  if (press) {
    press.classList.add("wait");
    setTimeout(() => press.classList.remove("wait"), 1200);
    await send("/sandbox/page/press", { person: guide ? document.body.dataset.person : "555000111", message: press.dataset.message, data: press.dataset.press });
  }
  const tab = event.target.closest("[data-show]");
  if (tab) {
    for (const other of document.querySelectorAll("[data-show]")) other.classList.toggle("on", other === tab);
    for (const part of document.querySelectorAll("[data-tab]")) part.classList.toggle("on", part.dataset.tab === tab.dataset.show);
    for (const panel of panels) finish(panel, true);
  }
});

// reveal shows a post in its column; false if the wall is not of this sandbox.
async function reveal(owner, id, event) {
  for (const [name, panel] of [["wall", "walls"], ["target", "destination"]]) {
    if (!document.querySelector(`[data-pick="${name}=${owner}"]`)) continue;
    event.preventDefault();
    query.set(name, owner);
    const column = document.getElementById(panel);
    document.querySelector(`[data-show="${panel}"]`)?.click();
    await refresh(column);
    const card = column.querySelector(`[data-key="post${owner}_${id}"]`);
    if (card) { // by hand: scrollIntoView would move the page too
      const scroll = column.scrollHeight > column.clientHeight + 4 && getComputedStyle(column).overflowY !== "visible" ? column : document.scrollingElement;
      const room = scroll === column ? column.getBoundingClientRect() : { top: 0, height: innerHeight };
      const place = card.getBoundingClientRect();
      scroll.scrollBy({ top: place.top - room.top - (room.height - place.height) / 2, behavior: "smooth" });
    }
    card?.animate([{ outline: "3px solid var(--accent)" }, { outline: "3px solid transparent" }], 2200);
    return true;
  }
  return false;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.getAttribute("method") !== "post") return; // a field may be called method
  event.preventDefault();
  const data = new FormData(form, event.submitter);
  if (event.submitter?.value === "/start") data.set("text", "/start");
  form.sent = true;
  if (await send(event.submitter?.getAttribute("formaction") ?? form.getAttribute("action"), data) && form.dataset.stay === undefined) form.reset();
  for (const panel of panels) later(panel, 60);
});

async function send(address, fields) {
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
  if (answer.type !== "opaqueredirect" && !answer.ok) { alert(await answer.text()); return false; }
  return true;
}

const live = document.querySelector(".live");
const events = new EventSource("/sandbox/events");
events.onopen = () => { live?.classList.remove("off"); for (const panel of panels) later(panel, 50); };
events.onerror = () => live?.classList.add("off");
events.onmessage = (event) => {
  for (const panel of panels) {
    if (panel.dataset.topics.split(" ").includes(event.data)) later(panel, event.data === "calls" ? 500 : 120);
  }
  if (guide && event.data === "telegram") setTimeout(() => { for (const panel of panels) later(panel, 10); }, 4200); // toasts go
};
