/** The table sizes that SQLite's planner uses: the same in every store, declared here and not measured.
 *
 *  Without it the planner guesses that an agent has ten rows in a table, and rather reads all rows of the agent by the primary
 *  key than a few by an index: a look for one message among 100,000 takes 10 ms. `analyze` would count, but its plans change with
 *  the content, and a store that has just begun would be planned for its beginning. The format is that of
 *  https://www.sqlite.org/fileformat2.html#stat1tab: the rows of an index, and for each of its columns how many rows share the
 *  values up to it. */
import type Database from "better-sqlite3";

const agents = 100_000;
const accounts = 50_000;
const domains = 20_000;

/** Rows of a table with ten thousand rows for each agent. */
const manyRows = agents * 10_000;

/** Rows of smaller tables. */
const rowsOf: Readonly<Record<string, number>> = {
  account: accounts,
  address: agents * 2,
  agent: agents,
  agent_grant: agents,
  app_password: agents * 2,
  collection: agents * 4,
  counter: 5,
  deployment: 5,
  domain: domains,
  domain_key: domains * 2,
  familiar_network: agents * 4,
  grant_object: agents * 4,
  invitation: agents,
  mailbox: agents * 8,
  page_session: agents * 4,
  passkey: agents * 2,
  received_report: domains * 400,
  report_count: domains * 100,
  schema_version: 50,
  sending_policy: agents,
  spent_challenge: agents,
  sts_policy: domains,
  token: agents * 2,
  webhook: accounts,
};

/** Different values of columns that have few, among the rows that share the columns before them. Any other column tells its
 *  rows apart, but for some. */
const valuesOf: Readonly<Record<string, number>> = {
  account_id: accounts,
  agent_id: agents,
  approver_id: accounts,
  collection_id: 4,
  domain: domains,
  holder_id: agents,
  kind: 3,
  mailbox_id: 8,
  parent: 12,
  role: 6,
  span_class: 12,
  target_agent_id: agents,
  webhook_id: accounts,
};

/** Rows that share a value which nearly tells them apart. */
const fewRows = 4;

/** Rows of a table for each that an index of some of them has: of those that are due, not told, deleted. */
const rowsForEachChosen = 100_000;

/** Writes the statistics if they are missing. Connections that are opened afterwards use them. */
export function declareStatistics(database: Database.Database): void {
  const declared = listStatistics(database);
  const isThere =
    database.prepare("select 1 from sqlite_master where name = 'sqlite_stat1'").get() !== undefined;
  // Makes the table.
  if (!isThere) database.exec("analyze schema_version");
  const held = database.prepare("select tbl, idx, stat from sqlite_stat1 order by tbl, idx").raw().all();
  if (JSON.stringify(held) === JSON.stringify(declared)) return;
  const insert = database.prepare("insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)");
  database.transaction(() => {
    database.exec("delete from sqlite_stat1");
    for (const row of declared) insert.run(row);
  })();
  // Reads the table anew.
  database.exec("analyze sqlite_schema");
}

interface IndexRow {
  readonly table: string;
  readonly name: string;
  readonly origin: "c" | "u" | "pk";
  readonly isUnique: number;
  readonly isPartial: number;
  readonly isWithoutRowid: number;
}

/** Rows of sqlite_stat1, in the order of table and index. */
function listStatistics(database: Database.Database): [table: string, index: string, stat: string][] {
  const indexes = database
    .prepare<[], IndexRow>(
      `select t.name as "table", i.name, i.origin, i."unique" as "isUnique", i.partial as "isPartial", t.wr as "isWithoutRowid"
      from pragma_table_list as t
      join pragma_index_list(t.name) as i
      where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite%'`,
    )
    .all();
  const columnsOf = database.prepare<[string], string>("select name from pragma_index_info(?)").pluck();
  const rows = indexes.map((index): [string, string, string] => {
    // The primary key of a table without row numbers is the table.
    const name = index.isWithoutRowid === 1 && index.origin === "pk" ? index.table : index.name;
    return [index.table, name, statOf(index, columnsOf.all(index.name))];
  });
  return rows.sort(([table, index], [otherTable, otherIndex]) =>
    table === otherTable ? (index < otherIndex ? -1 : 1) : table < otherTable ? -1 : 1,
  );
}

function statOf({ table, isUnique, isPartial }: IndexRow, columns: readonly string[]): string {
  const all = rowsOf[table] ?? manyRows;
  let sharing = Math.max(1, isPartial === 1 ? all / rowsForEachChosen : all);
  const numbers = [sharing];
  for (const [at, column] of columns.entries()) {
    const values = valuesOf[column];
    sharing = values === undefined ? Math.min(sharing, fewRows) : Math.max(1, sharing / values);
    numbers.push(isUnique === 1 && at === columns.length - 1 ? 1 : sharing);
  }
  return numbers.map((number) => Math.round(number)).join(" ");
}
