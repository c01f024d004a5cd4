/** A text of SQL as PostgreSQL takes it. What the store writes is what both engines understand (storage/README.md, "SQL subset");
 *  four things are said differently here. */
import { withOctetText } from "../sql.ts";

const knownMax = 4000;
const known = new Map<string, string>();

/** Texts that are put together are without end; those that were translated are forgotten together when there are many. */
export function postgresText(query: string): string {
  let text = known.get(query);
  if (text === undefined) {
    text = translate(query);
    if (known.size >= knownMax) known.clear();
    known.set(query, text);
  }
  return text;
}

function translate(query: string): string {
  const text = withOctetText(query, (column) => column);
  return numberParameters(isDefinition(text) ? ownClauses(text) : text);
}

/** `?` by its place. Literals hold none. */
function numberParameters(query: string): string {
  let place = 0;
  return query.replaceAll("?", () => `$${++place}`);
}

function isDefinition(query: string): boolean {
  return /^\s*(create|alter) table\b/.test(query);
}

/** Rows have no order of their own here, so `without rowid` has no sense. Text is ordered and compared by its octets, as SQLite
 *  does it, whatever order the database has by default. */
function ownClauses(query: string): string {
  return query.replaceAll(/ without rowid\b/g, "").replaceAll(/ text\b(?! collate)/g, ' text collate "C"');
}
