/** Two stores on one database, as two daemons have them. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { createAccounts } from "#/src/accounts/accounts.ts";
import { createCollections } from "#/src/collections/create-collections.ts";
import { createDirectPreparation } from "#/src/collections/preparing/preparation.ts";
import { createFeed } from "#/src/feed/feed.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { nobody } from "#/src/model/author.ts";
import type { Touched } from "#/src/model/changes.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { createOutbound } from "#/src/outbound/create-outbound.ts";
import { createPushes } from "#/src/sign-in/pushes.ts";
import { type LeaseTimes, leaseNames } from "#/storage/leasing/leases.ts";
import { openStore } from "#/storage/open-store.ts";
import { listUids } from "#/storage/queries/mail/entries.ts";
import type { Store } from "#/storage/store.ts";
import type { FakeClock } from "../support/clock.ts";
import { append, positionOf } from "../support/delivery.ts";
import { openTestStore, seedAgent, testFacts } from "../support/store.ts";
import { envelopeTo, submission } from "../support/submission.ts";
import { endConnections, serverUrl } from "./database.ts";

/** Other processes have the machine too. */
const waiting = { timeout: 60_000 };

interface TwoStores extends AsyncDisposable {
  readonly one: Store;
  readonly two: Store;
  readonly clock: FakeClock;
}

async function openTwoStores(leaseTimes: Partial<LeaseTimes> = {}): Promise<TwoStores> {
  const test = await openTestStore({ leaseTimes });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
  const { database } = test.store.place;
  const two = await openStore({ folder, database, clock: test.clock, leaseTimes });
  return {
    one: test.store,
    two,
    clock: test.clock,
    async [Symbol.asyncDispose]() {
      await two.close();
      fs.rmSync(folder, { recursive: true, force: true });
      await test[Symbol.asyncDispose]();
    },
  };
}

/** Leases by a clock that goes on with each heartbeat of either store, however busy the machine is. */
async function openTickingStores(): Promise<TwoStores> {
  let now = 0;
  const times: LeaseTimes = { lookMs: 20, gapMs: 4000, trustMs: 600, deadMs: 800, now: () => now };
  const stores = await openTwoStores(times);
  for (const store of [stores.one, stores.two]) {
    const write = store.write.bind(store);
    const ticking: typeof write = (by, name, args, ...more) => {
      if (name === "keepLeases") now += times.lookMs;
      return write(by, name, args, ...more);
    };
    Object.assign(store, { write: ticking });
  }
  return stores;
}

function outboundOf(store: Store) {
  const settings = loadSettings({ set: [`storage.folder=${store.folder}`] });
  return createOutbound({
    store,
    accounts: createAccounts(store, settings),
    settings,
    prepare: prepareMessage,
  });
}

describe.skipIf(serverUrl === undefined)("two daemons' stores on one PostgreSQL", () => {
  it("see the writes of the other, and are notified of them", async () => {
    await using stores = await openTwoStores();
    const { one, two } = stores;
    const ada = await seedAgent(one);
    const heard: Touched[] = [];
    two.onCommit((touched) => heard.push(...touched));
    const { modseq } = await append(one, ada);
    expect(await listUids(two, ada.agent, ada.inbox)).toEqual([1]);
    await vi.waitUntil(
      () => heard.some((told) => told.agent === ada.agent && told.modseq === modseq),
      waiting,
    );
    await append(two, ada);
    expect(await listUids(one, ada.agent, ada.inbox)).toEqual([1, 2]);
  });

  it("are soon notified about the agents that they follow, and about all after lost notifications", async () => {
    await using stores = await openTwoStores();
    const { one, two } = stores;
    const ada = await seedAgent(one);
    const bob = await seedAgent(one, "bob");
    const heard = new Map<number, number>();
    let missed = 0;
    two.onMissed(() => missed++);
    two.onCommit(
      (touched) => {
        for (const { agent, modseq } of touched) heard.set(agent, modseq);
      },
      () => [ada.agent],
    );
    const position = await positionOf(one, ada);
    await vi.waitUntil(() => heard.get(ada.agent) === position, waiting);
    const { url } = one.place.database!;
    // Both doorbells, so that nothing is told, nor heard.
    await endConnections(url, "waypost_commit");
    const { modseq } = await append(one, ada);
    await append(one, bob);
    await vi.waitUntil(() => heard.get(ada.agent) === modseq && missed > 0, waiting);
    // And then it is heard again.
    const { modseq: last } = await append(one, bob);
    await vi.waitUntil(() => heard.get(bob.agent) === last, waiting);
  });

  it("tell a program that follows a calendar of what the other has changed within two seconds, when nothing is notified", async () => {
    await using stores = await openTwoStores();
    const { one, two, clock } = stores;
    const { agent } = await seedAgent(one, "mia", { kind: "person" });
    const keys = { storedKey: new Uint8Array(32), serverKey: new Uint8Array(32) };
    const { password } = await one.write(nobody, "createPassword", { agent, name: "phone", ...keys, at: 0 });
    const settings = loadSettings({ set: [`storage.folder=${one.folder}`] });
    const collections = createCollections(one, createDirectPreparation());
    const pushes = createPushes({
      store: one,
      accounts: createAccounts(one, settings),
      collections,
      settings,
    });
    expect((await pushes.listDue()).pushes).toEqual([]);
    // Both at the other daemon, after this one has looked; it listens to no commit.
    const { collection } = await two.write(nobody, "createCollection", {
      agent,
      kind: "calendar",
      segment: "work",
      ...collectionProperties.none,
      components: "VEVENT",
      deadProperties: [],
      at: 0,
    });
    await two.write(nobody, "keepPushSubscription", {
      agent,
      password,
      follows: { agent, collection, triggers: "content-update", limit: 2 },
      endpoint: "https://push.example/1",
      publicKey: new Uint8Array(65),
      authSecret: new Uint8Array(16),
      language: "",
      told: "0",
      expiresAt: clock.now() + 1e9,
      limit: 9,
      at: 0,
    });
    clock.advance(2000);
    const { pushes: due, nextAt } = await pushes.listDue();
    expect(due.map(({ subscription }) => subscription.endpoint)).toEqual(["https://push.example/1"]);
    expect(nextAt - clock.now()).toBeLessThanOrEqual(2000);
  });

  it("make no more together than an agent may have", async () => {
    await using stores = await openTwoStores();
    const { one, two } = stores;
    const { agent } = await seedAgent(one);
    const facts = { agent, url: "https://example.org/", secret: "s", types: [], limit: 3, at: 0 };
    const tried = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? one : two).write(nobody, "createWebhook", facts)),
    );
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  });

  it("read the current log, also after they have kept a page of it", async () => {
    await using stores = await openTwoStores();
    const { one, two } = stores;
    const ada = await seedAgent(one);
    const feed = createFeed(two);
    feed.subscribe(ada.agent, () => {});
    for (let count = 1; count <= 20; count++) {
      const { end } = await feed.readChanges(ada.agent, 0 as never);
      const { modseq } = await append(one, ada);
      const after = await feed.readChanges(ada.agent, 0 as never);
      expect([end < modseq, after.end]).toEqual([true, modseq]);
    }
  });

  it("divide the tasks of one daemon, also those of a daemon that has stopped or is considered dead", async () => {
    await using stores = await openTickingStores();
    const { one, two } = stores;
    const held = (store: Store) => leaseNames.filter((name) => store.leases.isHeld(name)).length;
    expect([held(one), held(two)]).toEqual([leaseNames.length, 0]);
    // One that was killed: it gives no sign of life.
    await one.write(nobody, "keepLeases", { daemon: "killed", beat: 1, wants: ["x"], gone: [] });
    const ada = await seedAgent(one);
    await append(one, ada, 2);
    const { mailbox: target } = await one.write(nobody, "createMailbox", {
      agent: ada.agent,
      name: "Target",
      at: 0,
    });
    await one.write(nobody, "copyMessages", {
      actor: nobody,
      agent: ada.agent,
      source: ada.inbox,
      target,
      uids: [[1, 2]],
      part: { copy: undefined, isLast: false, daemon: "killed" },
      at: 0,
    });
    await vi.waitUntil(async () => (await two.column("select daemon from daemon")).length === 2, waiting);
    expect(await two.all("select * from lease where daemon = 'killed'")).toEqual([]);
    // Its copy is taken back.
    await vi.waitUntil(async () => (await listUids(two, ada.agent, target)).length === 0, waiting);
  });

  it("send each mail from one of them, and mail of a killed one from the other", async () => {
    await using stores = await openTickingStores();
    const { one, two } = stores;
    const ada = await seedAgent(one);
    const queues = [outboundOf(one), outboundOf(two)];
    for (let count = 0; count < 12; count++)
      await one.write(
        nobody,
        "submitMessage",
        await submission(one, ada, { envelope: envelopeTo("mel@far.example", "kit@else.example") }),
      );
    const options = { now: one.clock.now(), limit: 5, skipDomains: new Set<string>() };
    const taken: string[] = [];
    for (let round = 0; round < 4; round++)
      for (const deliveries of await Promise.all(queues.map((queue) => queue.takeDue(options))))
        for (const { submission: number, domain } of deliveries) taken.push(`${number} ${domain}`);
    expect([taken.length, new Set(taken).size]).toEqual([24, 24]);
    // A third that is killed with one more.
    const { submission: number } = await one.write(
      nobody,
      "submitMessage",
      await submission(one, ada, { envelope: envelopeTo("mel@far.example") }),
    );
    let rung = 0;
    const [queue] = queues;
    queue!.onDue(() => rung++);
    await one.write(nobody, "keepLeases", { daemon: "killed", beat: 1, wants: [], gone: [] });
    const delivery = { agent: ada.agent, submission: number!, domain: "far.example" };
    await one.write(nobody, "claimDeliveries", { daemon: "killed", deliveries: [delivery] });
    await vi.waitUntil(() => rung > 0, waiting);
    await vi.waitUntil(async () => (await two.column("select daemon from daemon")).length === 2, waiting);
    expect(await queue!.takeDue(options)).toMatchObject([delivery]);
  });

  it("run a request with one key once, although both have it", async () => {
    await using stores = await openTwoStores();
    const { one, two } = stores;
    const ada = await seedAgent(one);
    const facts = await testFacts();
    const once = (store: Store, key: string) =>
      store.writeOnce(
        nobody,
        "appendMessages",
        {
          actor: nobody,
          agent: ada.agent,
          mailbox: ada.inbox,
          messages: [
            { facts, flags: 0, keywords: [], internalDate: 0, provenance: "{}", isAuthenticated: false },
          ],
          at: one.clock.now(),
        },
        {
          agent: ada.agent,
          operation: "x",
          key,
          requestHash: new Uint8Array(32),
          expiresAt: one.clock.now() + 1000,
        },
      );
    for (const key of ["a", "b", "c", "d", "e"]) {
      const [first, second] = await Promise.all([once(one, key), once(two, key)]);
      expect([first.isReplayed, second.isReplayed].sort()).toEqual([false, true]);
      expect(second.result.uids).toEqual(first.result.uids);
    }
    expect(await listUids(one, ada.agent, ada.inbox)).toHaveLength(5);
  });
});
