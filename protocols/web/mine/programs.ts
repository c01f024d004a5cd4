/** The mail programs of a person: each has an app password of its own, which is shown once, with the set-up beside it. */
import { encode } from "uqr";
import { Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { proofFields } from "../proof.ts";
import type { SignedVisit } from "../visit.ts";

/** What the answer of a passkey is bound to: the name that was typed. */
export const making = (name: string): string => `app password ${name}`;

export async function programsBlock(visit: SignedVisit, made?: Html): Promise<Html> {
  const { words, format, signIn, session } = visit;
  const w = words.mine;
  const rows = await signIn.listPasswords(session);
  const hasPasskey = await signIn.hasPasskey(session);
  return html`<section class="block" id="programs" aria-labelledby="programs-h">
  <h2 id="programs-h">${w.programs}</h2>
  <p>${w.programsLead}</p>
  <div class="stack">
  ${made}
  ${
    rows.length > 0 &&
    html`<ul class="rows">${rows.map(
      ({ password, name, createdAt }) =>
        html`<li><div><b><bdi>${name}</bdi></b><small>${w.since(format.day(createdAt))}</small></div><form method="post" action="/mine/programs/${password}/revoke"><button class="button is-small is-quiet is-danger">${w.revoke}<span class="aside"> ${name}</span></button></form></li>`,
    )}</ul>`
  }
  <form class="card stack${hasPasskey && " needs-script"}" method="post" action="/mine/programs"${hasPasskey && html` data-ask="/mine/programs/options"`}>
    <div class="field">
      <label for="program">${w.anotherProgram}</label>
      <input class="input" id="program" name="name" autocomplete="off" maxlength="60" placeholder="${w.programExample}" required>
    </div>
    ${proofFields(visit, hasPasskey, "program")}
    <div class="actions"><button class="button">${w.makePassword}</button>${hasPasskey && html`<span class="soft">${w.confirmIt}</span>`}</div>
  </form>
  </div>
</section>`;
}

export function madeNote({ words, origin, session }: SignedVisit, name: string, secret: string): Html {
  const w = words.mine;
  const { address } = session.principal;
  const profile = `/apple.mobileconfig?emailaddress=${encodeURIComponent(address)}`;
  return html`<div class="note is-good" role="status">${icon("check")}<div><h3>${w.passwordFor(name)}</h3>
<p>${w.onlyNow}</p>
<div class="beside">
  <div class="qr">${qrCode(`${origin}${profile}`, w.qrCode)}</div>
  <div class="stack is-tight">
    <div class="code is-secret" data-copy><code>${secret}</code><button type="button" class="button is-quiet is-small needs-script">${icon("copy")}${words.copy}<span class="aside"> ${w.copyPassword}</span></button></div>
    <p class="hint">${w.scan} <a href="${profile}" download>waypost.mobileconfig</a>.</p>
    <p class="hint">${w.thunderbird[0]}<b>${address}</b>${w.thunderbird[1]}</p>
  </div>
</div></div></div>`;
}

/** One path in a square of modules. */
function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 1 });
  const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  return html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">${new Html(`<path fill="#000" d="${dark.join("")}"/>`)}</svg>`;
}
