/** The part of a form that proves who sends it: the passkey, or, for somebody who has none, an app password. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import type { SignedVisit } from "../visit.ts";

/** `id`: of the form, for its label. */
export function proofFields({ words }: SignedVisit, hasPasskey: boolean, id: string): Html {
  const w = words.mine;
  return hasPasskey
    ? html`<input type="hidden" name="assertion"><p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.notConfirmed}</span></p>`
    : html`<div class="field"><label for="${id}-password">${w.yourPassword}</label><input class="input" id="${id}-password" name="password" type="password" autocomplete="current-password" required></div>`;
}
