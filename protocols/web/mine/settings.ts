/** What a person chooses for the pages: what approves a mail, and the time zone. To lower what an approval asks takes a proof. */
import { type Html, html } from "../html.ts";
import { proofFields } from "../proof.ts";
import type { SignedVisit } from "../visit.ts";

export const lowering = "approve mails by the session";

/** Names of the IANA database that this Node.js knows. */
export const zones = (): readonly string[] => Intl.supportedValuesOf("timeZone");

export async function settingsBlock(visit: SignedVisit): Promise<Html> {
  const { words, session, signIn } = visit;
  const w = words.mine;
  const { approvesWith, timeZone } = session.settings;
  const isLowered = approvesWith === "session";
  const hasPasskey = await signIn.hasPasskey(session);
  return html`<section class="block" id="settings" aria-labelledby="settings-h">
  <h2 id="settings-h">${w.settings}</h2>
  <form class="stack" method="post" action="/mine/zone">
    <div class="field"><label for="zone">${w.zone}</label><select class="input" id="zone" name="zone">
      <option value="">${w.serverZone}</option>
      ${zones().map((zone) => html`<option${zone === timeZone && html` selected`}>${zone}</option>`)}
    </select></div>
    <div class="actions"><button class="button">${w.save}</button></div>
  </form>
  <h3 class="gap" id="approving">${w.approving}</h3>
  <p>${isLowered ? w.approvesBySession : w.approvesByProof}</p>
  ${
    isLowered
      ? html`<form class="actions" method="post" action="/mine/approving"><button class="button" name="with" value="proof">${w.raise}</button></form>`
      : html`<form class="stack${hasPasskey && " needs-script"}" method="post" action="/mine/approving"${hasPasskey && html` data-passkey="${JSON.stringify(signIn.ask(session, "credential", lowering))}"`}>
    <input type="hidden" name="with" value="session">
    ${proofFields(visit, hasPasskey, "approving")}
    <div class="actions"><button class="button is-danger">${w.lower}</button></div>
    <p class="hint">${w.lowerHint}</p>
  </form>`
  }
</section>`;
}
