/** Pages that say what happened, what was not done, and what to do now. */
import { html } from "../html.ts";
import { isOperatorPath } from "../layout.ts";
import type { UnfitReason } from "../origin.ts";
import type { Page, Visit } from "../visit.ts";

export type Trouble = "nothing" | "forged" | "failed" | "refused" | "busy" | "unavailable";

const statuses = {
  nothing: 404,
  forged: 403,
  failed: 500,
  refused: 400,
  busy: 429,
  unavailable: 503,
} as const satisfies Record<Trouble, number>;

/** `why`: what a refusal says. */
export function errorPage({ words, format, context }: Visit, trouble: Trouble, why?: string): Page {
  const w = words.errors;
  const texts = {
    nothing: [w.nothing, w.nothingWhy],
    forged: [w.forged, w.forgedWhy],
    failed: [w.failed, w.failedWhy],
    refused: [w.refused, why ?? ""],
    busy: [w.busy, w.busyWhy],
    unavailable: [w.unavailable, w.unavailableWhy],
  } as const satisfies Record<Trouble, readonly [string, string]>;
  const [title, text] = texts[trouble];
  const status = statuses[trouble];
  return {
    title,
    width: "is-narrow",
    status,
    body: html`<div class="head">
  <p class="soft">${status}</p>
  <h1>${title}</h1>
  <p class="lead">${text}</p>
</div>
<div class="stack">
  <p>${w.nothingDone}</p>
  <div class="actions">${
    isOperatorPath(context.koa.path)
      ? html`<a class="button is-primary" href="/operator">${words.operator.toNow}</a>`
      : html`<a class="button is-primary" href="/approvals">${w.toApprovals}</a>`
  }</div>
  <dl class="facts card">
    <dt>${w.when}</dt><dd>${format.date(format.now)}</dd>
    <dt>${w.reference}</dt><dd><code>${context.requestId}</code></dd>
  </dl>
  <p class="hint">${w.trace} <code>waypost trace ${context.requestId}</code></p>
</div>`,
  };
}

/** Where the pages take no password: on an address, without TLS, or without a public URL. Not 421 (Misdirected Request): programs repeat such a
 *  request on another connection, and Thunderbird, which looks at `/` when it searches calendars, never ends its search. */
export function unfitPage(
  { words }: Pick<Visit, "words">,
  why: UnfitReason,
  origin: string | undefined,
): Page {
  const w = words.unfit;
  return {
    title: w.title,
    width: "is-narrow",
    status: 403,
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p class="lead">${w[why]}</p>
</div>
${origin !== undefined && html`<div class="actions"><a class="button" href="${origin}">${w.goThere} ${origin}</a></div>`}`,
  };
}
