/** Checks every invariant of the store. Each finding is a sentence about a violation.
 *
 *  Runs over one snapshot. Counts are compared in sets; the bytes of every blob are read, decompressed and hashed. */
import { createHash } from "node:crypto";
import type { ChangeKind } from "#/src/model/changes.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { keywordNumbers } from "#/src/model/flags.ts";
import { kinds, kindsWith } from "#/src/model/kinds.ts";
import { hasNumber, parseNumberSet } from "#/src/model/number-set.ts";
import type { AccountNumber, AgentNumber, BlobNumber } from "#/src/model/numbers.ts";
import { readBlobRange } from "../blob.ts";
import { decodeItem } from "../items.ts";
import { type KindRows, kindRows, type LoggedRows } from "../kinds.ts";
import { parentNames } from "../mailbox-name.ts";
import type { Reader } from "../sql.ts";
import { invariants } from "./invariants.ts";

/** The most findings of one invariant, so that a badly damaged store is not described row by row. */
const findingsPerInvariant = 20;

export async function checkStore(
  reader: Reader,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<string[]> {
  const findings: string[] = [];
  /** A failed read, as in a damaged file, becomes a finding, and the check goes on. */
  async function look(what: string, find: () => Promise<readonly string[]>): Promise<void> {
    try {
      findings.push(...(await find()));
    } catch (error) {
      findings.push(`${what} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  let blobs = 0;
  await look("the number of blobs", async () => {
    blobs = (await reader.get<{ blobs: number }>("select count(*) as blobs from blob"))!.blobs;
    return [];
  });
  const total = invariants.length + 4 + blobs;
  let done = 0;
  const step = (): void => onProgress(++done, total);
  for (const { sentence, query } of invariants) {
    await look(`whether ${sentence.replaceAll("?", "…")}`, async () => {
      const rows = await reader.all<Record<string, unknown>>(`${query} limit ${findingsPerInvariant}`);
      return rows.map((row) => fill(sentence, Object.values(row)));
    });
    step();
  }
  await look("the names of mailboxes", () => checkParents(reader));
  step();
  await look("keywords", () => checkKeywords(reader));
  step();
  await look("the log of changes", () => checkLog(reader));
  step();
  await look("the bytes of items", () => checkItems(reader));
  step();
  await look("the bytes of messages", () => checkBlobs(reader, step));
  return findings;
}

function fill(sentence: string, values: readonly unknown[]): string {
  let next = 0;
  return sentence.replace(/\?/g, () => String(values[next++]));
}

async function checkParents(reader: Reader): Promise<string[]> {
  const findings: string[] = [];
  const rows = await reader.all<{ agent: AgentNumber; name: string }>(
    "select agent_id as agent, name from mailbox",
  );
  const names = new Set(rows.map(({ agent, name }) => `${agent} ${name}`));
  for (const { agent, name } of rows)
    for (const parent of parentNames(name))
      if (!names.has(`${agent} ${parent}`))
        findings.push(`mailbox ${name} of agent ${agent} has no ${parent} above it`);
  return findings.slice(0, findingsPerInvariant);
}

async function checkKeywords(reader: Reader): Promise<string[]> {
  const findings: string[] = [];
  const keywords = await reader.all<{ agent: AgentNumber; count: number; last: number }>(
    `select agent_id as agent, count(*) as count, max(keyword_number) as last
    from keyword
    group by agent_id`,
  );
  for (const { agent, count, last } of keywords)
    if (last !== count - 1) findings.push(`the keywords of agent ${agent} are not numbered without gaps`);
  const counts = new Map(keywords.map(({ agent, count }) => [agent, count]));
  const states = await reader.all<{ agent: AgentNumber; flags: number; keywords: string | null }>(
    "select distinct agent_id as agent, flags, keywords from entry",
  );
  for (const { agent, flags, keywords } of states) {
    const unknown = keywordNumbers({ mask: flags, overflow: keywords }).find(
      (number) => !(number < (counts.get(agent) ?? 0)),
    );
    if (unknown !== undefined)
      findings.push(`agent ${agent} has entries with keyword ${unknown}, which has no name`);
    if (flags < 0 || (flags & 0xe0) !== 0)
      findings.push(`agent ${agent} has entries with the flags ${flags}`);
  }
  return findings.slice(0, findingsPerInvariant);
}

async function checkLog(reader: Reader): Promise<string[]> {
  const findings: string[] = [];
  for (const kind of kindsWith("log")) {
    const { logged }: KindRows = kindRows[kind];
    if (logged !== undefined) findings.push(...(await checkLoggedRows(reader, kinds[kind].log, logged)));
  }
  return findings.slice(0, findingsPerInvariant);
}

/** The log must have the change that wrote each row, unless the change is below the floor. */
async function checkLoggedRows(
  reader: Reader,
  kind: ChangeKind,
  { table, number: column, parent }: LoggedRows,
): Promise<string[]> {
  const findings: string[] = [];
  const agents = await reader.all<{ agent: AgentNumber; floor: number }>(
    "select agent_id as agent, log_floor as floor from agent where state <> 'deleted' order by agent_id",
  );
  for (const { agent, floor } of agents) {
    const changes = await reader.all<{ modseq: number; parent: number; operation: string; ids: string }>(
      `select modseq, parent, operation, ids
      from change
      where agent_id = ? and kind = ?`,
      agent,
      kind,
    );
    const written = new Map<string, ReturnType<typeof parseNumberSet>>();
    for (const { modseq, parent, operation, ids } of changes)
      if (operation !== "remove") {
        const key = `${modseq} ${parent}`;
        written.set(
          key,
          [...(written.get(key) ?? []), ...parseNumberSet(ids)].sort((a, b) => a[0] - b[0]),
        );
      }
    const rows = await reader.all<{ parent: number; number: number; modseq: number }>(
      `select ${parent ?? 0} as parent, ${column} as number, modseq
      from ${table}
      where agent_id = ? and modseq > ?`,
      agent,
      floor,
    );
    for (const row of rows) {
      const { number, modseq } = row;
      const set = written.get(`${modseq} ${row.parent}`);
      if (set === undefined || !hasNumber(set, number))
        findings.push(
          `${table} ${number}${parent === undefined ? "" : ` in ${parent} ${row.parent}`} of agent ${agent} has MODSEQ ${modseq}, which the log lacks`,
        );
      if (findings.length >= findingsPerInvariant) return findings;
    }
  }
  return findings;
}

async function checkItems(reader: Reader): Promise<string[]> {
  const findings: string[] = [];
  const pageSize = 100;
  let last = { agent: 0, item: 0 };
  for (;;) {
    const rows = await reader.all<{
      agent: number;
      item: number;
      size: number;
      codec: number;
      data: Uint8Array;
    }>(
      `select d.agent_id as agent, d.item_id as item, i.size, d.codec, d.data
      from item_data as d join item as i on i.agent_id = d.agent_id and i.item_id = d.item_id
      where (d.agent_id, d.item_id) > (?, ?)
      order by d.agent_id, d.item_id
      limit ?`,
      last.agent,
      last.item,
      pageSize,
    );
    for (const row of rows)
      await decodeItem(row).catch(() =>
        findings.push(`item ${row.item} of agent ${row.agent} does not have the octets that it says it has`),
      );
    if (rows.length < pageSize || findings.length >= findingsPerInvariant) return findings;
    last = rows.at(-1)!;
  }
}

/** Whether the last message of these octets has gone since they were listed: the sweep deletes them. */
async function isFreed(reader: Reader, account: AccountNumber, blob: BlobNumber): Promise<boolean> {
  const row = await reader.get<{ referenceCount: number }>(
    `select reference_count as "referenceCount" from blob where account_id = ? and blob_id = ?`,
    account,
    blob,
  );
  return row === undefined || row.referenceCount === 0;
}

async function checkBlobs(reader: Reader, step: () => void): Promise<string[]> {
  const findings: string[] = [];
  const pageSize = 250;
  let last: { account: number; blob: number } = { account: 0, blob: 0 };
  for (;;) {
    const rows = await reader.all<{
      account: AccountNumber;
      blob: BlobNumber;
      size: number;
      headerSize: number;
      sha256: Uint8Array;
    }>(
      `select account_id as account, blob_id as blob, size, header_size as "headerSize", sha256
      from blob
      where (account_id, blob_id) > (?, ?)
      order by account_id, blob_id
      limit ?`,
      last.account,
      last.blob,
      pageSize,
    );
    for (const { account, blob, size, headerSize, sha256 } of rows) {
      const name = `blob ${blob} of account ${account}`;
      try {
        const bytes = await readBlobRange(reader, account, blob, 0, size);
        if (bytes.length !== size || headerSize > size)
          findings.push(`${name} says it has ${size} octets and has ${bytes.length}`);
        else if (!createHash("sha256").update(bytes).digest().equals(sha256))
          findings.push(`${name} does not have the octets that were stored`);
      } catch (error) {
        const isGoing =
          isWaypostError(error) && error.code === "not_found" && (await isFreed(reader, account, blob));
        if (!isGoing)
          findings.push(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      }
      step();
    }
    if (rows.length < pageSize || findings.length >= findingsPerInvariant) return findings;
    last = rows.at(-1)!;
  }
}
