/** Large mail is freed in small transactions, so that no write waits long for it. */

import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import { freedBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { encodeBlob } from "#/storage/blob.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { SweepState } from "#/storage/sweep.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { testFacts } from "../support/store.ts";

const mebibyte = 1024 * 1024;
const at = 0;

async function mailboxIn({
  write,
  tx,
}: TestDatabase): Promise<{ agent: AgentNumber; mailbox: MailboxNumber }> {
  const { account } = await write("createAccount", { name: "example", at });
  await write("createDomain", { name: "example.org", account, at });
  const { agent } = await write("createAgent", {
    ...{ account, kind: "person", name: "ada", quotaBytes: null, scramIterations: 4096, at },
    address: { domain: "example.org", localPart: "ada" },
    scramSalt: new Uint8Array(16),
  });
  const inbox = await tx.get<{ mailbox: MailboxNumber }>(
    "select mailbox_id as mailbox from mailbox where agent_id = ? and role = 'inbox'",
    agent,
  );
  return { agent, mailbox: inbox!.mailbox };
}

async function keptBytes({ tx }: TestDatabase): Promise<number> {
  return (await tx.get<{ kept: number }>("select coalesce(sum(stored_size), 0) as kept from blob"))!.kept;
}

it("frees at most 8 MiB of deleted mail in one transaction, and the store is consistent between them", async () => {
  using test = await openTestDatabase();
  const { write, tx } = test;
  const { agent, mailbox } = await mailboxIn(test);
  for (const size of [20, 3, 3, 3, 3, 0.001, 0.001]) {
    const header = "Subject: x\r\n\r\n";
    const bytes = Buffer.concat([Buffer.from(header), randomBytes(Math.round(size * mebibyte))]);
    const facts = { ...(await testFacts()), blob: await encodeBlob(bytes, header.length, "{}") };
    const message = { facts, keywords: [], internalDate: at, provenance: "{}", isAuthenticated: false };
    await write("appendMessages", {
      actor: nobody,
      agent,
      mailbox,
      messages: [{ ...message, flags: deletedFlag }],
      at,
    });
  }
  let before = await keptBytes(test);
  const freed: number[] = [];
  const measure = async (): Promise<void> => {
    const after = await keptBytes(test);
    freed.push(before - after);
    before = after;
    expect(await checkStore(tx)).toEqual([]);
  };
  await write("expungeMessages", { actor: nobody, agent, mailbox, at });
  await measure();
  const sweep = new SweepState();
  while (await sweep.sweep(tx)) await measure();
  expect(before).toBe(0);
  expect(freed[0]).toBeGreaterThan(6 * mebibyte);
  // What stands in the row of a blob itself comes on top of the last slice of it.
  expect(Math.max(...freed)).toBeLessThanOrEqual(freedBytesMax);
});
