import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { listChanges } from "#/storage/queries/changes.ts";
import { messagePages } from "#/storage/queries/mail/entries.ts";
import { listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import { openTestStore, seedAgent, testFacts } from "../support/store.ts";

it("delivers one message to several agents of one account with one blob", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const bob = await seedAgent(store, "bob");
  const facts = await testFacts("Hello both.\r\n");
  const trace = Buffer.from("Delivered-To: someone\r\n");
  const { deliveries } = await store.write(nobody, "deliverMessage", {
    facts,
    recipients: [bob, ada].map(({ account, agent }) => ({
      account,
      agent,
      mailboxRole: "inbox" as const,
      trace,
      flags: 0,
      provenance: "{}",
      isAuthenticated: false,
      source: "smtp",
    })),
    internalDate: store.clock.now(),
    at: store.clock.now(),
  });
  expect(deliveries.map(({ agent }) => agent)).toEqual([bob.agent, ada.agent]);
  expect(await store.get("select count(*) as blobs, sum(reference_count) as refs from blob")).toEqual({
    blobs: 1,
    refs: 2,
  });
  const [inbox] = (await listMailboxes(store, ada.agent)).filter(({ role }) => role === "inbox");
  expect(inbox).toMatchObject({ messageCount: 1, unseenCount: 1, uidNext: 2 });
  for await (const [row] of messagePages(store, ada.agent, ada.inbox, [[1, 9]])) {
    expect(Buffer.from(row!.trace).toString()).toBe("Delivered-To: someone\r\n");
    expect(row!.size).toBe(trace.length + facts.blob.size);
  }
  const changes = await listChanges(store, ada.agent, 6 as Modseq, 99 as Modseq, 10);
  expect(changes.map(({ kind, operation, ids, event }) => [kind, operation, ids, event])).toEqual([
    ["entry", "add", "1", null],
    ["event", "add", "7", "mail.received"],
  ]);
});
