/** Rows of Web Push: with what they end, and what takes their place. */
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { pushSubscriptionsMax } from "#/src/model/limits.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { listNewestWaiting, listPushSubscriptionsOf } from "#/storage/queries/accounts/push-subscriptions.ts";
import type { FollowedCollection } from "#/storage/transactions/sign-in/keep-push-subscription.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

async function openPushes() {
  const opened = await openTestStore();
  const { store } = opened;
  const { agent } = await seedAgent(store, "mia", { kind: "person" });
  const keep = (more: {
    session?: number;
    password?: number;
    follows?: FollowedCollection;
    endpoint?: string;
  }) =>
    store.write(nobody, "keepPushSubscription", {
      agent,
      endpoint: "https://push.example/1",
      publicKey: new Uint8Array(65).fill(4),
      authSecret: new Uint8Array(16).fill(5),
      language: "en",
      told: "{}",
      expiresAt: 1000,
      limit: pushSubscriptionsMax,
      at: 0,
      ...more,
    });
  return { opened, store, agent, keep };
}

it("keeps one of a session, and what it was told as long as it goes to the same place", async () => {
  const { opened, store, agent, keep } = await openPushes();
  await using _ = opened;
  const { subscription } = await keep({ session: 1 });
  const standing = { told: '{"2":3}', failureCount: 1, failingSince: 5, nextAttemptAt: 6 };
  await store.write(nobody, "reportPush", { subscription, endpoint: "https://push.example/1", standing });
  await store.write(nobody, "reportPush", { subscription, endpoint: "https://other.example/" });
  expect(await listPushSubscriptionsOf(store, agent)).toMatchObject([
    { subscription, agent, session: 1, ...standing },
  ]);
  await keep({ session: 1 });
  expect(await listPushSubscriptionsOf(store, agent)).toMatchObject([
    { subscription, told: '{"2":3}', failureCount: 0 },
  ]);
  await keep({ session: 1, endpoint: "https://push.example/2" });
  expect(await listPushSubscriptionsOf(store, agent)).toMatchObject([{ subscription, told: "{}" }]);
  await store.write(nobody, "reportPush", { subscription, endpoint: "https://push.example/2" });
  expect(await listPushSubscriptionsOf(store, agent)).toEqual([]);
});

it("ends with the session, the app password, its own time, and the person", async () => {
  const { opened, store, agent, keep } = await openPushes();
  await using _ = opened;
  const keys = { storedKey: new Uint8Array(32), serverKey: new Uint8Array(32) };
  const { password } = await store.write(nobody, "createPassword", { agent, name: "phone", ...keys, at: 0 });
  const follows = { agent, collection: 1 as CollectionNumber, triggers: "content-update", limit: 2 } as const;
  for (const session of [1, 2, 3]) await keep({ session });
  await keep({ password, follows });
  await keep({ password: password + 1, follows, endpoint: "https://push.example/3" });
  const left = async () =>
    (await listPushSubscriptionsOf(store, agent)).map((one) => one.session ?? `password ${one.password}`);
  await store.write(nobody, "endPageSessions", { agent, session: 1, at: 1 });
  expect(await left()).toEqual([2, 3, `password ${password}`, `password ${password + 1}`]);
  await store.write(nobody, "endPageSessions", { agent, except: 3, at: 1 });
  await store.write(nobody, "revokePassword", { password, at: 1 });
  expect(await left()).toEqual([3, `password ${password + 1}`]);
  await store.write(nobody, "pruneSignIns", { now: 999, before: 0, limit: 10 });
  expect(await left()).toHaveLength(2);
  await store.write(nobody, "pruneSignIns", { now: 1000, before: 0, limit: 10 });
  expect(await left()).toEqual([]);
  await keep({ session: 4 });
  await store.write(nobody, "deleteAgent", { agent });
  expect(await left()).toEqual([]);
});

it("are 100 of one person at most, and of nobody who is no person", async () => {
  const { opened, store, keep } = await openPushes();
  await using _ = opened;
  for (let session = 1; session <= pushSubscriptionsMax; session++) await keep({ session });
  await expect(keep({ session: pushSubscriptionsMax + 1 })).rejects.toMatchObject({ code: "policy_refused" });
  // One that takes the place of another is none more.
  await keep({ session: 1 });
  const { agent } = await seedAgent(store, "robot");
  const asRobot = {
    agent,
    session: 1,
    endpoint: "",
    publicKey: new Uint8Array(1),
    authSecret: new Uint8Array(1),
  };
  await expect(
    store.write(nobody, "keepPushSubscription", {
      ...asRobot,
      language: "en",
      told: "{}",
      expiresAt: 1,
      limit: 9,
      at: 0,
    }),
  ).rejects.toMatchObject({ code: "unauthorized" });
  expect(await listNewestWaiting(store)).toEqual([]);
});

it("are so many of one collection as are said, whosever they are", async () => {
  const { opened, store, agent, keep } = await openPushes();
  await using _ = opened;
  const follows = { agent, collection: 1 as CollectionNumber, triggers: "content-update", limit: 2 } as const;
  for (const endpoint of ["https://push.example/1", "https://push.example/2", "https://push.example/1"])
    await keep({ password: 1, follows, endpoint });
  expect(await listPushSubscriptionsOf(store, agent)).toHaveLength(2);
  await expect(keep({ password: 1, follows, endpoint: "https://push.example/3" })).rejects.toMatchObject({
    code: "policy_refused",
  });
  await keep({ password: 1, follows: { ...follows, collection: 2 as CollectionNumber } });
});
