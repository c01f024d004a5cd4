import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { forCaller } from "#/src/model/caller.ts";
import type { Touched } from "#/src/model/changes.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { longWriteBytesMin, quickEntriesMax } from "#/src/model/limits.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import { encodeBlob, transferableBuffers } from "#/storage/blob.ts";
import { listUids } from "#/storage/queries/mail/entries.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import { append, deliver, positionOf } from "../support/delivery.ts";
import { itOnSqlite, openTestStore, type Seed, seedAgent, testFacts } from "../support/store.ts";

it("rolls back a failed job of a group alone", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const nowhere = { ...ada, inbox: 99 as MailboxNumber };
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, index) => append(store, index % 5 === 0 ? nowhere : ada)),
  );
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(20);
  expect(await listUids(store, ada.agent, ada.inbox)).toHaveLength(80);
  expect(await positionOf(store, ada)).toBe(6 + 80);
  expect(await store.get("select count(*) as blobs from blob")).toEqual({ blobs: 80 });
});

it("stores the octets of two jobs that share one buffer", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const [ada, bob] = [await seedAgent(store, "ada"), await seedAgent(store, "bob")];
  const facts = await testFacts(randomBytes(100_000).toString("base64"));
  const size = facts.blob.chunks[0]!.byteLength;
  const transfer = transferableBuffers(facts.blob);
  expect(transfer.length).toBeGreaterThan(0);
  await Promise.all(
    [ada, bob].map(({ agent, inbox: mailbox }) => {
      const message = {
        facts,
        flags: 0,
        keywords: [],
        internalDate: 0,
        provenance: "{}",
        isAuthenticated: false,
      };
      return store.write(
        nobody,
        "appendMessages",
        { actor: nobody, agent, mailbox, messages: [message], at: 0 },
        { transfer },
      );
    }),
  );
  const sizes = await store.all("select length(data) as size from blob");
  expect(sizes).toEqual([{ size }, { size }]);
});

it("rolls back a delivery to several agents when one of them is missing", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store, "ada");
  const bob = await seedAgent(test.store, "bob");
  await test.store.write(nobody, "deleteAgent", { agent: bob.agent });
  await expect(deliver(test.store, [ada, bob])).rejects.toMatchObject({ code: "not_found" });
  expect(await positionOf(test.store, ada)).toBe(6);
  expect(await test.store.get("select count(*) as blobs from blob")).toEqual({ blobs: 0 });
});

it("lets a read that follows an acknowledged write see it, every time", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  let misses = 0;
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let round = 0; round < 10; round++) {
        const { uids } = await append(store, ada);
        const found = await store.get("select 1 as found from entry where uid = ?", uids[0]!);
        if (found === undefined) misses++;
      }
    }),
  );
  expect(misses).toBe(0);
});

it("rings once per commit with how far each agent's log reaches", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const bob = await seedAgent(store, "bob");
  const rings: Touched[] = [];
  const stop = store.onCommit((touched) => rings.push(...touched));
  await deliver(store, [ada, bob]);
  expect(rings).toEqual(
    expect.arrayContaining([
      { agent: ada.agent, modseq: 7 },
      { agent: bob.agent, modseq: 7 },
    ]),
  );
  stop();
  rings.length = 0;
  await deliver(store, [ada]);
  await store.write(nobody, "updateAgent", { agent: ada.agent, name: "Ada" });
  expect(rings).toEqual([]);
});

it("rings for no job that failed and for no write that changed nothing", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const rings: Touched[] = [];
  store.onCommit((touched) => rings.push(...touched));
  await expect(append(store, { ...ada, inbox: 99 as MailboxNumber })).rejects.toThrow();
  await store.write(nobody, "expungeMessages", {
    actor: nobody,
    agent: ada.agent,
    mailbox: ada.inbox,
    at: 0,
  });
  expect(rings).toEqual([]);
});

it("passes a refusal from the thread as a WaypostError with its code and details", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const error: unknown = await append(store, { ...ada, inbox: 99 as MailboxNumber }).catch((e: unknown) => e);
  expect(isWaypostError(error)).toBe(true);
  expect(error).toMatchObject({ code: "not_found", details: { reason: "no_such_mailbox" } });
});

it("answers internal for an unexpected error, and continues", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const hash = new Uint8Array(32);
  const token = { agent, name: "a", hash, scopes: [], expiresAt: null, at: 0 };
  await store.write(nobody, "createToken", token);
  await expect(store.write(nobody, "createToken", token)).rejects.toMatchObject({
    code: "internal",
    details: { cause: expect.stringMatching(/^SQLITE_CONSTRAINT|^23505: /) },
  });
  expect(await store.write(nobody, "createToken", { ...token, hash: new Uint8Array(32).fill(1) })).toEqual({
    token: 2,
  });
});

it("refuses more than 2,000 writes at once as busy, and takes them again afterwards", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const update = () => store.write(nobody, "updateAgent", { agent, name: "Ada" });
  const writes = Array.from({ length: 2000 }, update);
  expect(store.isBusy()).toBe(true);
  await expect(update()).rejects.toMatchObject({
    code: "upstream_unavailable",
    details: { reason: "busy" },
  });
  await store.whenReady();
  expect(store.isBusy()).toBe(false);
  await Promise.all([...writes, update()]);
});

it("refuses more than 64 MiB under way as busy", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const bytes = new Uint8Array(33 * 1024 * 1024);
  const facts = await testFacts();
  const large = { ...facts, blob: { ...facts.blob, chunks: [bytes] } };
  const write = () =>
    store.write(nobody, "appendMessages", {
      actor: nobody,
      agent: ada.agent,
      mailbox: 99 as MailboxNumber,
      messages: [
        { facts: large, flags: 0, keywords: [], internalDate: 0, provenance: "{}", isAuthenticated: false },
      ],
      at: 0,
    });
  const writes = [write(), write()];
  expect(store.isBusy()).toBe(true);
  await expect(write()).rejects.toMatchObject({ details: { reason: "busy" } });
  expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(store.isBusy()).toBe(false);
});

it("transfers views of a shared buffer without the octets beside them", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const pool = new Uint8Array(4096).fill(1);
  const storedKey = pool.subarray(100, 132);
  await store.write(nobody, "createPassword", {
    agent: ada.agent,
    name: "a",
    storedKey,
    serverKey: storedKey,
    at: 0,
  });
  expect(pool.byteLength).toBe(4096);
  expect(await store.get("select length(stored_key) as size from app_password")).toEqual({ size: 32 });
});

itOnSqlite(
  "answers temporary refusals when the store is full, keeps what it had, and takes mail again when there is room",
  async () => {
    await using test = await openTestStore({ maxBytes: 2 * 1024 * 1024 });
    const { store } = test;
    const ada = await seedAgent(store);
    const text = randomBytes(180_000).toString("base64");
    let stored = 0;
    for (let full = false; !full; ) {
      const results = await Promise.allSettled(
        [0, 1, 2].map(() => append(store, ada, 1, { flags: 8, text })),
      );
      for (const result of results)
        if (result.status === "fulfilled") stored++;
        else {
          full = true;
          expect(result.reason).toMatchObject({
            code: "upstream_unavailable",
            details: { reason: "store_full" },
          });
        }
    }
    expect(stored).toBeGreaterThan(2);
    expect(await findMailboxByName(store, ada.agent, "INBOX")).toMatchObject({ messageCount: stored });
    expect(await store.check()).toEqual([]);
    await store.write(nobody, "expungeMessages", {
      actor: nobody,
      agent: ada.agent,
      mailbox: ada.inbox,
      at: 0,
    });
    expect((await append(store, ada, 1, { text })).uids).toEqual([stored + 1]);
  },
);

it("refuses writes after it was closed, and finishes the earlier ones", async () => {
  await using test = await openTestStore();
  const { agent } = await seedAgent(test.store);
  const { store } = test;
  const create = (name: string) => store.write(nobody, "createMailbox", { agent, name, at: 0 });
  const write = create("Before");
  const closing = store.close();
  await expect(create("After")).rejects.toMatchObject({ code: "upstream_unavailable" });
  expect((await write).name).toBe("Before");
  await closing;
  expect(await findMailboxByName(await test.reopen(), agent, "Before")).toBeDefined();
});

// On PostgreSQL the two are in lanes of their own, and neither waits for the other.
itOnSqlite(
  "does a small write of one owner before the second large one of another, whatever makes it large",
  async () => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store, "ada");
    const bob = await seedAgent(store, "bob");
    await store.write(nobody, "createMailbox", { agent: ada.agent, name: "top/below", at: 0 });
    const top = (await findMailboxByName(store, ada.agent, "top"))!.mailbox;
    const facts = await testFacts();
    const header = "Subject: x\r\n\r\n";
    const bytes = Buffer.concat([Buffer.from(header), randomBytes(longWriteBytesMin)]);
    const large = { ...facts, blob: await encodeBlob(bytes, header.length, "{}") };
    const append = ({ agent, inbox }: Seed, ...all: (typeof facts)[]): Promise<unknown> => {
      const message = { flags: 0, keywords: [], internalDate: 0, provenance: "{}", isAuthenticated: false };
      const messages = all.map((one) => ({ ...message, facts: one }));
      return store.write(nobody, "appendMessages", { actor: nobody, agent, mailbox: inbox, messages, at: 0 });
    };
    const done: string[] = [];
    const as = (seed: Seed, name: string, write: () => Promise<unknown>): Promise<void> =>
      forCaller(
        new AbortController().signal,
        async () => {
          await write();
          done.push(name);
        },
        () => mailboxOwner(seed),
      );
    await Promise.all([
      as(ada, "rename", () =>
        store.write(nobody, "renameMailbox", { agent: ada.agent, mailbox: top, name: "a", at: 0 }),
      ),
      as(ada, "large", () => append(ada, large)),
      as(ada, "many", () => append(ada, ...Array.from({ length: quickEntriesMax + 1 }, () => facts))),
      as(bob, "small", () => append(bob, facts)),
      as(bob, "other", () => append(bob, facts)),
    ]);
    // One large one may have its turn first.
    expect(done.indexOf("other")).toBeLessThan(done.indexOf("large"));
    expect(done.filter((name) => name !== "small" && name !== "other")).toEqual(["rename", "large", "many"]);
  },
);
