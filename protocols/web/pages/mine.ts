/** What belongs to the person: passkeys, and the browsers in which they are signed in. */
import { isWaypostError } from "#/src/model/errors.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, pageAnswer, redirect, type SignedVisit } from "../visit.ts";

export async function showMine(visit: SignedVisit, problem?: string): Promise<Answer> {
  const { words, session } = visit;
  const w = words.mine;
  return pageAnswer({
    title: w.title,
    width: "is-list",
    ...(problem === undefined ? {} : { status: 409, isWrong: true }),
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p>${session.principal.address} · ${session.principal.name}</p>
</div>
${problem !== undefined && html`<div class="note is-bad" role="alert">${icon("warn")}<div><p><b>${problem}</b></p></div></div>`}
${await passkeysBlock(visit)}
${await sessionsBlock(visit)}`,
  });
}

async function passkeysBlock(visit: SignedVisit): Promise<Html> {
  const { words, format, signIn, session } = visit;
  const w = words.mine;
  const keys = await signIn.listPasskeys(session);
  const isOnly = keys.length === 1;
  const row = ({ passkey, name, createdAt, usedAt }: (typeof keys)[number]): Html => {
    const used = usedAt === null ? w.notUsed : w.used(format.moment(usedAt));
    const aside = html`<span class="aside"> ${name}</span>`;
    return html`<li><div><b><bdi>${name}</bdi></b><small>${w.since(format.day(createdAt))} · ${used}</small></div>${
      isOnly
        ? html`<button class="button is-small is-quiet is-danger" disabled aria-describedby="last-key">${w.remove}${aside}</button>`
        : html`<form class="needs-script" method="post" action="/mine/passkeys/${passkey}/remove" data-passkey="${JSON.stringify(signIn.ask(session, "credential", shownOf(passkey)))}"><input type="hidden" name="assertion"><button class="button is-small is-quiet is-danger">${w.remove}${aside}</button><p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.notRemoved}</span></p></form>`
    }</li>`;
  };
  return html`<section class="block" id="passkeys" aria-labelledby="passkeys-h">
  <h2 id="passkeys-h">${w.passkeys}</h2>
  <p>${keys.length === 0 ? w.noPasskeys : w.passkeysLead}</p>
  ${keys.length > 0 && html`<ul class="rows">${keys.map(row)}</ul>`}
  ${isOnly && html`<p class="hint" id="last-key">${w.onlyKey}</p>`}
</section>`;
}

async function sessionsBlock({ words, format, signIn, session }: SignedVisit): Promise<Html> {
  const w = words.mine;
  const sessions = await signIn.listSessions(session);
  const row = ({ session: number, device, network, createdAt, seenAt }: (typeof sessions)[number]): Html =>
    html`<li><div><b><bdi>${device}</bdi></b>${
      number === session.number && html` <span class="mark is-good">${icon("check")}${w.thisOne}</span>`
    }<small>${network} · ${w.since(format.moment(createdAt))} · ${w.used(format.moment(seenAt))}</small></div>${
      number !== session.number &&
      html`<form method="post" action="/mine/sessions/${number}/end"><button class="button is-small is-quiet is-danger">${w.end}<span class="aside"> ${device}</span></button></form>`
    }</li>`;
  return html`<section class="block" id="sessions" aria-labelledby="sessions-h">
  <h2 id="sessions-h">${w.sessions}</h2>
  <p>${w.sessionsLead}</p>
  <ul class="rows">${sessions.map(row)}</ul>
  ${sessions.length > 1 && html`<form class="actions" method="post" action="/mine/sessions/end"><button class="button is-danger">${w.endOthers}</button></form>`}
</section>`;
}

export async function endSession({ signIn, session, names }: SignedVisit): Promise<Answer> {
  await signIn.endSessions(session, { number: Number(names[0]) });
  return redirect("/mine");
}

export async function endOtherSessions({ signIn, session }: SignedVisit): Promise<Answer> {
  await signIn.endSessions(session, "others");
  return redirect("/mine");
}

/** The answer of a passkey is for the removal of this one. */
function shownOf(passkey: number): string {
  return `remove passkey ${passkey}`;
}

export async function removePasskey(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, names, form, words } = visit;
  const passkey = Number(names[0]);
  try {
    const answer = form.get("assertion") ?? "";
    await signIn.prove(session, "credential", shownOf(passkey), { kind: "passkey", answer });
    await signIn.removePasskey(session, passkey);
  } catch (error) {
    if (!isWaypostError(error) || error.code === "internal") throw error;
    return showMine(visit, words.mine.notRemoved);
  }
  return redirect("/mine");
}
