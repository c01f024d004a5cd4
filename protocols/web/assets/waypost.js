// The one script. Every page is whole without it; it adds five things: the live count,
// the seconds of a countdown, the passkey, notices, and copying. It writes text, never HTML.
"use strict";

const language = document.documentElement.lang;

// 1. The count of waiting mails, in the head and in the title; one stream a browser, closed while hidden.
const counter = document.querySelector("[data-count]");
const live = document.body.dataset.live;
let stream;

function showCount(count) {
  counter.firstChild.data = String(count);
  counter.hidden = count === 0;
  document.title = document.title.replace(/^(\(\d+\) )?/, count === 0 ? "" : `(${count}) `);
}

function listen() {
  stream?.close();
  if (document.hidden) return;
  stream = new EventSource(live);
  stream.addEventListener("count", (event) => showCount(Number(event.data)));
  // Something on this page was decided or changed: the page offers to load it anew, and moves nothing by itself.
  stream.addEventListener("changed", (event) => {
    const note = document.querySelector(`[data-changed="${CSS.escape(event.data)}"]`);
    if (note) note.hidden = false;
  });
}

if (counter && live) {
  listen();
  document.addEventListener("visibilitychange", listen);
}

// 2. Countdowns: <span data-until="2026-11-24T14:32:20+01:00">until 14:32:20</span>. Without script the time stands there.
const unit = new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay: "long" });
const skew = Number(document.body.dataset.now ?? Date.now()) - Date.now(); // the server's clock counts

function tick() {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.ceil((Date.parse(place.dataset.until) - Date.now() - skew) / 1000);
    if (place instanceof HTMLProgressElement) place.value = Math.max(0, left);
    else if (left > 0) place.textContent = unit.format(left);
    if (left > 0) continue;
    delete place.dataset.until;
    const after = document.querySelector("[data-after]");
    if (after) {
      for (const one of document.querySelectorAll("[data-before]")) one.hidden = true;
      after.hidden = false;
    }
  }
  if (document.querySelector("[data-until]")) setTimeout(tick, 250);
}
tick();

// What a new passkey is for depends on what was typed into the form, so the server is asked.
async function ask(form) {
  const answer = await fetch(form.dataset.ask, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  return answer.ok ? answer.json() : undefined;
}

// 3. Passkeys: <form data-passkey='{"challenge":"…"}'>. The challenge is bound to the version that the page shows.
for (const form of document.querySelectorAll("form[data-passkey], form[data-ask]"))
  form.addEventListener("submit", async (event) => {
    const answer = form.elements.namedItem("assertion");
    if (answer.value !== "") return; // the second time round it goes to the server
    event.preventDefault();
    const button = event.submitter;
    const failure = form.querySelector("[data-failure]");
    button?.setAttribute("aria-busy", "true");
    if (failure) failure.hidden = true;
    try {
      const asked = form.dataset.ask ? await ask(form) : JSON.parse(form.dataset.passkey);
      if (asked === undefined) return form.submit(); // the server says why not
      const credential =
        form.dataset.act === "create"
          ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked) })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked) });
      answer.value = JSON.stringify(credential);
      form.requestSubmit(button);
    } catch {
      button?.removeAttribute("aria-busy");
      if (failure) failure.hidden = false;
    }
  });

// An invitation stands behind #, which no server sees: it goes from there into its field.
const invitation = document.querySelector("[data-fragment]");
function takeInvitation() {
  if (!invitation || !/^#wp[il]_/.test(location.hash)) return;
  invitation.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
}
takeInvitation();
addEventListener("hashchange", takeInvitation);

// 4. Notices: the browser asks its push service for an address, and the form brings it to the server.
const notices = document.querySelector("form[data-push]");
const workerPath = "/service-worker.js";
// A worker is a script, so its address goes through a policy.
const workerPolicy = notices && globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => workerPath });
notices?.addEventListener("submit", async (event) => {
  const field = (name) => notices.elements.namedItem(name);
  if (field("endpoint").value !== "") return;
  event.preventDefault();
  const failure = notices.querySelector("[data-failure]");
  failure.hidden = true;
  try {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("not allowed");
    await navigator.serviceWorker.register(workerPolicy?.createScriptURL("") ?? workerPath);
    const { pushManager } = await navigator.serviceWorker.ready;
    const asked = { userVisibleOnly: true, applicationServerKey: notices.dataset.push };
    const { endpoint, keys } = (await pushManager.subscribe(asked)).toJSON();
    field("endpoint").value = endpoint;
    for (const name of ["p256dh", "auth"]) field(name).value = keys[name];
    notices.requestSubmit();
  } catch {
    failure.hidden = false;
  }
});

// 5. Copying, told to everybody: the button says it, and so does its name.
const copied = language === "de" ? "Kopiert" : "Copied";
for (const place of document.querySelectorAll("[data-copy]"))
  place.querySelector("button").addEventListener("click", async ({ currentTarget: button }) => {
    await navigator.clipboard.writeText(place.querySelector("code, pre").textContent);
    const word = [...button.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
    const before = word.data;
    word.data = copied;
    setTimeout(() => (word.data = before), 2000);
  });
