/** The queue by destination, the worst first, with the last answer of the other server. No subject and no text of anybody. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, type OperatorVisit, pageAnswer, redirect } from "../visit.ts";
import { askedFields, asking, missingProof } from "./asked-anew.ts";
import { listOf, mayDo, operate, refusalOf } from "./operate.ts";
import { operatorPath, outcomeNote, refusedPage, withDone } from "./places.ts";

export interface QueuedMail {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly attempts: number;
  readonly status: string | null;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
}

export interface Destination {
  readonly domain: string;
  /** The oldest first. */
  readonly mails: readonly QueuedMail[];
  readonly oldestAt: number;
  readonly nextAt: number | undefined;
}

interface Answered {
  readonly address: string;
  readonly host: string | null;
  readonly reply: string | null;
}

const shownMax = 50;
const lateMs = 3_600_000;
const soonMs = 5 * 60_000;

export async function listDestinations(visit: OperatorVisit): Promise<readonly Destination[]> {
  const mails = (await listOf(visit, "queue.list", "mails")) as unknown as readonly QueuedMail[];
  const domains = new Map<string, QueuedMail[]>();
  for (const mail of mails)
    for (const domain of new Set(mail.to.map(domainOf))) {
      const known = domains.get(domain) ?? [];
      domains.set(domain, known);
      known.push(mail);
    }
  return [...domains]
    .map(([domain, ofDomain]) => ({
      domain,
      mails: ofDomain,
      oldestAt: Math.min(...ofDomain.map(({ createdAt }) => Date.parse(createdAt))),
      nextAt: soonestOf(ofDomain),
    }))
    .toSorted((one, other) => one.oldestAt - other.oldestAt);
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function soonestOf(mails: readonly QueuedMail[]): number | undefined {
  const times = mails.flatMap(({ nextAttemptAt }) =>
    nextAttemptAt === null ? [] : [Date.parse(nextAttemptAt)],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** What the other server said last about a mail that was tried. */
export async function lastAnswer(
  visit: OperatorVisit,
  { domain, mails }: Destination,
): Promise<string | undefined> {
  const tried = mails.find(({ attempts }) => attempts > 0);
  if (tried === undefined) return undefined;
  const { recipients } = (await operate(visit, "queue.show", { id: tried.id })) as {
    readonly recipients: readonly Answered[];
  };
  const answered = recipients.find(({ address, reply }) => domainOf(address) === domain && reply !== null);
  if (answered === undefined) return undefined;
  return [answered.host, answered.reply].filter((part) => part !== null).join(": ");
}

export async function showQueue(visit: OperatorVisit): Promise<Answer> {
  const { words, format, query } = visit;
  const w = words.operator.queue;
  const destinations = await listDestinations(visit);
  const count = new Set(destinations.flatMap(({ mails }) => mails.map(({ id }) => id))).size;
  const rows: Html[] = [];
  for (const destination of destinations.slice(0, shownMax))
    rows.push(row(visit, destination, await lastAnswer(visit, destination)));
  const chosen = destinations.find(({ domain }) => domain === query.get("to"));
  return pageAnswer({
    title: w.title(count, format),
    width: "",
    body: html`<div class="head">
  <h1>${w.title(count, format)}</h1>
  <p>${count === 0 ? w.empty : w.lead}</p>
</div>
${outcomeNote(visit)}
${
  destinations.length > 0 &&
  html`<section class="block" aria-labelledby="dest">
<h2 class="aside" id="dest">${w.byDestination}</h2>
<table class="grid" role="table" aria-labelledby="dest">
  <thead role="rowgroup"><tr role="row">${[w.destination, w.mails, w.oldest, w.answer, w.next].map((label) => html`<th role="columnheader">${label}</th>`)}<th role="columnheader"><span class="aside">${words.operator.actsAside}</span></th></tr></thead>
  <tbody role="rowgroup">${rows}</tbody>
</table>
</section>`
}
${chosen !== undefined && mailsOf(visit, chosen)}`,
  });
}

function row(visit: OperatorVisit, destination: Destination, answer: string | undefined): Html {
  const { words, format } = visit;
  const w = words.operator.queue;
  const { domain, mails, oldestAt, nextAt } = destination;
  const waits = format.now - oldestAt;
  const state = waits > lateMs ? "is-bad" : waits > soonMs ? "is-warn" : "is-good";
  return html`
    <tr role="row"><th role="rowheader" scope="row"><a href="/operator/queue?to=${encodeURIComponent(domain)}#mails">${domain}</a></th><td role="cell" data-label="${w.mails}"><b class="num">${format.count(mails.length)}</b></td><td role="cell" data-label="${w.oldest}"><span class="state ${state}">${format.length(waits)}</span></td><td role="cell" data-label="${w.answer}">${answer === undefined ? html`<span class="soft">${w.notTried}</span>` : html`<span><code>${answer}</code></span>`}</td><td role="cell" data-label="${w.next}">${nextAt === undefined ? "–" : nextAt <= format.now ? w.now : format.moment(nextAt)}</td><td role="cell" class="is-actions">${queueActs(visit, "to", domain, w.allTo(domain))}</td></tr>`;
}

/** Retry, and give up: of a destination (`to`), or of one mail (`id`). */
export function queueActs(visit: OperatorVisit, name: "to" | "id", value: string, aside: string): Html {
  const w = visit.words.operator.queue;
  const off = (operation: string): Html | false => !mayDo(visit, operation) && html` disabled`;
  const fields = (act: string): Html =>
    html`<input type="hidden" name="${name}" value="${value}"><input type="hidden" name="act" value="${act}">`;
  return html`<form method="post" action="/operator/queue">${fields("retry")}<button class="button is-small"${off("queue.retry")}>${icon("retry")}${w.retry}<span class="aside"> ${aside}</span></button></form> <form method="post" action="/operator/queue"${asking}>${fields("cancel")}${askedFields(visit)}<button class="button is-small is-quiet is-danger"${off("queue.cancel")}>${w.giveUp}<span class="aside"> ${aside}</span></button></form>`;
}

function mailsOf(visit: OperatorVisit, { domain, mails }: Destination): Html {
  const { words, format } = visit;
  const w = words.operator.queue;
  return html`<section class="block" id="mails" aria-labelledby="mails-h">
  <h2 id="mails-h">${w.mailsTo(domain, mails.length, format)}</h2>
  <p>${w.noText}</p>
  <table class="grid" role="table" aria-labelledby="mails-h">
    <thead role="rowgroup"><tr role="row">${[w.mail, w.from, w.to, w.tries, w.since].map((label) => html`<th role="columnheader">${label}</th>`)}<th role="columnheader"><span class="aside">${words.operator.actsAside}</span></th></tr></thead>
    <tbody role="rowgroup">${mails.slice(0, shownMax).map(
      ({ id, from, to, attempts, createdAt }) => html`
      <tr role="row"><th role="rowheader" scope="row"><a href="/operator/trace?id=${encodeURIComponent(id)}"><code>${id}</code></a></th><td role="cell" data-label="${w.from}"><bdi>${from}</bdi></td><td role="cell" data-label="${w.to}"><bdi>${to.filter((address) => domainOf(address) === domain).join(", ")}</bdi></td><td role="cell" data-label="${w.tries}">${format.count(attempts)}</td><td role="cell" data-label="${w.since}">${format.moment(Date.parse(createdAt))}</td><td role="cell" class="is-actions">${queueActs(visit, "id", id, id)}</td></tr>`,
    )}
    </tbody>
  </table>
  ${mails.length > shownMax && html`<p class="hint">${words.operator.more(mails.length - shownMax, format)}</p>`}
</section>`;
}

/** Retries or gives up one mail, or all to a destination. A mail that has left in between is none of them. */
export async function actOnQueue(visit: OperatorVisit): Promise<Answer> {
  const { form } = visit;
  const operation = form.get("act") === "cancel" ? "queue.cancel" : "queue.retry";
  const to = form.get("to");
  const back = operatorPath(form.get("back") ?? "/operator/queue");
  const missing = operation === "queue.cancel" ? await missingProof(visit) : undefined;
  if (missing !== undefined) return refusedPage(visit, missing, back);
  if (to === null) {
    const id = (form.get("id") ?? "").slice(0, 100);
    const refusal = await refusalOf(() => operate(visit, operation, { id }));
    return refusal === undefined ? redirect(withDone(back, operation)) : refusedPage(visit, refusal, back);
  }
  const { mails = [] } = (await listDestinations(visit)).find(({ domain }) => domain === to) ?? {};
  const refusals = [];
  for (const { id } of mails) refusals.push(await refusalOf(() => operate(visit, operation, { id })));
  const [refusal] = refusals.filter((one) => one !== undefined);
  return refusal !== undefined && refusals.every((one) => one !== undefined)
    ? refusedPage(visit, refusal, back)
    : redirect(withDone(back, operation));
}
