/** Who has access to what: of one owner, with the export of everything; without one, who changed what. */
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import type { Answer, OperatorVisit } from "../visit.ts";
import { exportBlock } from "./export.ts";
import { listPage } from "./places.ts";
import { type TableBlock, tableBlock } from "./table-page.ts";

export async function showAccess(visit: OperatorVisit): Promise<Answer> {
  const owner = (visit.query.get("owner") ?? "").trim().slice(0, 300);
  const w = visit.words.operator;
  const above = html`<form class="field" method="get" action="/operator/access" role="search">
  <label for="owner">${w.whose}</label>
  <div class="actions"><input class="input is-code" id="owner" name="owner" value="${owner}" autocomplete="off" spellcheck="false"><button class="button">${icon("search")}${w.show}</button></div>
</form>`;
  if (owner === "") return listPage(visit, "access", [{ name: "changes" }, { name: "audit" }], above);
  const blocks: readonly TableBlock[] = [
    { name: "tokens", input: { agent: owner } },
    { name: "passwords", input: { owner } },
    { name: "grants", input: { holder: owner } },
    { name: "changes", input: { owner } },
  ];
  const below = html`${exportBlock(visit, owner)}${await tableBlock(visit, { name: "jobs" })}`;
  return listPage(
    visit,
    "access",
    blocks.map((block) => ({ ...block, of: owner })),
    above,
    below,
  );
}
