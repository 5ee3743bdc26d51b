// The console works without this script; with it, pages keep themselves fresh,
// rows answer to the keyboard, and what can't be undone asks first.
"use strict";

const REFRESH_AFTER = 3_000; // ms from one refresh to the next, at the least
const SILENCE = 10_000; // ms without a word from the server, after which it is taken for lost
const HOME = "/console/";

// Times: told relative to now, and on hover in the reader's own time zone.

const WORDS = JSON.parse(document.body.dataset.words);
const UNITS = [[WORDS.d, 86_400], [WORDS.h, 3_600], [WORDS.min, 60], [WORDS.s, 1]];

function roughly(seconds) {
  for (let i = 0; i < UNITS.length; i++) {
    const [name, size] = UNITS[i];
    if (seconds < size) continue;
    let text = `${Math.floor(seconds / size)} ${name}`;
    if (i + 1 < UNITS.length && seconds < 10 * size) {
      const rest = Math.floor((seconds % size) / UNITS[i + 1][1]);
      if (rest > 0) text += ` ${rest} ${UNITS[i + 1][0]}`;
    }
    return text;
  }
  return `0 ${WORDS.s}`;
}

function tellTimes() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const then = new Date(time.dateTime);
    const past = Math.round((Date.now() - then) / 1000);
    time.textContent = past === 0 ? WORDS.now : (past > 0 ? WORDS.ago : WORDS.in).replace("%s", roughly(Math.abs(past)));
    time.title = then.toLocaleString(document.documentElement.lang);
  }
  for (const time of document.querySelectorAll("time[data-clock]")) {
    time.textContent = new Date(time.dateTime).toLocaleTimeString(document.documentElement.lang);
  }
}

// Freshness: the page is asked for again and its content exchanged, but never
// under the hands of somebody who is about to do something.

const main = () => document.getElementById("main");

function busy() {
  const here = main();
  return !here?.hasAttribute("data-live") ||
    here.contains(document.activeElement?.closest("input, select, textarea")) ||
    here.querySelector("details[open]:not([data-keep]), input[name=id]:checked, input[name=post]:checked") !== null ||
    [...here.querySelectorAll("input[name=note], input[name=captcha_key], input[name=with]")].some((field) => field.value !== "") ||
    document.querySelector("dialog[open]") !== null ||
    String(getSelection()) !== "";
}

let refreshed = Date.now(); // when it was last tried

async function refresh(byHand) {
  if (!byHand && (document.hidden || busy())) return;
  refreshed = Date.now();
  try {
    const answer = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
    if (answer.redirected || !answer.ok) {
      if (new URL(answer.url).pathname === "/console/login") location.reload();
      throw new Error(`HTTP ${answer.status}`);
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    if (!fresh || (!byHand && busy())) return;
    const at = rows().indexOf(current());
    const open = [...main().querySelectorAll("details[data-keep]")].map((details) => details.open);
    main().replaceChildren(...fresh.childNodes);
    main().toggleAttribute("data-live", fresh.hasAttribute("data-live"));
    main().querySelectorAll("details[data-keep]").forEach((details, i) => { details.open = open[i] ?? false; });
    document.title = page.title;
    document.querySelector("[data-freshness]")?.replaceChildren(...page.querySelector("[data-freshness]").childNodes);
    if (at >= 0) step(rows()[at]);
    shown = page.body.dataset.state;
    tellTimes();
    tellSelection();
  } catch {
    // the silence is told soon enough
  }
}

// The server tells the state of what pages show, when it changes and every few
// seconds. A page in the background does not listen: a browser has six connections
// to a server, however many tabs.

let shown = document.body.dataset.state; // the state that the page is of; undefined for one without a session
let state = shown;
let heard = Date.now();
let stream = null;

function listen() {
  stream = new EventSource(`${HOME}events`);
  stream.onmessage = (event) => {
    if (!event.data) return; // the server itself is blind
    heard = Date.now();
    state = event.data;
    follow();
  };
}

function follow() {
  if (shown === undefined) return;
  if (document.hidden) {
    stream?.close();
    stream = null;
    return;
  }
  const later = Date.now() - refreshed > REFRESH_AFTER;
  if (stream?.readyState === EventSource.CLOSED) { // it was refused: the session may have ended
    stream = null;
    if (later) refresh(false);
  }
  if (!stream) listen();
  const lost = Date.now() - heard > SILENCE;
  document.body.classList.toggle("lost", lost);
  document.querySelector("[data-lost]")?.toggleAttribute("hidden", !lost);
  if (state !== shown && later && !lost) refresh(false);
  document.querySelector("[data-refresh]")?.toggleAttribute("hidden", state === shown || !main()?.hasAttribute("data-live") || !busy());
}

// Rows: one of them is the current one.

const rows = () => [...document.querySelectorAll("[data-row]")];
const current = () => document.querySelector("[data-row][data-at]");

function step(row) {
  if (!row) return;
  current()?.removeAttribute("data-at");
  row.setAttribute("data-at", "");
  row.scrollIntoView({ block: "nearest" });
}

function move(by) {
  const all = rows();
  const at = all.indexOf(current());
  step(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))]);
}

// Selection of several deliveries.

const boxes = () => [...document.querySelectorAll("input[name=id]")];

function tellSelection() {
  const chosen = boxes().filter((box) => box.checked).length;
  const all = document.querySelector("[data-select-all]");
  const label = document.querySelector("[data-selected]");
  if (!all || !label) return;
  all.checked = chosen > 0 && chosen === boxes().length;
  all.indeterminate = chosen > 0 && !all.checked;
  label.textContent = chosen === 0 ? label.dataset.select : `${label.dataset.selected} ${chosen}`;
  for (const button of document.querySelectorAll("#batch button")) button.disabled = chosen === 0;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-select-all]")) for (const box of boxes()) box.checked = event.target.checked;
  // A date changes with every digit that is typed.
  if (event.target.type !== "date" && event.target.closest("[data-submit-on-change]")) event.target.form.requestSubmit();
  tellSelection();
});

// Forms: ask before what can't be undone, and take each press once.

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (question && !confirm(question)) {
    event.preventDefault();
    return;
  }
  setTimeout(() => { for (const button of event.target.querySelectorAll("button")) button.disabled = true; });
});
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[disabled]")) button.disabled = false;
  tellSelection();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-refresh]")) refresh(true);
  if (event.target.closest("[data-help]")) document.querySelector("[data-shortcuts]").showModal();
});

// The keyboard.

const PLACES = { o: HOME, d: `${HOME}deliveries`, p: `${HOME}deliveries?status=waiting`, c: `${HOME}cases`, l: `${HOME}destinations`, w: `${HOME}walls`, s: `${HOME}statistics` };
let going = 0; // when g was pressed

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  // The key's place on the board, so that a Russian layout works too.
  const key = event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : event.key;
  if (Date.now() - going < 1500 && PLACES[key]) {
    location.href = PLACES[key];
    return;
  }
  going = 0;
  switch (key) {
    case "g": going = Date.now(); break;
    case "j": move(1); break;
    case "k": move(-1); break;
    case "r": refresh(true); break;
    case "x": {
      const box = current()?.querySelector("input[name=id], input[name=post]");
      if (box) { box.checked = !box.checked; tellSelection(); }
      break;
    }
    case "Enter": {
      if (event.target.closest("a, button, summary")) return;
      const link = current()?.querySelector("[data-open]");
      if (link) location.href = link.href;
      break;
    }
    case "?": document.querySelector("[data-shortcuts]")?.showModal(); break;
    default: return;
  }
  event.preventDefault();
});

tellTimes();
tellSelection();
setInterval(tellTimes, 1000);
setInterval(follow, 1000);
follow();
document.addEventListener("visibilitychange", () => {
  heard = Date.now();
  follow();
});
