/** What an operator hears of before users do: a line in the log, a metric and a notice at the beginning, once; and when it is over. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { type ConditionName, conditionNames, type LookedAt } from "#/src/daemon/conditions/conditions.ts";
import { createConditions } from "#/src/daemon/conditions/watch-conditions.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { atCommandLine, server as serverAuthor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Store } from "#/storage/store.ts";
import { httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

let server: InProcessDaemon;
const lines: object[] = [];
/** What the looks see; each case turns one of it. */
const world = {
  free: 1e12,
  expiresAt: Number.MAX_SAFE_INTEGER,
  laterMs: 0,
  isRefusing: false,
  troubles: [] as { name: string; reason: string }[],
};
beforeAll(async () => {
  server = await startInProcessDaemon({
    people: 2,
    set: [
      "dns.servers=none",
      "metrics.enabled=true",
      "storage.quota_bytes=100000000",
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${await freePort()}`,
      "outbound.smarthost_tls=none",
    ],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function changed(store: Store, members: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name in members) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function later(store: Store): Store {
  return changed(store, { clock: { now: () => store.clock.now() + world.laterMs } });
}

/** Refuses writes as a store on a full disk does. */
function full(store: Store): Store {
  const refuse = async () => {
    throw new WaypostError("upstream_unavailable", "The disk is full.", { reason: "store_full" });
  };
  const write = ((...given: Parameters<Store["write"]>) =>
    world.isRefusing ? refuse() : store.write(...given)) as Store["write"];
  return changed(store, { write });
}

/** Another process on the same store, as after a restart. */
function watched() {
  const { house } = server.daemon;
  const note = (level: string) => (facts: object, msg: string) => lines.push({ level, msg, ...facts });
  const log = { ...house.log, warn: note("warn"), info: note("info"), error: note("error") } as never;
  const conditions = createConditions({ ...house, store: full(house.store), log, prepare: prepareMessage });
  const at: LookedAt = {
    store: later(house.store),
    settings: house.settings,
    certificate: {
      get expiresAt() {
        return world.expiresAt;
      },
      isSelfSigned: false,
    },
    troubles: () => world.troubles,
    freeBytes: async () => world.free,
  };
  return { conditions, ...conditions.watch(at) };
}

const notices = async (): Promise<string[]> => {
  const { store, mail } = server.daemon.house;
  const { agent } = store.ids.decode(server.people[0]!.id)!;
  const found = await mail.listNewestMessages(agent, { limit: 100 } as never);
  return found.map(({ subject }) => subject);
};

const address = () => server.agents[0]!.address;
const quota = (bytes: number) =>
  server.daemon.house.store.write(serverAuthor, "updateAgent", {
    agent: server.daemon.house.store.ids.decode(server.agents[0]!.id)!.agent,
    quotaBytes: bytes,
  });
const used = async (): Promise<number> => {
  const { store, accounts } = server.daemon.house;
  await accounts.findAgentFacts(store.ids.decode(server.agents[0]!.id)!.agent);
  const row = await store.get<{ bytes: number }>(
    "select byte_count as bytes from agent where agent_id = ?",
    store.ids.decode(server.agents[0]!.id)!.agent,
  );
  return row!.bytes;
};

/** How each begins, what is between its two numbers, and how it ends. */
const cases: Record<ConditionName, { begin(): unknown; between?(): unknown; end(): unknown; says: RegExp }> =
  {
    disk_full: {
      begin: () => (world.free = 200 * 2 ** 20),
      between: () => (world.free = 300 * 2 ** 20),
      end: () => (world.free = 400 * 2 ** 20),
      says: /200 MiB are free/,
    },
    queue_overdue: {
      begin: () => (world.laterMs = 20 * 60_000),
      between: () => (world.laterMs = 5 * 60_000),
      end: () => (world.laterMs = 0),
      says: /1 recipients are due and were not tried/,
    },
    certificate_failing: {
      begin: () => (world.troubles = [{ name: "mail.x.net", reason: "ca.example port 443: ECONNREFUSED" }]),
      end: () => (world.troubles = []),
      says: /mail\.x\.net: ca\.example port 443: ECONNREFUSED/,
    },
    quota_nearly_full: {
      begin: async () => quota(Math.ceil((await used()) / 0.91)),
      between: async () => quota(Math.ceil((await used()) / 0.87)),
      end: async () => quota((await used()) * 2),
      says: /uses 9\d % of/,
    },
  };

describe("a condition", () => {
  beforeAll(async () => {
    const client = httpClient(server.http.url, server.agents[0]!.token);
    await administer(atCommandLine, server.daemon.house, "agent.update", {
      owner: address(),
      holdPolicy: "open",
    });
    await client.ok("send", {
      body: { to: ["far@outside.example"], subject: "x", text: "x".repeat(20_000) },
    });
    await vi.waitFor(async () => expect(await untilNextAttempt()).toBeGreaterThan(0), { timeout: 60_000 });
  });

  it.each(conditionNames)("%s is told once, stands between its two numbers, and ends", async (condition) => {
    const { begin, between, end, says } = cases[condition];
    const ours = () =>
      (lines as { condition?: string; level: string; msg: string; what: string }[]).filter(
        (one) => one.condition === condition,
      );
    const first = watched();
    await first.look();
    expect([first.conditions.standing(), lines.filter((one) => "err" in one)]).toEqual([[], []]);
    const before = (await notices()).length;
    await begin();
    await first.look();
    await first.look();
    expect(ours()).toMatchObject([{ level: "warn", what: expect.stringMatching(says) }]);
    expect((await notices()).length - before).toBe(1);
    await between?.();
    // A restart: what stood is told no second time.
    await first.stop();
    const second = watched();
    await second.look();
    expect(second.conditions.standing()).toMatchObject([{ condition }]);
    expect(ours()).toHaveLength(1);
    await end();
    await second.look();
    expect(second.conditions.standing()).toEqual([]);
    expect(ours()[1]).toMatchObject({ level: "info", msg: "over" });
    await begin();
    await second.look();
    expect((await notices()).length - before).toBe(2);
    await end();
    await second.look();
    await second.stop();
  });

  it("is told later where the store takes no notice", async () => {
    world.isRefusing = true;
    const { conditions, look, stop } = watched();
    await look();
    const before = (await notices()).length;
    world.free = 0;
    await look();
    expect(conditions.standing()).toMatchObject([{ condition: "disk_full" }]);
    expect((await notices()).length).toBe(before);
    world.isRefusing = false;
    await look();
    await look();
    expect((await notices()).length).toBe(before + 1);
    world.free = 1e12;
    await look();
    await stop();
  });
});

it("is a metric, and stands in the status", async () => {
  const { house } = server.daemon;
  const text = await (await fetch(`${server.metrics.url}/metrics`)).text();
  for (const condition of conditionNames)
    expect(text).toContain(`waypost_condition{condition="${condition}"} 0`);
  const { agent } = house.store.ids.decode(server.agents[0]!.id)!;
  await quota(Math.ceil((await used()) / 0.95));
  const watching = house.conditions.watch({
    ...house,
    certificate: server.daemon.certificate,
    troubles: () => [],
    freeBytes: async () => 1e12,
  });
  await watching.look();
  await watching.stop();
  const again = await (await fetch(`${server.metrics.url}/metrics`)).text();
  expect([agent, again]).toEqual([
    agent,
    expect.stringContaining('waypost_condition{condition="quota_nearly_full"} 1'),
  ]);
  const { warnings } = await house.status.read();
  expect(warnings).toMatchObject([
    { condition: "quota_nearly_full", what: expect.stringContaining(address()) },
  ]);
});

/** The delivery itself goes by the real time, so it does not try again within the test. */
async function untilNextAttempt(): Promise<number> {
  const { store } = server.daemon.house;
  const row = await store.get<{ at: number | null }>(
    "select min(next_attempt_at) as at from submission_recipient where state = 'queued' and attempt_count > 0",
  );
  return (row?.at ?? 0) - store.clock.now();
}
