/** Everything of an owner as a file of the server: the operation `mail.export`, and the jobs of the operator who asks. */
import { exchangeFolder } from "#/src/accounts/administration/exchange.ts";
import { isBegunJob } from "#/src/accounts/administration/jobs.ts";
import { type Html, html } from "../html.ts";
import { type Answer, type OperatorVisit, redirect } from "../visit.ts";
import { askedFields, asking, missingProof } from "./asked-anew.ts";
import { mayDo, operate, refusalOf } from "./operate.ts";
import { operatorPath, refusedPage, withDone } from "./places.ts";
import { backOf } from "./table-page.ts";

const operation = "mail.export";

export function exportBlock(visit: OperatorVisit, owner: string): Html {
  const { rooms, words, format } = visit;
  const w = words.operator.export;
  const day = new Date(format.now).toISOString().slice(0, 10);
  const file = `${owner.replace(/[^A-Za-z0-9.@+-]/g, "_")}-${day}.tar.gz`;
  return html`<section class="block" id="export" aria-labelledby="export-h">
  <h2 id="export-h">${w.title}</h2>
  <p>${w.lead} <code>${exchangeFolder(rooms.settings)}</code></p>
  <form class="field" method="post" action="/operator/export"${asking}>
    <input type="hidden" name="act" value="${operation}"><input type="hidden" name="value" value="${owner}"><input type="hidden" name="back" value="${backOf(visit)}">
    <label for="export-file">${w.file}</label>
    <div class="actions"><input class="input is-code" id="export-file" name="to" value="${file}" autocomplete="off" spellcheck="false" maxlength="200" required><button class="button"${!mayDo(visit, operation) && html` disabled`}>${w.write}</button></div>
    ${askedFields(visit)}
  </form>
</section>`;
}

export async function exportOwner(visit: OperatorVisit): Promise<Answer> {
  const { form } = visit;
  const back = operatorPath(form.get("back"));
  const missing = await missingProof(visit);
  if (missing !== undefined) return refusedPage(visit, missing, back);
  const [owner, file] = ["value", "to"].map((name) => (form.get(name) ?? "").slice(0, 300));
  let done: string = operation;
  const refusal = await refusalOf(async () => {
    if (isBegunJob(await operate(visit, operation, { owner, file }))) done = `${operation} begun`;
  });
  return refusal === undefined ? redirect(withDone(back, done)) : refusedPage(visit, refusal, back);
}
