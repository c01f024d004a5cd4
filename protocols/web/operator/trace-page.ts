/** The whole way of one mail: what became of it in the queue, for each recipient. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, type OperatorVisit, pageAnswer } from "../visit.ts";
import { operate, refusalOf } from "./operate.ts";
import { outcomeNote } from "./places.ts";
import { queueActs } from "./queue-page.ts";

interface Traced {
  readonly id: string;
  readonly from: string;
  readonly message: string | null;
  readonly size: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly closedAt: string | null;
  readonly recipients: readonly {
    readonly address: string;
    readonly state: string;
    readonly attempts: number;
    readonly nextAttemptAt: string | null;
    readonly host: string | null;
    readonly status: string | null;
    readonly reply: string | null;
    readonly updatedAt: string;
  }[];
}

const signs: Readonly<Record<string, string>> = {
  relayed: "is-good",
  delivered: "is-good",
  queued: "is-warn",
  scheduled: "is-warn",
};

export async function showTrace(visit: OperatorVisit): Promise<Answer> {
  const { words, query } = visit;
  const w = words.operator.trace;
  const id = (query.get("id") ?? "").trim().slice(0, 200);
  let mail: Traced | undefined;
  const refusal =
    id === ""
      ? undefined
      : await refusalOf(async () => {
          mail = (await operate(visit, "queue.show", { id })) as unknown as Traced;
        });
  return pageAnswer({
    title: words.operator.places.trace,
    width: "is-list",
    body: html`<form class="field" method="get" action="/operator/trace" role="search">
  <label for="id">${w.label}</label>
  <div class="actions"><input class="input is-code" id="id" name="id" value="${id}" autocomplete="off" spellcheck="false"><button class="button">${icon("search")}${w.submit}</button></div>
</form>
${outcomeNote(visit)}
${mail === undefined ? emptyHead(visit, refusal) : found(visit, mail)}
${
  id !== "" &&
  html`<section class="block" aria-labelledby="lines">
  <h2 id="lines">${w.atCommandLine}</h2>
  <div class="code" data-copy><code>waypost trace ${id}</code><button type="button" class="button is-quiet is-small needs-script">${icon("copy")}${words.copy}<span class="aside"> ${w.theCommand}</span></button></div>
</section>`
}`,
  });
}

function emptyHead({ words }: OperatorVisit, refusal: string | undefined): Html {
  const w = words.operator.trace;
  return html`<div class="head gap">
  <h1>${refusal === undefined ? words.operator.places.trace : w.unknown}</h1>
  <p>${refusal ?? w.lead}</p>
</div>`;
}

function found(visit: OperatorVisit, mail: Traced): Html {
  const { words, format } = visit;
  const w = words.operator.trace;
  const at = (time: string): string => format.moment(Date.parse(time));
  const isOpen = mail.recipients.some(({ state }) => state === "queued" || state === "scheduled");
  return html`<div class="head gap">
  <h1>${isOpen ? w.onItsWay : w.finished}</h1>
  <p>${w.fromTo(mail.from, format.list(mail.recipients.map(({ address }) => address)))}, ${format.size(mail.size)}. ${w.accepted(at(mail.createdAt))}${isOpen && mail.expiresAt !== null && w.goesBack(at(mail.expiresAt))}</p>
  ${isOpen && queueActs(visit, "id", mail.id, mail.id)}
</div>
<ol class="trail">
  <li class="is-good"><div><time>${at(mail.createdAt)}</time><span><b>${w.queued}</b><code>${mail.id}${mail.message !== null && ` · ${mail.message}`}</code></span></div></li>
  ${mail.recipients.map(
    ({ address, state, attempts, nextAttemptAt, host, reply, updatedAt }) =>
      html`<li class="${signs[state] ?? "is-bad"}"><div><time>${at(updatedAt)}</time><span><b>${words.operator.states[state] ?? state}</b>: <bdi>${address}</bdi>, ${w.tries(attempts, format)}${host !== null && `, ${host}`}${reply !== null && html`<code>${reply}</code>`}${nextAttemptAt !== null && html`<span class="soft"> ${w.nextTry(at(nextAttemptAt))}</span>`}</span></div></li>`,
  )}
</ol>`;
}
