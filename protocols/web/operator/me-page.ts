/** The passkeys and sessions of an operator. Another passkey is made with another link of the command line. */
import { isOfServer } from "#/src/model/errors.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, type OperatorVisit, pageAnswer, redirect } from "../visit.ts";
import { mayDo } from "./operate.ts";
import { refusedPage } from "./places.ts";

const removal = (passkey: number): string => `remove passkey ${passkey}`;

export async function showMe(visit: OperatorVisit): Promise<Answer> {
  const { words, format, seat } = visit;
  const { name, expiresAt } = seat.operator;
  const w = words.operator.me;
  return pageAnswer({
    title: w.title,
    width: "is-list",
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p>${words.operator.named(name)}, ${words.mine.until(format.day(expiresAt))}. ${mayDo(visit, "domain.delete") ? w.mayAll : w.mayRead}</p>
</div>
${await passkeysBlock(visit)}
${await sessionsBlock(visit)}`,
  });
}

async function passkeysBlock({ words, format, operatorSignIn, seat }: OperatorVisit): Promise<Html> {
  const w = words.mine;
  const keys = await operatorSignIn.listPasskeys(seat);
  const isOnly = keys.length === 1;
  const row = ({ passkey, name, createdAt, usedAt }: (typeof keys)[number]): Html => {
    const used = usedAt === null ? w.notUsed : w.used(format.moment(usedAt));
    const aside = html`<span class="aside"> ${name}</span>`;
    const asked = JSON.stringify(operatorSignIn.ask(seat, removal(passkey)));
    return html`<li><div><b><bdi>${name}</bdi></b><small>${w.since(format.day(createdAt))} · ${used}</small></div>${
      isOnly
        ? html`<button class="button is-small is-quiet is-danger" disabled aria-describedby="last-key">${w.remove}${aside}</button>`
        : html`<form class="needs-script" method="post" action="/operator/me/passkeys/${passkey}/remove" data-passkey="${asked}"><input type="hidden" name="assertion"><button class="button is-small is-quiet is-danger">${w.remove}${aside}</button><p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.notConfirmed}</span></p></form>`
    }</li>`;
  };
  return html`<section class="block" id="passkeys" aria-labelledby="passkeys-h">
  <h2 id="passkeys-h">${w.passkeys}</h2>
  <p>${words.operator.me.passkeysLead}</p>
  <ul class="rows">${keys.map(row)}</ul>
  ${isOnly && html`<p class="hint" id="last-key">${w.onlyKey}</p>`}
</section>`;
}

async function sessionsBlock({ words, format, operatorSignIn, seat }: OperatorVisit): Promise<Html> {
  const w = words.mine;
  const sessions = await operatorSignIn.listSessions(seat);
  const row = ({ session, device, network, createdAt, seenAt }: (typeof sessions)[number]): Html =>
    html`<li><div><b><bdi>${device}</bdi></b>${
      session === seat.number && html` <span class="mark is-good">${icon("check")}${w.thisOne}</span>`
    }<small>${network} · ${w.since(format.moment(createdAt))} · ${w.used(format.moment(seenAt))}</small></div>${
      session !== seat.number &&
      html`<form method="post" action="/operator/me/sessions/${session}/end"><button class="button is-small is-quiet is-danger">${w.end}<span class="aside"> ${device}</span></button></form>`
    }</li>`;
  return html`<section class="block" id="sessions" aria-labelledby="sessions-h">
  <h2 id="sessions-h">${w.sessions}</h2>
  <p>${w.sessionsLead}</p>
  <ul class="rows">${sessions.map(row)}</ul>
  ${sessions.length > 1 && html`<form class="actions" method="post" action="/operator/me/sessions/end"><button class="button is-danger">${w.endOthers}</button></form>`}
</section>`;
}

export async function removeOperatorPasskey(visit: OperatorVisit): Promise<Answer> {
  const { operatorSignIn, seat, names, form, words } = visit;
  const passkey = Number(names[0]);
  try {
    await operatorSignIn.prove(seat, removal(passkey), form.get("assertion") ?? "");
    await operatorSignIn.removePasskey(seat, passkey);
  } catch (error) {
    if (isOfServer(error)) throw error;
    return refusedPage(visit, words.mine.wrongProof, "/operator/me");
  }
  return redirect("/operator/me#passkeys");
}

export async function endOperatorSession({ operatorSignIn, seat, names }: OperatorVisit): Promise<Answer> {
  await operatorSignIn.endSessions(seat, { number: Number(names[0]) });
  return redirect("/operator/me#sessions");
}

export async function endOtherOperatorSessions({ operatorSignIn, seat }: OperatorVisit): Promise<Answer> {
  await operatorSignIn.endSessions(seat, "others");
  return redirect("/operator/me#sessions");
}
