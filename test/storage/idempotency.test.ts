import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Idempotency } from "#/storage/store.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

function once(agent: AgentNumber, change: Partial<Idempotency> = {}): Idempotency {
  return {
    agent,
    operation: "folder.create",
    key: "k",
    requestHash: new Uint8Array(32).fill(1),
    expiresAt: Date.UTC(2026, 0, 6),
    ...change,
  };
}

it("answers a repeated request with the stored result and does nothing", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const create = (name: string, change?: Partial<Idempotency>) =>
    store.writeOnce(nobody, "createMailbox", { agent, name, at: 0 }, once(agent, change));
  const first = await create("Work");
  expect(first.isReplayed).toBe(false);
  expect(await create("Work")).toEqual({ result: first.result, isReplayed: true });
  const other = { requestHash: new Uint8Array(32).fill(2) };
  await expect(create("Play", other)).rejects.toMatchObject({
    code: "invalid",
    details: { field: "/idempotency_key" },
  });
  expect(await create("Play", { ...other, replaysAnyRequest: true })).toEqual({
    result: first.result,
    isReplayed: true,
  });
});

it("does one of two equal requests that are in the same group", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const create = () => store.writeOnce(nobody, "createMailbox", { agent, name: "Work", at: 0 }, once(agent));
  const [first, second] = await Promise.all([create(), create()]);
  expect([first.isReplayed, second.isReplayed]).toEqual([false, true]);
  expect(second.result).toEqual(first.result);
});

it("remembers no request that was refused", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const create = (name: string) =>
    store.writeOnce(nobody, "createMailbox", { agent, name, at: 0 }, once(agent));
  await expect(create("INBOX")).rejects.toMatchObject({ code: "invalid" });
  expect((await create("Work")).isReplayed).toBe(false);
});

it("takes a key again that has expired, and refuses it for another operation until then", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const expiresAt = store.clock.now() + 1000;
  const create = (name: string, operation = "folder.create") =>
    store.writeOnce(nobody, "createMailbox", { agent, name, at: 0 }, once(agent, { expiresAt, operation }));
  await create("a");
  await expect(create("b", "other.create")).rejects.toMatchObject({ code: "invalid" });
  test.clock.advance(1001);
  expect((await create("c")).isReplayed).toBe(false);
  test.clock.advance(1001);
  await store.maintain({ changesMs: 1e12 });
  expect(await store.get("select count(*) as kept from idempotency")).toEqual({ kept: 0 });
});
