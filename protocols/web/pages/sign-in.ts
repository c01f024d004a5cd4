/** The page of a stranger: a passkey, or an app password. */
import type { PasskeyOptions } from "#/src/sign-in/sign-in.ts";
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import type { Page, Visit } from "../visit.ts";

export interface SignInPage {
  readonly options: PasskeyOptions;
  /** Where to go afterwards. */
  readonly then: string;
  readonly address?: string;
  /** What went wrong with the password, or with the passkey. */
  readonly wrongPassword?: string;
  readonly wrongPasskey?: string;
  /** Why one has to sign in. */
  readonly note?: string;
}

export function signInPage({ words }: Visit, shown: SignInPage): Page {
  const w = words.signIn;
  const { wrongPassword, wrongPasskey, note } = shown;
  const isWrong = wrongPassword !== undefined || wrongPasskey !== undefined;
  return {
    title: w.title,
    width: "is-narrow",
    isWrong,
    ...(isWrong ? { status: 403 } : {}),
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p>${w.lead}</p>
</div>
<div class="stack">
  ${note !== undefined && html`<div class="note" role="status">${icon("info")}<div><p>${note}</p></div></div>`}
  <form class="stack needs-script" method="post" action="/sign-in" data-passkey="${JSON.stringify(shown.options)}">
    <input type="hidden" name="assertion">
    <input type="hidden" name="then" value="${shown.then}">
    <button class="button is-primary is-big is-full">${icon("key")}${w.passkey}</button>
    <p class="wrong" role="alert" data-failure${wrongPasskey === undefined && html` hidden`}>${icon("warn")}<span>${wrongPasskey ?? w.passkeyFailed}</span></p>
  </form>
  <form class="card stack" method="post" action="/sign-in">
    <h2><span class="needs-script">${w.orPassword}</span><span class="without-script">${w.withPassword}</span></h2>
    ${wrongPassword !== undefined && html`<p class="wrong" role="alert" id="password-wrong">${icon("warn")}<span>${wrongPassword}</span></p>`}
    <input type="hidden" name="then" value="${shown.then}">
    <div class="field">
      <label for="address">${w.address}</label>
      <input class="input" id="address" name="address" type="email" autocomplete="username" required value="${shown.address}">
    </div>
    <div class="field${wrongPassword !== undefined && " is-wrong"}">
      <label for="password">${w.password}</label>
      <input class="input" id="password" name="password" type="password" autocomplete="current-password" required aria-describedby="password-hint${wrongPassword !== undefined && " password-wrong"}"${wrongPassword !== undefined && html` aria-invalid="true"`}>
      <p class="hint" id="password-hint">${w.passwordHint}</p>
    </div>
    <button class="button is-full">${w.submit}</button>
  </form>
  <p class="hint"><b>${w.noWayIn}</b> ${w.askOperator}</p>
</div>`,
  };
}
