import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import { listUids } from "#/storage/queries/mail/entries.ts";
import type { Store } from "#/storage/store.ts";
import { append } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent } from "../support/store.ts";

function transfer(store: Store, from: Seed, to: Seed, isMove: boolean) {
  return store.write(nobody, "transferMessages", {
    source: { agent: from.agent, mailbox: from.inbox, actor: nobody },
    target: { agent: to.agent, mailbox: to.inbox, actor: nobody },
    uids: [[1, 100]],
    isMove,
    threadKeys: [],
    at: 0,
  });
}

it("copies a message to another agent once, however often it is in the mailbox, and shares its bytes", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const eve = await seedAgent(store, "eve");
  await append(store, ada, 1, { keywords: ["Blue"] });
  const { agent, inbox } = ada;
  await store.write(nobody, "copyMessages", {
    actor: nobody,
    agent,
    source: inbox,
    target: inbox,
    uids: [[1, 1]],
    at: 0,
  });
  const copied = await transfer(store, ada, eve, false);
  expect(copied).toMatchObject({ sourceUids: [[1, 2]], targetUids: [[1, 2]] });
  const count = "select count(*) as count, sum(entry_count) as entries from message where agent_id = ?";
  expect(await store.get(count, eve.agent)).toEqual({ count: 1, entries: 2 });
  expect(await store.all("select reference_count as count from blob")).toEqual([{ count: 2 }]);
  expect(await store.all("select name from keyword where agent_id = ?", eve.agent)).toEqual([
    { name: "Blue" },
  ]);
});

it("moves messages to another agent, which keeps them when the first agent is deleted", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const eve = await seedAgent(store, "eve");
  await append(store, ada, 3);
  await transfer(store, ada, eve, true);
  expect(await listUids(store, ada.agent, ada.inbox)).toEqual([]);
  await store.write(nobody, "deleteAgent", { agent: ada.agent });
  expect(await listUids(store, eve.agent, eve.inbox)).toEqual([1, 2, 3]);
});

it("refuses messages beyond the target's quota and agents of another account, and changes nothing", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const eve = await seedAgent(store, "eve", { quotaBytes: 10 });
  const mallory = await seedAgent(store, "mallory", { account: "other" });
  await append(store, ada, 3);
  await expect(transfer(store, ada, eve, true)).rejects.toMatchObject({ details: { reason: "over_quota" } });
  await expect(transfer(store, ada, mallory, false)).rejects.toMatchObject({ code: "policy_refused" });
  const nowhere = { ...eve, inbox: 999 as MailboxNumber };
  await expect(transfer(store, ada, nowhere, false)).rejects.toMatchObject({
    details: { reason: "no_such_mailbox" },
  });
  expect(await listUids(store, ada.agent, ada.inbox)).toHaveLength(3);
});
