/** How an operator signs in: a link of the command line makes a passkey, and the passkey signs in. There is no other way. */
import type { Operator } from "#/src/accounts/operators.ts";
import { cookieField, operatorCookie } from "../cookies.ts";
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import { oneTimePage } from "../pages/one-time-form.ts";
import { beginSession, noteFailure } from "../strangers.ts";
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

export function showOperatorJoin(visit: Visit, wrong?: string): Answer {
  const w = visit.words.operator;
  return pageAnswer(
    oneTimePage(visit, {
      title: w.join.title,
      lead: w.join.lead,
      action: "/operator/join",
      field: { name: "link", label: w.join.link, prefix: "wpl_" },
      needsScript: true,
      below: html`<p class="without-script">${w.signIn.needsScript}</p>`,
      wrong,
    }),
  );
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
  visit: Visit,
  { token, operator }: { readonly token: string; readonly operator: Operator },
  to: string,
): Answer {
  return beginSession(visit, { login: `operator ${operator.name}`, cookie: operatorCookie, token }, to);
}
