import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { listChanges } from "#/storage/queries/changes.ts";
import { messagePages } from "#/storage/queries/mail/entries.ts";
import { listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import { engine, openTestStore, seedAgent, testFacts } from "../support/store.ts";

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

it("knows at the second mail of an author that the first has come, also when both are stored together", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { account, agent } = await seedAgent(store, "ada");
  const anna = { address: "anna@one.example", name: "Anna", organization: "one.example" };
  const deliver = async (mailboxRole: "inbox" | "junk", isAuthenticated: boolean, at: number) =>
    store.write(nobody, "deliverMessage", {
      facts: await testFacts("Hello.\r\n"),
      author: { ...anna, replyTo: [{ ...anna, address: "anna@two.example" }], isAuthenticated },
      recipients: [
        {
          ...{ account, agent, mailboxRole, trace: Buffer.from("Return-Path: <>\r\n"), flags: 0 },
          ...{ provenance: '{"source":"smtp"}', isAuthenticated, source: "smtp" },
        },
      ],
      internalDate: at,
      at,
    });
  await Promise.all([
    deliver("junk", true, 1),
    deliver("inbox", false, 2),
    deliver("inbox", true, 3),
    deliver("inbox", true, 4),
    deliver("inbox", true, 5),
  ]);
  const rows = await store.all<{ provenance: string; at: number }>(
    `select provenance, entry.internal_date as at from message
    join entry on entry.agent_id = message.agent_id and entry.message_id = message.message_id
    where message.agent_id = ? order by entry.internal_date`,
    agent,
  );
  const known = { mailbox: agent, isKnown: false };
  const read = rows.map(({ provenance }) => JSON.parse(provenance));
  // On PostgreSQL those that come together may be stored in another order: the others know of the first one.
  const [, , ...inbox] = read;
  const first = rows[2 + inbox.findIndex(({ author }) => author.firstSeen === undefined)]!.at;
  expect(read).toEqual(
    rows.map(({ at }) => ({
      source: "smtp",
      author: { ...known, ...(at < 3 || at === first ? {} : { firstSeen: first }) },
      replyTo: known,
    })),
  );
  if (engine === "sqlite") expect(first).toBe(3);
});
