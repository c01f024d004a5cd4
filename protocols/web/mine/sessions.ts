/** The browsers in which a person is signed in. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import type { SignedVisit } from "../visit.ts";

export async function sessionsBlock({ words, format, signIn, session }: SignedVisit): Promise<Html> {
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
