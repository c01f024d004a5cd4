/** The page that the invitation of a person opens. */
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import type { Page, Visit } from "../visit.ts";
import { oneTimePage } from "./one-time-form.ts";

export function joinPage(visit: Visit, wrong?: string): Page {
  const w = visit.words.join;
  return oneTimePage(visit, {
    title: w.title,
    lead: w.lead,
    action: "/join",
    field: {
      name: "invitation",
      label: w.invitation,
      prefix: "wpi_",
      hint: html` <span class="without-script">${w.copyIt} <code>wpi_</code> ${w.copyOn}</span>`,
    },
    deviceHint: w.deviceHint,
    without: html`<button class="button is-big is-full without-script" name="without" value="passkey">${w.without}</button>`,
    below: html`<div class="block">
  <h2>${w.what}</h2>
  <p>${w.explained}</p>
  <div class="note">${icon("info")}<div><p>${w.unexpected}</p></div></div>
</div>`,
    wrong,
  });
}
