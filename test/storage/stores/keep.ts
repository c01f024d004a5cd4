/** Keeps a small store of the present schema, with rows in every table: `npm run store:keep`, once, when a migration is added.
 *  A schema that was released never changes, so a store that is kept is never written again. Beside it stand the octets of its
 *  messages, as SHA-256, and how many rows its tables have. */

import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { nobody } from "#/src/model/author.ts";
import type { AccountNumber, AgentNumber, BlobNumber } from "#/src/model/numbers.ts";
import { readBlobRange } from "#/storage/blob.ts";
import { migrations } from "#/storage/migrations/index.ts";
import { openStore } from "#/storage/open-store.ts";
import type { Store } from "#/storage/store.ts";
import { everyAuthor, writeEverything } from "../../support/every-write.ts";

export interface KeptStore {
  readonly messages: readonly { readonly agent: number; readonly message: number; readonly sha256: string }[];
  readonly rows: Readonly<Record<string, number>>;
}

/** The messages of everybody who is not deleted. */
export async function describeStore(store: Store): Promise<KeptStore> {
  const rows: Record<string, number> = {};
  for (const name of await store.column<string>(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name",
  ))
    rows[name] = (await store.get<{ count: number }>(`select count(*) as count from ${name}`))!.count;
  const held = await store.all<{
    agent: number;
    message: number;
    account: AccountNumber;
    blob: BlobNumber;
    trace: Uint8Array;
  }>(
    `select message.agent_id as agent, message_id as message, message.account_id as account, blob_id as blob, trace
    from message
    join agent on agent.agent_id = message.agent_id
    where agent.state <> 'deleted'
    order by message.agent_id, message_id`,
  );
  const messages = [];
  for (const { agent, message, account, blob, trace } of held) {
    const octets = await readBlobRange(store, account, blob, 0, 1e9);
    const sha256 = createHash("sha256").update(trace).update(octets).digest("hex");
    messages.push({ agent, message, sha256 });
  }
  return { messages, rows };
}

if (process.argv[1] === import.meta.filename) {
  const number = String(migrations.length).padStart(4, "0");
  const file = path.join(import.meta.dirname, `schema-${number}`);
  if (fs.existsSync(`${file}.db.zst`)) throw new Error(`The store of schema ${number} is kept already`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-keep-"));
  const store = await openStore({ folder });
  await writeEverything(store, (name, args) => store.write(everyAuthor, name, args));
  const agent = (await store.get<{ agent: AgentNumber }>("select min(agent_id) as agent from agent"))!.agent;
  await store.writeOnce(
    nobody,
    "createMailbox",
    { agent, name: "Once", at: 0 },
    { agent, operation: "folder.create", key: "k", requestHash: new Uint8Array(32), expiresAt: 4e12 },
  );
  const kept = await describeStore(store);
  await store.close();
  const level = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 19 } };
  const bytes = fs.readFileSync(path.join(folder, "waypost.db"));
  fs.writeFileSync(`${file}.db.zst`, zlib.zstdCompressSync(bytes, level));
  fs.writeFileSync(`${file}.json`, `${JSON.stringify(kept, undefined, 2)}\n`);
  fs.rmSync(folder, { recursive: true });
  console.log(`${file}.db.zst: ${kept.messages.length} messages`);
}
