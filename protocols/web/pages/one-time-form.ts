/** The form for what was printed once: the invitation of a person, the link of an operator. A GET spends nothing: the secret is behind #, which the
 *  server does not see, and the script puts it into its field. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import type { Page, Visit } from "../visit.ts";

export interface OneTimeForm {
  readonly title: string;
  readonly lead: string;
  /** Where it goes; its options are below. */
  readonly action: string;
  readonly field: {
    readonly name: string;
    readonly label: string;
    readonly prefix: string;
    readonly hint?: Html;
  };
  readonly deviceHint?: string;
  /** Instead of the passkey. */
  readonly without?: Html;
  /** Below the form. */
  readonly below?: Html;
  readonly needsScript?: boolean;
  readonly wrong?: string | undefined;
}

export function oneTimePage({ words, browser }: Visit, form: OneTimeForm): Page {
  const w = words.join;
  const { name, label, prefix, hint } = form.field;
  const { wrong, deviceHint } = form;
  const isWrong = wrong !== undefined;
  const script = form.needsScript === true && " needs-script";
  return {
    title: form.title,
    width: "is-narrow",
    ...(isWrong ? { status: 403, isWrong } : {}),
    body: html`<div class="head">
  <h1>${form.title}</h1>
  <p>${form.lead}</p>
</div>
<form class="stack${script}" method="post" action="${form.action}" data-ask="${form.action}/options" data-act="create">
  <input type="hidden" name="assertion">
  <div class="field${isWrong && " is-wrong"}">
    <label for="${name}">${label}</label>
    <input class="input is-code" id="${name}" name="${name}" autocomplete="off" spellcheck="false" autocapitalize="off" maxlength="100" required aria-describedby="${name}-hint${isWrong && ` ${name}-wrong`}"${isWrong && html` aria-invalid="true"`} data-fragment>
    ${isWrong && html`<p class="wrong" role="alert" id="${name}-wrong">${icon("warn")}<span>${wrong}</span></p>`}
    <p class="hint" id="${name}-hint">${w.begins} <code>${prefix}</code>.${hint}</p>
  </div>
  <div class="field">
    <label for="device">${w.device}</label>
    <input class="input" id="device" name="device" autocomplete="off" maxlength="60" value="${browser.device}" required${deviceHint !== undefined && html` aria-describedby="device-hint"`}>
    ${deviceHint !== undefined && html`<p class="hint" id="device-hint">${deviceHint}</p>`}
  </div>
  <button class="button is-primary is-big is-full needs-script">${icon("key")}${w.make}</button>
  ${form.without}
  <p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.failed}</span></p>
</form>
${form.below}`,
  };
}
