/** Several mails of one agent at once: those that were opened in this session, each in the version that was shown then. The page lists them,
 *  and one proof is for all of them. */

import { isOfServer } from "#/src/model/errors.ts";
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import { proofProblem } from "../proof.ts";
import { type Answer, pageAnswer, redirect, type SignedVisit } from "../visit.ts";
import { decideAs } from "./acts.ts";
import { subjectOf } from "./names.ts";
import { type Opened, openHold, versionOf } from "./waiting.ts";

const selectedMax = 50;

export async function select(visit: SignedVisit): Promise<Answer> {
  return listSelected(visit, await selected(visit));
}

export async function decideSelected(visit: SignedVisit): Promise<Answer> {
  const chosen = await selected(visit);
  if (chosen.length === 0) return listSelected(visit, chosen);
  const refusal = await proofProblem(visit, "decide", shownOf(chosen), visit.words.hold);
  if (refusal !== undefined) return listSelected(visit, chosen, refusal);
  for (const one of chosen)
    try {
      await decideAs(visit, one, "approve");
    } catch (error) {
      // It has changed meanwhile: it waits, and the list shows it.
      if (isOfServer(error)) throw error;
    }
  return redirect("/approvals");
}

/** What the proof is bound to: every mail in its version. */
function shownOf(chosen: readonly Opened[]): string {
  return chosen.map(({ id, hold }) => `approve ${id} ${versionOf(hold)}`).join("\n");
}

async function selected(visit: SignedVisit): Promise<readonly Opened[]> {
  const { form, opened, session } = visit;
  const chosen: Opened[] = [];
  for (const id of new Set(form.getAll("hold").slice(0, selectedMax))) {
    const one = await openHold(visit, id);
    const isOpened = opened.versionOf(session.number, id) === versionOf(one.hold);
    const isOfSameAgent = one.hold.agent === (chosen[0] ?? one).hold.agent;
    if (one.hold.state === "waiting" && isOpened && isOfSameAgent) chosen.push(one);
  }
  return chosen;
}

async function listSelected(
  visit: SignedVisit,
  chosen: readonly Opened[],
  problem?: string,
): Promise<Answer> {
  const { words, format, signIn, session } = visit;
  const w = words.several;
  const request = (await signIn.hasPasskey(session))
    ? JSON.stringify(signIn.ask(session, "decide", shownOf(chosen)))
    : undefined;
  const fields = chosen.map(({ id }) => html`<input type="hidden" name="hold" value="${id}">`);
  const items = await Promise.all(
    chosen.map(async ({ id, hold }) => {
      const to = format.list(hold.envelope.recipients.slice(0, 3).map(({ address }) => address));
      return html`<li><div><a href="/approvals/${id}"><bdi>${await subjectOf(visit, hold)}</bdi></a><small>${words.list.to}${to}</small></div></li>`;
    }),
  );
  const title = chosen.length === 0 ? words.approvals : w.title(chosen.length, format);
  const body = html`<nav class="crumb" aria-label="${words.hold.waitingMails}"><a href="/approvals">${icon("back")}${words.approvals}</a></nav>
<div class="head">
  <h1>${title}</h1>
  <p>${chosen.length === 0 ? w.none : w.lead}</p>
</div>
${problem !== undefined && html`<div class="note is-bad" role="alert">${icon("warn")}<div><p><b>${problem}</b></p></div></div>`}
<ul class="rows">${items}</ul>
${
  chosen.length > 0 &&
  (session.settings.approvesWith === "session"
    ? html`<form class="actions" method="post" action="/approvals/decide">${fields}<button class="button is-primary is-big">${w.submit(chosen.length, format)}</button></form>`
    : html`<div class="stack">
${
  request !== undefined &&
  html`<form class="stack needs-script" method="post" action="/approvals/decide" data-passkey="${request}">
  ${fields}
  <input type="hidden" name="assertion">
  <button class="button is-primary is-big">${icon("key")}${w.submit(chosen.length, format)}</button>
  <p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${words.hold.passkeyFailed}${words.hold.usePassword}.</span></p>
</form>`
}
<form class="card stack" method="post" action="/approvals/decide">
  ${fields}
  <h2>${words.hold.byPassword}</h2>
  <div class="field">
    <label for="app-password">${words.signIn.password}</label>
    <input class="input" id="app-password" name="password" type="password" autocomplete="current-password" required aria-describedby="app-password-hint">
    <p class="hint" id="app-password-hint">${words.hold.byPasswordHint}</p>
  </div>
  <div class="actions"><button class="button">${w.submit(chosen.length, format)}</button></div>
</form>
</div>`)
}`;
  return pageAnswer({
    title,
    width: "is-list",
    body,
    ...(problem === undefined ? {} : { status: 409, isWrong: true }),
  });
}
