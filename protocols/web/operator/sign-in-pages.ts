/** How an operator signs in: a link of the command line makes a passkey, and the passkey signs in. There is no other way. */
import { peerOf } from "#/protocols/connection/peer.ts";
import { logStranger } from "#/protocols/connection/stranger-lines.ts";
import type { Operator } from "#/src/accounts/operators.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { pageSessionMs } from "#/src/model/limits.ts";
import { cookieField, operatorCookie } from "../cookies.ts";
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, lineOf, type OperatorVisit, pageAnswer, redirect, type Visit } from "../visit.ts";
import { operatorPath } from "./places.ts";

export function showOperatorSignIn(visit: Visit, wrong?: string): Answer {
  const { words, query, form, operatorSignIn } = visit;
  const w = words.operator.signIn;
  const note = query.has("ended") ? words.signIn.ended : query.has("expired") ? w.expired : undefined;
  return pageAnswer({
    title: w.title,
    width: "is-narrow",
    ...(wrong === undefined ? {} : { status: 403, isWrong: true }),
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p>${w.lead}</p>
</div>
<div class="stack">
  ${note !== undefined && html`<div class="note" role="status">${icon("info")}<div><p>${note}</p></div></div>`}
  <form class="stack needs-script" method="post" action="/operator/sign-in" data-passkey="${JSON.stringify(operatorSignIn.askToSignIn())}">
    <input type="hidden" name="assertion">
    <input type="hidden" name="then" value="${operatorPath(query.get("then") ?? form.get("then"))}">
    <button class="button is-primary is-big is-full">${icon("key")}${words.signIn.passkey}</button>
    <p class="wrong" role="alert" data-failure${wrong === undefined && html` hidden`}>${icon("warn")}<span>${wrong ?? w.notUsed}</span></p>
  </form>
  <p class="without-script">${w.needsScript}</p>
  <p class="hint"><b>${words.signIn.noWayIn}</b> ${w.atCommandLine}</p>
  <div class="code" data-copy><code>waypost operator sign-in NAME</code><button type="button" class="button is-quiet is-small needs-script">${icon("copy")}${words.copy}<span class="aside"> ${w.theCommand}</span></button></div>
</div>`,
  });
}

export async function signInOperator(visit: Visit): Promise<Answer> {
  const { form, browser, operatorSignIn, words } = visit;
  try {
    const begun = await operatorSignIn.byPasskey(form.get("assertion") ?? "", browser);
    return begin(visit, begun, operatorPath(form.get("then")));
  } catch (error) {
    noteFailure(visit, error);
    return showOperatorSignIn(visit, words.signIn.wrongPasskey);
  }
}

export function showOperatorJoin({ words, browser }: Visit, wrong?: string): Answer {
  const w = words.operator.join;
  return pageAnswer({
    title: w.title,
    width: "is-narrow",
    ...(wrong === undefined ? {} : { status: 403, isWrong: true }),
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p>${w.lead}</p>
</div>
<form class="stack needs-script" method="post" action="/operator/join" data-ask="/operator/join/options" data-act="create">
  <input type="hidden" name="assertion">
  <div class="field${wrong !== undefined && " is-wrong"}">
    <label for="link">${w.link}</label>
    <input class="input is-code" id="link" name="link" autocomplete="off" spellcheck="false" autocapitalize="off" maxlength="100" required aria-describedby="link-hint${wrong !== undefined && " link-wrong"}"${wrong !== undefined && html` aria-invalid="true"`} data-fragment>
    ${wrong !== undefined && html`<p class="wrong" role="alert" id="link-wrong">${icon("warn")}<span>${wrong}</span></p>`}
    <p class="hint" id="link-hint">${words.join.begins} <code>wpl_</code>.</p>
  </div>
  <div class="field">
    <label for="device">${words.join.device}</label>
    <input class="input" id="device" name="device" autocomplete="off" maxlength="60" value="${browser.device}" required>
  </div>
  <button class="button is-primary is-big is-full">${icon("key")}${words.join.make}</button>
  <p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${words.join.failed}</span></p>
</form>
<p class="without-script">${words.operator.signIn.needsScript}</p>`,
  });
}

/** What the browser is asked that makes a passkey. It spends nothing. */
export async function operatorJoinOptions({ form, operatorSignIn }: Visit): Promise<Answer> {
  return { kind: "json", value: await operatorSignIn.askToJoin((form.get("link") ?? "").trim()) };
}

export async function joinOperator(visit: Visit): Promise<Answer> {
  const { form, browser, operatorSignIn, words } = visit;
  const device = lineOf(form, "device") || browser.device;
  try {
    const link = (form.get("link") ?? "").trim();
    const begun = await operatorSignIn.byLink(link, form.get("assertion") ?? "", { ...browser, device });
    return begin(visit, begun, "/operator");
  } catch (error) {
    noteFailure(visit, error);
    return showOperatorJoin(visit, words.operator.join.wrong);
  }
}

export async function signOutOperator({ operatorSignIn, seat }: OperatorVisit): Promise<Answer> {
  await operatorSignIn.endSessions(seat, { number: seat.number });
  return redirect("/operator/sign-in?ended", [cookieField(operatorCookie, "", 0)]);
}

function begin(
  { context, rooms }: Visit,
  { token, operator }: { readonly token: string; readonly operator: Operator },
  to: string,
): Answer {
  const { remoteAddress, requestId } = context;
  const login = `operator ${operator.name}`;
  rooms.log.info({ ...peerOf(remoteAddress), protocol: "pages", requestId, login }, "login");
  return redirect(to, [cookieField(operatorCookie, token, pageSessionMs / 1000)]);
}

/** Only refusals end here; anything else is a fault of the server. */
function noteFailure({ context, rooms }: Visit, error: unknown): void {
  if (!isWaypostError(error) || error.code === "internal") throw error;
  const { remoteAddress, requestId } = context;
  const line = { protocol: "pages", requestId, reason: error.code };
  logStranger(rooms.log, "warn", remoteAddress, line, "login failed");
}
