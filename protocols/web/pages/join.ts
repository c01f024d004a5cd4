/** The page that an invitation opens. A GET spends nothing: the invitation is behind #, which the server does not see. */
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import type { Page, Visit } from "../visit.ts";

export function joinPage({ words, browser }: Visit, wrong?: string): Page {
  const w = words.join;
  return {
    title: w.title,
    width: "is-narrow",
    ...(wrong === undefined ? {} : { status: 403, isWrong: true }),
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p>${w.lead}</p>
</div>
<form class="stack" method="post" action="/join" data-ask="/join/options" data-act="create">
  <input type="hidden" name="assertion">
  <div class="field${wrong !== undefined && " is-wrong"}">
    <label for="invitation">${w.invitation}</label>
    <input class="input is-code" id="invitation" name="invitation" autocomplete="off" spellcheck="false" autocapitalize="off" maxlength="100" required aria-describedby="invitation-hint${wrong !== undefined && " invitation-wrong"}"${wrong !== undefined && html` aria-invalid="true"`} data-fragment>
    ${wrong !== undefined && html`<p class="wrong" role="alert" id="invitation-wrong">${icon("warn")}<span>${wrong}</span></p>`}
    <p class="hint" id="invitation-hint">${w.begins} <code>wpi_</code>. <span class="without-script">${w.copyIt} <code>wpi_</code> ${w.copyOn}</span></p>
  </div>
  <div class="field">
    <label for="device">${w.device}</label>
    <input class="input" id="device" name="device" autocomplete="off" maxlength="60" value="${browser.device}" required aria-describedby="device-hint">
    <p class="hint" id="device-hint">${w.deviceHint}</p>
  </div>
  <button class="button is-primary is-big is-full needs-script">${icon("key")}${w.make}</button>
  <button class="button is-big is-full without-script" name="without" value="passkey">${w.without}</button>
  <p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.failed}</span></p>
</form>
<div class="block">
  <h2>${w.what}</h2>
  <p>${w.explained}</p>
  <div class="note">${icon("info")}<div><p>${w.unexpected}</p></div></div>
</div>`,
  };
}
