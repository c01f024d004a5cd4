/** The places that are lists and nothing else. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { localPath } from "../strangers.ts";
import { type Answer, type OperatorVisit, pageAnswer, redirect } from "../visit.ts";
import { missingProof } from "./asked-anew.ts";
import { listOf, mayDo, operate, type Row, refusalOf } from "./operate.ts";
import { type TableBlock, tableBlock } from "./table-page.ts";
import { rowActs } from "./tables.ts";

type Place = "accounts" | "access" | "webhooks" | "reports";

export async function listPage(
  visit: OperatorVisit,
  place: Place,
  blocks: readonly TableBlock[],
  above?: Html,
  below?: Html,
): Promise<Answer> {
  const w = visit.words.operator;
  const shown = [];
  for (const block of blocks) shown.push(await tableBlock(visit, block));
  return pageAnswer({
    title: w.places[place],
    width: "",
    body: html`<div class="head">
  <h1>${w.places[place]}</h1>
  <p>${w.leads[place]}</p>
</div>
${outcomeNote(visit)}
${above}
${shown}
${below}`,
  });
}

/** What the last act came to. */
export function outcomeNote({ query, words }: OperatorVisit): Html | undefined {
  const done = words.operator.done[query.get("done") ?? ""];
  if (done === undefined) return undefined;
  return html`<div class="note is-good" role="status">${icon("check")}<div><p>${done}</p></div></div>`;
}

export function showAccounts(visit: OperatorVisit): Promise<Answer> {
  return listPage(visit, "accounts", [{ name: "accounts" }, { name: "people" }, { name: "agents" }]);
}

export function showWebhooks(visit: OperatorVisit): Promise<Answer> {
  const number = Number(visit.query.get("number"));
  const history: readonly TableBlock[] =
    Number.isSafeInteger(number) && number > 0
      ? [{ name: "attempts", input: { number }, of: String(number) }]
      : [];
  return listPage(visit, "webhooks", [...history, { name: "webhooks" }]);
}

export async function showReports(visit: OperatorVisit): Promise<Answer> {
  const domains = await listOf(visit, "domain.list", "domains");
  const blocks = domains.flatMap(({ name }): TableBlock[] =>
    (["dmarc", "tls"] as const).map((kind) => ({ name: kind, input: { name, kind }, of: String(name) })),
  );
  const accounts = mayDo(visit, "account.list") ? await listOf(visit, "account.list", "accounts") : [];
  const suppressed = accounts.map(
    ({ name }): TableBlock => ({ name: "suppressions", input: { account: name }, of: String(name) }),
  );
  return listPage(visit, "reports", [...blocks, ...suppressed]);
}

/** What a row was asked for. A redirect leads back, so that loading the page again does nothing again. */
export async function act(visit: OperatorVisit): Promise<Answer> {
  const { form } = visit;
  const wanted = rowActs.find(({ operation }) => operation === form.get("act"));
  const value = (form.get("value") ?? "").slice(0, 300);
  const back = operatorPath(form.get("back"));
  if (wanted === undefined) return redirect(back);
  const missing = wanted.isFinal === true ? await missingProof(visit) : undefined;
  if (missing !== undefined) return refusedPage(visit, missing, back);
  let done: string = wanted.operation;
  let lost: string | undefined;
  const refusal = await refusalOf(async () => {
    const result = await operate(visit, wanted.operation, { [wanted.field]: value });
    // A test that did not arrive is no success.
    if (result.delivered === false) lost = visit.words.operator.notDelivered(saidIn(result));
    if (typeof result.step === "string") done = `${wanted.operation} ${result.step}`;
  });
  const wrong = refusal ?? lost;
  return wrong === undefined ? redirect(withDone(back, done)) : refusedPage(visit, wrong, back);
}

function saidIn({ status, error }: Row): string {
  return [status, error].filter((part) => part != null).join(" ");
}

export function refusedPage({ words }: OperatorVisit, refusal: string, back: string): Answer {
  const w = words.operator;
  return pageAnswer({
    title: words.errors.refused,
    width: "is-narrow",
    status: 409,
    isWrong: true,
    body: html`<div class="head"><h1>${words.errors.refused}</h1></div>
<div class="note is-bad" role="alert">${icon("warn")}<div><p>${refusal}</p></div></div>
<div class="actions"><a class="button is-primary" href="${back}">${w.back}</a></div>`,
  });
}

/** A path of the operator's pages: no other place, however it is written. */
export function operatorPath(text: string | null): string {
  const path = localPath(text);
  return path === "/operator" || path.startsWith("/operator/") ? path : "/operator";
}

export function withDone(path: string, done: string): string {
  const url = new URL(path, "http://here.invalid");
  url.searchParams.set("done", done);
  return `${url.pathname}${url.search}`;
}
