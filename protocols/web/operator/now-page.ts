/** What is wrong now, the worst first, each with where to mend it; and below it what is as it should be. A new server begins with the steps to a
 *  domain that others trust. */
import { isReservedDomain } from "#/src/accounts/reserved-domain.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, type OperatorVisit, pageAnswer } from "../visit.ts";
import { checkedBefore, faultsOf } from "./domains-page.ts";
import { type Hour, lastDayBlock } from "./last-day.ts";
import { listOf, mayDo, operate, type Row } from "./operate.ts";
import { outcomeNote } from "./places.ts";
import { type Destination, lastAnswer, listDestinations } from "./queue-page.ts";
import { domainToSetUp, setupSteps } from "./setup-steps.ts";

/** As `server.status` answers it. */
interface ServerStatus {
  readonly version: string;
  readonly listeners: Readonly<Record<string, { readonly host: string; readonly port: number }>>;
  readonly certificate: { readonly expiresAt: string; readonly isSelfSigned: boolean };
  readonly problems: readonly string[];
  readonly warnings: readonly { readonly what: string; readonly since: string }[];
  readonly connected: readonly {
    readonly listener: string;
    readonly who: string;
    readonly connections: number;
  }[];
  readonly lastDay: readonly Hour[];
  readonly refused: readonly Row[];
}

interface Problem {
  readonly isBad: boolean;
  readonly kind: string;
  readonly title: string;
  readonly text: Html | string;
  readonly to?: string;
  readonly link?: string;
}

const lateMs = 3_600_000;
const shownMax = 10;
const connectedMax = 30;

export async function showNow(visit: OperatorVisit): Promise<Answer> {
  const { words, format } = visit;
  const w = words.operator.now;
  const domains = mayDo(visit, "domain.list") ? await listOf(visit, "domain.list", "domains") : [];
  const names = domains.map(({ name }) => String(name));
  const status = mayDo(visit, "server.status")
    ? ((await operate(visit, "server.status")) as unknown as ServerStatus)
    : undefined;
  const problems = [
    ...serverProblems(visit, status),
    ...(await queueProblems(visit)),
    ...domainProblems(visit, names),
    ...(await webhookProblems(visit)),
    ...(await pauseProblems(visit)),
  ];
  const toSetUp = mayDo(visit, "domain.list") ? domainToSetUp(names) : undefined;
  const title = problems.length === 0 ? w.allWell : w.wrong(problems.length, format);
  return pageAnswer({
    title,
    width: "",
    body: html`<div class="head is-split">
  <h1>${title}</h1>
  <span class="soft">${w.asOf(format.clock(format.now))} <a href="/operator">${w.again}</a></span>
</div>
${outcomeNote(visit)}
${problems.length > 0 && html`<ol class="problems">${problems.slice(0, shownMax).map(problemItem)}</ol>`}
${toSetUp !== undefined && setupSteps(visit, toSetUp)}
<div class="columns block">
${domainsNow(visit, names)}
${status !== undefined && serverNow(visit, status)}
</div>
${status !== undefined && lastDayBlock(visit, status.lastDay)}
${status !== undefined && connectedNow(visit, status)}`,
  });
}

function problemItem({ isBad, kind, title, text, to, link }: Problem): Html {
  return html`
  <li class="problem${isBad && " is-bad"}">
    <header><span class="mark ${isBad ? "is-bad" : "is-soon"}">${icon(isBad ? "warn" : "clock")}${kind}</span><h2>${title}</h2></header>
    <p>${text}</p>
    ${to !== undefined && html`<div class="actions"><a class="button is-small" href="${to}">${link}</a></div>`}
  </li>`;
}

function serverProblems(visit: OperatorVisit, status: ServerStatus | undefined): Problem[] {
  const w = visit.words.operator.now;
  return [
    ...(status?.problems ?? []).map((problem) => ({
      isBad: true,
      kind: w.serverFails,
      title: problem,
      text: w.serverText,
    })),
    ...(status?.warnings ?? []).map(({ what, since }) => ({
      isBad: false,
      kind: w.serverWarns,
      title: what,
      text: w.since(momentOf(visit, since)),
    })),
  ];
}

/** Who is connected, the most connections first. */
function connectedNow({ words, format }: OperatorVisit, { connected }: ServerStatus): Html {
  const w = words.operator.now;
  return html`<section class="block" id="connected" aria-labelledby="connected-h">
  <h2 id="connected-h">${w.connected}</h2>
  ${
    connected.length === 0
      ? html`<p class="soft">${words.operator.nothing}</p>`
      : html`<ul class="rows">${connected
          .slice(0, connectedMax)
          .map(
            ({ listener, who, connections }) =>
              html`<li><div><bdi>${who}</bdi><small>${listener}</small></div><span class="num">${w.connections(connections, format)}</span></li>`,
          )}</ul>`
  }
</section>`;
}

/** The server as it is, and what it has refused since its start because it was more than somebody's share. */
function serverNow(
  { words, format }: OperatorVisit,
  { version, listeners, certificate, refused }: ServerStatus,
): Html {
  const w = words.operator.now;
  return html`<section class="card" aria-labelledby="server-now">
  <h2 id="server-now">${w.server}</h2>
  <dl class="facts gap">
    <dt>${w.version}</dt><dd>${version}</dd>
    <dt>${w.ports}</dt><dd>${Object.entries(listeners)
      .map(([name, { port }]) => `${name} ${port}`)
      .join(", ")}</dd>
    <dt>${w.certificate}</dt><dd>${w.certificateUntil(format.day(Date.parse(certificate.expiresAt)))}${certificate.isSelfSigned && html` <span class="state is-warn">${w.selfSigned}</span>`}</dd>
    ${
      refused.length === 0
        ? html`<dt>${w.refused}</dt><dd><span class="state is-good">${w.none}</span></dd>`
        : refused.map(
            (line) =>
              html`<dt class="num">${format.count(Number(line.count))}</dt><dd>${Object.entries(line)
                .filter(([name]) => name !== "count")
                .map(([, value]) => String(value))
                .join(", ")}</dd>`,
          )
    }
  </dl>
</section>`;
}

async function queueProblems(visit: OperatorVisit): Promise<Problem[]> {
  if (!mayDo(visit, "queue.list")) return [];
  const { words, format } = visit;
  const w = words.operator.now;
  const isLate = ({ oldestAt, mails }: Destination): boolean =>
    format.now - oldestAt > lateMs && mails.some(({ attempts }) => attempts > 0);
  const problems: Problem[] = [];
  for (const destination of (await listDestinations(visit)).filter(isLate).slice(0, shownMax)) {
    const { domain, mails, oldestAt, nextAt } = destination;
    const answer = await lastAnswer(visit, destination);
    problems.push({
      isBad: true,
      kind: w.notDelivered,
      title: w.waitsSince(mails.length, domain, format.moment(oldestAt), format),
      text: html`${answer === undefined ? w.noAnswer : html`${w.answers} <code>${answer}</code>.`} ${nextAt !== undefined && w.nextTry(format.moment(nextAt))}`,
      to: `/operator/queue?to=${encodeURIComponent(domain)}`,
      link: w.seeQueue,
    });
  }
  return problems;
}

function domainProblems({ words, format }: OperatorVisit, names: readonly string[]): Problem[] {
  const w = words.operator.now;
  return names.flatMap((name): Problem[] => {
    const known = checkedBefore(name);
    const faults = known === undefined ? [] : faultsOf(known.check);
    if (faults.length === 0) return [];
    const [first] = faults;
    return [
      {
        isBad: faults.some(({ status }) => status === "wrong"),
        kind: w.notTrusted,
        title: w.recordsWrong(faults.length, name, format),
        text: `${first!.what}. ${first!.why ?? ""}`,
        to: `/operator/domains#${name}`,
        link: w.seeLine,
      },
    ];
  });
}

async function webhookProblems(visit: OperatorVisit): Promise<Problem[]> {
  if (!mayDo(visit, "webhook.list")) return [];
  const { words, format } = visit;
  const w = words.operator.now;
  const failing = (await listOf(visit, "webhook.list", "webhooks")).filter(
    ({ state, failingSince }) => state !== "active" || failingSince !== null,
  );
  return failing.slice(0, shownMax).map(({ number, url, owner, state, failures, failingSince }) => ({
    isBad: state !== "active",
    kind: state === "active" ? w.webhookFails : w.webhookGivenUp,
    title: String(url),
    text: w.webhookText(String(owner), Number(failures), momentOf(visit, failingSince), format),
    to: `/operator/webhooks?number=${String(number)}`,
    link: w.seeHistory,
  }));
}

/** An agent that the server or its approver has paused; a pause of an operator is known to operators. */
async function pauseProblems(visit: OperatorVisit): Promise<Problem[]> {
  if (!mayDo(visit, "agent.list")) return [];
  const w = visit.words.operator.now;
  const paused = (await listOf(visit, "agent.list", "agents")).filter(
    ({ paused: pause }) => (pause as Row | undefined)?.reason === "breaker",
  );
  return paused.slice(0, shownMax).map(({ address, paused: pause }) => ({
    isBad: false,
    kind: w.agentPaused,
    title: String(address),
    text: w.pausedText(momentOf(visit, (pause as Row).since)),
    to: "/operator/accounts#agents",
    link: w.seeAgent,
  }));
}

function momentOf({ format }: OperatorVisit, time: unknown): string {
  return typeof time === "string" ? format.moment(Date.parse(time)) : "–";
}

function domainsNow({ words, format }: OperatorVisit, names: readonly string[]): Html {
  const w = words.operator.now;
  const row = (name: string): Html => {
    const known = checkedBefore(name);
    if (isReservedDomain(name)) return html`<span class="state">${words.operator.domains.reserved}</span>`;
    if (known === undefined)
      return html`<span class="state">${words.operator.domains.notChecked}</span> <a href="/operator/domains#${name}">${words.operator.domains.check}</a>`;
    const faults = faultsOf(known.check).length;
    return faults === 0
      ? html`<span class="state is-good">${words.operator.domains.allRight}</span>`
      : html`<span class="state is-bad">${words.operator.domains.faults(faults, format)}</span>`;
  };
  return html`<section class="card" aria-labelledby="domains-now">
  <h2 id="domains-now">${words.operator.places.domains}</h2>
  ${names.length === 0 ? html`<p>${w.noDomain} <a href="/operator/domains">${words.operator.domains.add}</a></p>` : html`<dl class="facts gap">${names.map((name) => html`<dt>${name}</dt><dd>${row(name)}</dd>`)}</dl>`}
</section>`;
}
