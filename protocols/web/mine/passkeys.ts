/** The passkeys of a person. Another one is made in two steps: a passkey or an app password allows it, then the browser makes it. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { proofFields } from "../proof.ts";
import type { SignedVisit } from "../visit.ts";

/** What the answer of a passkey is bound to. */
export const anotherOne = "another passkey";
export const removal = (passkey: number): string => `remove passkey ${passkey}`;

export async function passkeysBlock(visit: SignedVisit): Promise<Html> {
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
        : html`<form class="needs-script" method="post" action="/mine/passkeys/${passkey}/remove" data-passkey="${JSON.stringify(signIn.ask(session, "credential", removal(passkey)))}"><input type="hidden" name="assertion"><button class="button is-small is-quiet is-danger">${w.remove}${aside}</button><p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.notConfirmed}</span></p></form>`
    }</li>`;
  };
  return html`<section class="block" id="passkeys" aria-labelledby="passkeys-h">
  <h2 id="passkeys-h">${w.passkeys}</h2>
  <p>${keys.length === 0 ? w.noPasskeys : w.passkeysLead}</p>
  ${keys.length > 0 && html`<ul class="rows">${keys.map(row)}</ul>`}
  ${isOnly && html`<p class="hint" id="last-key">${w.onlyKey}</p>`}
  <form class="stack needs-script" method="post" action="/mine/passkeys/new"${keys.length > 0 && html` data-passkey="${JSON.stringify(signIn.ask(session, "credential", anotherOne))}"`}>
    ${proofFields(visit, keys.length > 0, "key")}
    <div class="actions"><button class="button">${icon("key")}${keys.length > 0 ? w.another : w.first}</button></div>
  </form>
</section>`;
}
