/** The five steps from a new server to a domain that others trust, with the state of each as `domain.check` found it last. */
import { isReservedDomain } from "#/src/accounts/reserved-domain.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import type { OperatorVisit } from "../visit.ts";
import { checkedBefore, fault, faultsOf } from "./domains-page.ts";

type Step = "name" | "certificate" | "dns" | "ports" | "mail";

/** Which step a finding belongs to, by what it begins with; the others are records of the domain. */
const beginnings: readonly (readonly [string, Step])[] = [
  ["addresses of ", "name"],
  ["PTR of ", "name"],
  ["certificate", "certificate"],
  ["STARTTLS ", "certificate"],
  ["port ", "ports"],
  ["mail to other servers", "ports"],
  ["relaying ", "ports"],
];

function stepOf(what: string): Step {
  return beginnings.find(([beginning]) => what.startsWith(beginning))?.[1] ?? "dns";
}

/** The domain whose steps are shown: the first that the world can know and that was not found to be right. undefined: no steps are left. */
export function domainToSetUp(names: readonly string[]): string | "none" | undefined {
  const known = names.filter((name) => !isReservedDomain(name));
  if (known.length === 0) return "none";
  if (known.some((name) => isRight(name))) return undefined;
  return known[0];
}

function isRight(name: string): boolean {
  const checked = checkedBefore(name);
  return checked !== undefined && faultsOf(checked.check).length === 0;
}

export function setupSteps(visit: OperatorVisit, domain: string | "none"): Html {
  const { words, format } = visit;
  const w = words.operator.setup;
  const checked = domain === "none" ? undefined : checkedBefore(domain);
  const faults = checked === undefined ? [] : faultsOf(checked.check);
  const steps: readonly Step[] = ["name", "certificate", "dns", "ports", "mail"];
  const faultsOfStep = (step: Step) => faults.filter(({ what }) => stepOf(what) === step);
  const isDone = (step: Step): boolean =>
    checked !== undefined && step !== "mail" && faultsOfStep(step).length === 0;
  const now = steps.find((step) => !isDone(step));
  const left = steps.filter((step) => !isDone(step)).length;
  const shown = (step: Step): Html => {
    const wrong = faultsOfStep(step);
    const state =
      checked === undefined || step === "mail"
        ? html`<span class="state">${w.open}</span>`
        : wrong.length === 0
          ? html`<span class="state is-good">${words.operator.domains.statuses.ok}</span>`
          : html`<span class="state is-warn">${words.operator.domains.faults(wrong.length, format)}</span>`;
    return html`
  <li class="step${isDone(step) && " is-done"}${step === now && " is-now"}"${step === now && html` aria-current="step"`}><header><h3>${w.steps[step]}</h3>${state}</header>
    ${!isDone(step) && html`<div><p class="measure">${w.texts[step]}</p>${wrong.map((one) => fault(visit, one))}${step === now && domain !== "none" && step !== "mail" && checkForm(visit, domain)}${step === now && domain === "none" && code(visit, "waypost setup --domain example.org")}</div>`}</li>`;
  };
  return html`<section class="block" aria-labelledby="setup">
  <h2 id="setup">${w.title(left, format)}</h2>
  <p>${domain === "none" ? w.noDomain : w.lead(domain)}</p>
  <ol class="steps gap">${steps.map(shown)}</ol>
</section>
<section class="block" aria-labelledby="then">
  <h2 id="then">${w.people}</h2>
  <p>${w.peopleText}</p>
  <div class="stack is-tight">${["create ada@example.org --name Ada", "invite ada@example.org"].map((rest) => code(visit, `waypost person ${rest}`))}</div>
</section>`;
}

function checkForm({ words }: OperatorVisit, domain: string): Html {
  const w = words.operator.domains;
  return html`<form class="actions" method="post" action="/operator/domains/${domain}/check"><input type="hidden" name="back" value="/operator"><button class="button is-primary">${icon("retry")}${checkedBefore(domain) === undefined ? w.check : w.checkAgain}<span class="aside"> ${domain}</span></button></form>`;
}

function code({ words }: OperatorVisit, text: string): Html {
  return html`<div class="code" data-copy><code>${text}</code><button type="button" class="button is-quiet is-small needs-script">${icon("copy")}${words.copy}<span class="aside"> ${text}</span></button></div>`;
}
