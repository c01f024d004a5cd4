/** The domains with what the world sees of them: what is wrong is open, with the line to copy; what is right is folded. */
import { isReservedDomain } from "#/src/accounts/reserved-domain.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, lineOf, type OperatorVisit, pageAnswer, redirect } from "../visit.ts";
import { listOf, mayDo, operate, refusalOf } from "./operate.ts";
import { operatorPath, outcomeNote, refusedPage } from "./places.ts";
import { actForm } from "./table-page.ts";
import { domainActs } from "./tables.ts";

/** As `domain.check` answers it. */
interface Finding {
  readonly what: string;
  readonly status: "ok" | "wrong" | "missing" | "remark" | "optional" | "unknown";
  readonly found?: string;
  readonly expected?: string;
  readonly why?: string;
  /** The line of a zone file that mends it. */
  readonly copy?: string;
}

interface DomainCheck {
  readonly findings: readonly Finding[];
}

interface Checked {
  readonly at: number;
  readonly check: DomainCheck;
}

const keptMax = 1000;
/** What was seen last, for the pages of all operators. It is looked up anew on demand, and not kept on the disk. */
const lastChecks = new Map<string, Checked>();

export function checkedBefore(domain: string): Checked | undefined {
  return lastChecks.get(domain);
}

export async function checkDomainNow(visit: OperatorVisit, name: string): Promise<Checked> {
  const check = (await operate(visit, "domain.check", { name })) as unknown as DomainCheck;
  const checked = { at: visit.format.now, check };
  lastChecks.delete(name);
  lastChecks.set(name, checked);
  if (lastChecks.size > keptMax) lastChecks.delete(lastChecks.keys().next().value!);
  return checked;
}

export function faultsOf({ findings }: DomainCheck): readonly Finding[] {
  return findings.filter(({ status }) => status === "wrong" || status === "missing");
}

export async function showDomains(visit: OperatorVisit): Promise<Answer> {
  const { words } = visit;
  const w = words.operator.domains;
  const domains = await listOf(visit, "domain.list", "domains");
  const named = domains.map(({ name, account }) => ({ name: String(name), account: String(account) }));
  const worstFirst = named.toSorted((one, other) => faultCount(other.name) - faultCount(one.name));
  return pageAnswer({
    title: words.operator.places.domains,
    width: "",
    body: html`<div class="head">
  <h1>${words.operator.places.domains}</h1>
  <p>${w.lead}</p>
</div>
${outcomeNote(visit)}
<div class="stack">
${worstFirst.map((domain) => domainCard(visit, domain))}
<form class="card" method="post" action="/operator/domains">
  <div class="field"><label for="domain">${w.another}</label><div class="actions"><input class="input is-code" id="domain" name="domain" autocomplete="off" spellcheck="false" required aria-describedby="domain-hint"><button class="button"${!mayDo(visit, "domain.add") && html` disabled`}>${w.add}</button></div><p class="hint" id="domain-hint">${w.addHint}</p></div>
</form>
</div>`,
  });
}

function faultCount(domain: string): number {
  const known = lastChecks.get(domain);
  return known === undefined ? 0 : faultsOf(known.check).length;
}

function domainCard(visit: OperatorVisit, { name, account }: { name: string; account: string }): Html {
  const { words, format } = visit;
  const w = words.operator.domains;
  const known = lastChecks.get(name);
  const isReserved = isReservedDomain(name);
  return html`<section class="card stack" id="${name}" aria-labelledby="${name}-h">
  <header class="cluster"><h2 id="${name}-h">${name}</h2>${stateOf(visit, known?.check)}<span class="soft">${w.account(account)}</span></header>
  ${known !== undefined && faultsOf(known.check).map((finding) => fault(visit, finding))}
  ${isReserved && html`<p>${w.reserved}</p>`}
  ${
    !isReserved &&
    html`<div class="actions">
    <form method="post" action="/operator/domains/${name}/check"><button class="button is-small">${icon("retry")}${known === undefined ? w.check : w.checkAgain}<span class="aside"> ${name}</span></button></form>
    <a class="button is-small is-quiet" href="/operator/domains/${name}/zone" download="${name}.zone">${icon("down")}${w.zone}<span class="aside"> ${name}</span></a>
    ${domainActs.map((act) => actForm(visit, act, { name }, html`${name}`))}
    ${known !== undefined && html`<span class="soft">${w.asked(format.moment(known.at))}</span>`}
  </div>`
  }
  ${known !== undefined && rightOnes(visit, known.check)}
</section>`;
}

function stateOf({ words, format }: OperatorVisit, check: DomainCheck | undefined): Html {
  const w = words.operator.domains;
  if (check === undefined) return html`<span class="state">${w.notChecked}</span>`;
  const faults = faultsOf(check).length;
  return faults === 0
    ? html`<span class="state is-good">${w.allRight}</span>`
    : html`<span class="state is-bad">${w.faults(faults, format)}</span>`;
}

/** One wrong or missing record, with the line that mends it. */
export function fault({ words }: OperatorVisit, { what, status, found, expected, why, copy }: Finding): Html {
  const w = words.operator.domains;
  const isWrong = status === "wrong";
  return html`<div class="problem${isWrong && " is-bad"}">
    <header><span class="mark ${isWrong ? "is-bad" : "is-soon"}">${icon("warn")}${isWrong ? w.wrong : w.missing}</span><h3><bdi>${what}</bdi></h3></header>
    ${why !== undefined && html`<p>${why}</p>`}
    ${found !== undefined && html`<dl class="facts"><dt>${w.found}</dt><dd><code>${found}</code></dd></dl>`}
    ${expected !== undefined && copy === undefined && html`<dl class="facts"><dt>${w.expected}</dt><dd><code>${expected}</code></dd></dl>`}
    ${copy !== undefined && html`<div><b class="label">${isWrong ? w.inItsPlace : w.addThis}</b><div class="code" data-copy><code>${copy}</code><button type="button" class="button is-quiet is-small needs-script">${icon("copy")}${words.copy}<span class="aside"> ${what}</span></button></div></div>`}
  </div>`;
}

function rightOnes({ words, format }: OperatorVisit, { findings }: DomainCheck): Html {
  const w = words.operator.domains;
  const others = findings.filter(({ status }) => status !== "wrong" && status !== "missing");
  const states = { ok: "is-good", remark: "is-warn" } as Readonly<Record<string, string>>;
  return html`<details class="fold"><summary><span>${w.others(others.length, format)}</span></summary><div><ul class="rows">${others.map(
    ({ what, status, found, why }) =>
      html`<li><div><bdi>${what}</bdi><small>${found ?? ""}${why !== undefined && html` ${why}`}</small></div><span class="state ${states[status] ?? ""}">${w.statuses[status]}</span></li>`,
  )}</ul></div></details>`;
}

export async function checkDomainPage(visit: OperatorVisit): Promise<Answer> {
  const name = visit.names[0]!;
  const back = operatorPath(visit.form.get("back") ?? "/operator/domains");
  const refusal = await refusalOf(() => checkDomainNow(visit, name));
  return refusal === undefined
    ? redirect(back === "/operator" ? back : `/operator/domains#${name}`)
    : refusedPage(visit, refusal, back);
}

export async function addDomain(visit: OperatorVisit): Promise<Answer> {
  const name = lineOf(visit.form, "domain", 253);
  const refusal = await refusalOf(() => operate(visit, "domain.add", { name }));
  return refusal === undefined
    ? redirect("/operator/domains?done=domain.add")
    : refusedPage(visit, refusal, "/operator/domains");
}

export async function downloadZone(visit: OperatorVisit): Promise<Answer> {
  const { zone } = await operate(visit, "domain.zone", { name: visit.names[0]! });
  return {
    kind: "octets",
    headers: { "Content-Type": "text/plain; charset=utf-8", "Content-Disposition": "attachment" },
    body: [String(zone)],
  };
}
