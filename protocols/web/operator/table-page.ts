/** A list as a table, from its declaration. */
import { type Html, html } from "../html.ts";
import type { OperatorVisit } from "../visit.ts";
import { askedFields, asking } from "./asked-anew.ts";
import { listOf, mayDo, type Row } from "./operate.ts";
import { type Act, type CellKind, type TableName, tables } from "./tables.ts";

const shownMax = 200;

const states: Readonly<Record<string, string>> = {
  active: "is-good",
  done: "is-good",
  paused: "is-warn",
  failing: "is-warn",
};

export interface TableBlock {
  readonly name: TableName;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Of what, where there are several of a kind. */
  readonly of?: string;
}

/** A section with its heading. Where acts lead back to: the page that is shown. */
export async function tableBlock(visit: OperatorVisit, { name, input, of }: TableBlock): Promise<Html> {
  const { words } = visit;
  const w = words.operator;
  const table = tables[name];
  const rows = mayDo(visit, table.operation) ? await listOf(visit, table.operation, table.list, input) : [];
  const id = of === undefined ? name : `${name}-${of.replace(/[^a-z0-9]/g, "-")}`;
  return html`<section class="block" id="${id}" aria-labelledby="${id}-h">
  <h2 id="${id}-h">${w.tables[name]}${of !== undefined && html` <span class="soft">${of}</span>`}</h2>
  ${rows.length === 0 ? html`<p class="soft">${mayDo(visit, table.operation) ? w.nothing : w.notForYou}</p>` : grid(visit, name, id, rows.slice(0, shownMax))}
  ${rows.length > shownMax && html`<p class="hint">${w.more(rows.length - shownMax, visit.format)}</p>`}
</section>`;
}

function grid(visit: OperatorVisit, name: TableName, id: string, rows: readonly Row[]): Html {
  const w = visit.words.operator;
  const { columns, acts = [], leads } = tables[name];
  const hasActs = acts.length > 0 || leads !== undefined;
  const head = columns.map(([key]) => html`<th role="columnheader">${w.columns[key]}</th>`);
  return html`<table class="grid gap" role="table" aria-labelledby="${id}-h">
    <thead role="rowgroup"><tr role="row">${head}${hasActs && html`<th role="columnheader"><span class="aside">${w.actsAside}</span></th>`}</tr></thead>
    <tbody role="rowgroup">${rows.map((row) => {
      const [first, ...others] = columns;
      const title = shown(visit, row[first![0]], first![1]);
      return html`
      <tr role="row"><th role="rowheader" scope="row">${title}</th>${others.map(
        ([key, kind]) =>
          html`<td role="cell" data-label="${w.columns[key]}">${shown(visit, row[key], kind)}</td>`,
      )}${
        hasActs &&
        html`<td role="cell" class="is-actions">${
          leads !== undefined &&
          html`<a class="button is-small is-quiet" href="${leads.to(row)}">${w.links[leads.label]}<span class="aside"> ${title}</span></a> `
        }${acts.map((act) => (act.isFor?.(row) ?? true) && actForm(visit, act, row, title))}</td>`
      }</tr>`;
    })}
    </tbody>
  </table>`;
}

export function actForm(visit: OperatorVisit, act: Act, row: Row, title: Html): Html {
  const label = visit.words.operator.acts[act.operation];
  const isFinal = act.isFinal === true;
  return html`<form method="post" action="/operator/act"${isFinal && asking}><input type="hidden" name="act" value="${act.operation}"><input type="hidden" name="value" value="${String(row[act.from])}"><input type="hidden" name="back" value="${backOf(visit)}">${isFinal && askedFields(visit)}<button class="button is-small${isFinal && " is-quiet is-danger"}"${!mayDo(visit, act.operation) && html` disabled`}>${label}<span class="aside"> ${title}</span></button></form>`;
}

/** The page that is shown, to which its forms lead back. */
export function backOf({ context }: OperatorVisit): string {
  return context.koa.url.slice(0, 500);
}

function shown({ format, words }: OperatorVisit, value: unknown, kind: CellKind = "text"): Html {
  if (value === null || value === undefined || value === "") return html`<span class="soft">–</span>`;
  switch (kind) {
    case "moment":
      return html`<time datetime="${String(value)}">${format.moment(Date.parse(String(value)))}</time>`;
    case "size":
      return html`${value === 0 ? "0" : format.size(Number(value))}`;
    case "count":
      return html`${format.count(Number(value))}`;
    case "code":
      return html`<code>${String(value)}</code>`;
    case "state": {
      const state = String(value);
      return html`<span class="state ${states[state] ?? "is-bad"}">${words.operator.states[state] ?? state}</span>`;
    }
    case "text":
      return html`<bdi>${textOf(value)}</bdi>`;
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  const { kind, name, address } = value as Readonly<Record<string, unknown>>;
  return [kind, name, address].filter((part) => part !== undefined).join(" ");
}
