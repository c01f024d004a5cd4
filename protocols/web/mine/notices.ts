/** Whether this browser tells its person of waiting mail (Web Push). */
import { isWaypostError } from "#/src/model/errors.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, redirect, type SignedVisit } from "../visit.ts";

export async function noticesBlock({ words, signIn, session }: SignedVisit): Promise<Html> {
  const w = words.mine;
  const isTold = (await signIn.listToldSessions(session)).has(session.number);
  const fields = ["endpoint", "p256dh", "auth"].map((name) => html`<input type="hidden" name="${name}">`);
  return html`<section class="block" id="notices" aria-labelledby="notices-h">
  <h2 id="notices-h">${w.notices}</h2>
  <p>${w.noticesLead}</p>
  ${
    isTold
      ? html`<p><span class="mark is-good">${icon("check")}${w.noticesOn}</span></p>
  <form class="actions" method="post" action="/mine/notices/end"><button class="button">${w.noticesEnd}</button></form>`
      : html`<form class="stack needs-script" method="post" action="/mine/notices" data-push="${signIn.pushKey}">
    ${fields}
    <div class="actions"><button class="button">${w.noticesBegin}</button></div>
    <p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.noticesRefused}</span></p>
    <p class="hint">${w.noticesPhone}</p>
  </form>`
  }
</section>`;
}

export async function beginNotices(
  { signIn, session, form, language }: SignedVisit,
  refuse: () => Promise<Answer>,
): Promise<Answer> {
  const field = (name: string): string => (form.get(name) ?? "").slice(0, 2000);
  const wanted = { endpoint: field("endpoint"), p256dh: field("p256dh"), auth: field("auth") };
  try {
    await signIn.keepPush(session, wanted, language);
  } catch (error) {
    if (!isWaypostError(error) || !["invalid", "policy_refused"].includes(error.code)) throw error;
    return refuse();
  }
  return redirect("/mine#notices");
}
