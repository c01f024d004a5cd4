/** The whole way of one mail, in the order of time: its hold, where it is stored and why, each recipient in the queue, and the log. */
import type { HoldReason, HoldState } from "#/src/model/holds.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, type OperatorVisit, pageAnswer } from "../visit.ts";
import { operate, type Row, refusalOf } from "./operate.ts";
import { outcomeNote } from "./places.ts";
import { queueActs } from "./queue-page.ts";

/** As `mail.trace` answers it; a trace that takes long is a job, and has nothing of this. */
interface Trace {
  readonly lines?: readonly Row[];
  readonly stored?: readonly {
    readonly id: string;
    readonly mailbox: string;
    readonly receivedAt: string;
    readonly came: string;
    readonly size: number;
    readonly folders: readonly string[];
    readonly junk?: string;
    readonly spf?: string;
    readonly dkim?: readonly string[];
    readonly dmarc?: string;
  }[];
  readonly holds?: readonly {
    readonly id: string;
    readonly state: HoldState;
    readonly reason: HoldReason;
    readonly createdAt: string;
  }[];
  readonly queue?: readonly Queued[];
}

interface Queued {
  readonly id: string;
  readonly from: string;
  readonly message: string | null;
  readonly size: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly recipients: readonly {
    readonly address: string;
    readonly state: string;
    readonly attempts: number;
    readonly nextAttemptAt: string | null;
    readonly host: string | null;
    readonly reply: string | null;
    readonly updatedAt: string;
  }[];
}

/** Of a line of the log, what is told: no member has text of a mail. */
const toldOfLine = ["from", "to", "host", "reply", "reason", "state", "hold", "submission"] as const;
const linesMax = 200;

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
  let trace: Trace | undefined;
  const refusal =
    id === ""
      ? undefined
      : await refusalOf(async () => {
          trace = (await operate(visit, "mail.trace", { id })) as Trace;
        });
  return pageAnswer({
    title: words.operator.places.trace,
    width: "is-list",
    body: html`<form class="field" method="get" action="/operator/trace" role="search">
  <label for="id">${w.label}</label>
  <div class="actions"><input class="input is-code" id="id" name="id" value="${id}" autocomplete="off" spellcheck="false"><button class="button">${icon("search")}${w.submit}</button></div>
</form>
${outcomeNote(visit)}
${trace === undefined ? emptyHead(visit, refusal) : found(visit, trace)}
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

function found(visit: OperatorVisit, { lines = [], stored = [], holds = [], queue = [] }: Trace): Html {
  const { words, format } = visit;
  const w = words.operator.trace;
  const isOpen = queue.some(isOnItsWay);
  const [mail] = queue;
  const parts: readonly Part[] = [
    ...holds.map((hold) => holdPart(visit, hold)),
    ...stored.map((copy) => storedPart(visit, copy)),
    ...queue.flatMap((one) => queuedParts(visit, one)),
  ];
  return html`<div class="head gap">
  <h1>${isOpen ? w.onItsWay : queue.length > 0 ? w.finished : w.isHere}</h1>
  ${mail !== undefined && html`<p>${w.fromTo(mail.from, format.list(mail.recipients.map(({ address }) => address)))}, ${format.size(mail.size)}.${isOpen && mail.expiresAt !== null && ` ${w.goesBack(format.moment(Date.parse(mail.expiresAt)))}`}</p>`}
  ${queue.filter(isOnItsWay).map(({ id }) => queueActs(visit, "id", id, id))}
</div>
<ol class="trail">${parts.toSorted((one, other) => one.at - other.at).map(({ item }) => item)}</ol>
${lines.length > 0 && linesBlock(visit, lines)}`;
}

interface Part {
  readonly at: number;
  readonly item: Html;
}

function part({ format }: OperatorVisit, time: string, sign: string, text: Html, ids: string): Part {
  const at = Date.parse(time);
  return {
    at,
    item: html`
  <li class="${sign}"><div><time datetime="${time}">${format.moment(at)}</time><span>${text}</span>${ids !== "" && html`<code>${ids}</code>`}</div></li>`,
  };
}

function isOnItsWay({ recipients }: Queued): boolean {
  return recipients.some(({ state }) => state === "queued" || state === "scheduled");
}

function holdPart(visit: OperatorVisit, hold: NonNullable<Trace["holds"]>[number]): Part {
  const { words } = visit;
  const isGood = hold.state === "approved" || hold.state === "sent";
  const sign = isGood ? "is-good" : hold.state === "waiting" ? "is-warn" : "is-bad";
  const text = html`<b>${words.decided.states[hold.state]}</b>: ${words.reasons[hold.reason]}`;
  return part(visit, hold.createdAt, sign, text, hold.id);
}

function storedPart(visit: OperatorVisit, copy: NonNullable<Trace["stored"]>[number]): Part {
  const w = visit.words.operator.trace;
  const checks = [
    copy.spf !== undefined && `SPF ${copy.spf}`,
    copy.dkim !== undefined && `DKIM ${copy.dkim.join(", ")}`,
    copy.dmarc !== undefined && `DMARC ${copy.dmarc}`,
  ].filter((one) => one !== false);
  const text = html`<b>${w.stored}</b> ${w.inFolders(copy.mailbox, copy.folders.join(", "))}${copy.junk !== undefined && `: ${copy.junk}`}${checks.length > 0 && html`<br><span class="soft">${checks.join(" · ")}</span>`}`;
  return part(visit, copy.receivedAt, copy.junk === undefined ? "is-good" : "is-warn", text, copy.id);
}

function queuedParts(visit: OperatorVisit, mail: Queued): Part[] {
  const { words, format } = visit;
  const w = words.operator.trace;
  const ids = mail.message === null ? mail.id : `${mail.id} · ${mail.message}`;
  return [
    part(visit, mail.createdAt, "is-good", html`<b>${w.queued}</b>`, ids),
    ...mail.recipients.map(({ address, state, attempts, nextAttemptAt, host, reply, updatedAt }) => {
      const next = nextAttemptAt === null ? "" : ` ${w.nextTry(format.moment(Date.parse(nextAttemptAt)))}`;
      const text = html`<b>${words.operator.states[state] ?? state}</b>: <bdi>${address}</bdi>, ${w.tries(attempts, format)}.${next}`;
      const said = [host, reply].filter((one) => one !== null).join(": ");
      return part(visit, updatedAt, signs[state] ?? "is-bad", text, said);
    }),
  ];
}

function linesBlock(visit: OperatorVisit, lines: readonly Row[]): Html {
  const { words, format } = visit;
  const told = (line: Row): string =>
    toldOfLine
      .flatMap((name) => (line[name] === undefined ? [] : [`${name}=${String(line[name])}`]))
      .join(" ");
  return html`<section class="block" aria-labelledby="log">
  <h2 id="log">${words.operator.trace.inTheLog}</h2>
  <ul class="rows">${lines
    .slice(0, linesMax)
    .map(
      (line) =>
        html`<li><div><bdi>${String(line.msg ?? "")}</bdi><small>${told(line)}</small></div><time>${typeof line.time === "string" && format.clock(Date.parse(line.time))}</time></li>`,
    )}</ul>
</section>`;
}
