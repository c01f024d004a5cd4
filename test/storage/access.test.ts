/** The image of access: after every write, whatever it is, it says what the rows say. */
import { expect, inject, it } from "vitest";
import { createAccess } from "#/src/accounts/access.ts";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { accessTables } from "#/storage/access/access-tables.ts";
import { schema } from "#/storage/schema/schema.ts";
import { accessByReads, answersOf, type Numbered } from "../support/access-answers.ts";
import { accessChanger } from "../support/access-changer.ts";
import { changeRows } from "../support/engine.ts";
import { everyAuthor, type Write, writeEverything } from "../support/every-write.ts";
import { randomSource } from "../support/random.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

it("says what the rows say, after each of the named writes", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const image = createAccess(store);
  const known = new Map<string, Numbered>();
  const write: Write = async (name, args) => {
    const result = await store.write(everyAuthor, name, args);
    expect(await answersOf(image, store, known), name).toEqual(
      await answersOf(accessByReads(store), store, known),
    );
    return result as never;
  };
  await writeEverything(store, write);
});

it("says what the rows say, after any sequence of writes that change access", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const random = randomSource(inject("seed"));
  const image = createAccess(store);
  const known = new Map<string, Numbered>();
  const change = await accessChanger(store, random);
  for (let count = 0; count < 60; count++) {
    const did = await change();
    expect(await answersOf(image, store, known), did).toEqual(
      await answersOf(accessByReads(store), store, known),
    );
  }
});

it("takes no token for a session and no session for a token, whatever was asked before", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const { agent: person } = await seedAgent(store, "mia", { kind: "person" });
  const [ofToken, ofSession] = [1, 2].map((octet) => new Uint8Array(32).fill(octet)) as [
    Uint8Array,
    Uint8Array,
  ];
  const at = store.clock.now();
  const facts = { agent, name: "one", scopes: ["mail"], expiresAt: null, at };
  const { token } = await store.write(nobody, "createToken", { ...facts, hash: ofToken });
  const session = { hash: ofSession, device: "d", network: "n", proof: "password" } as const;
  const begun = await store.write(nobody, "createPageSession", { agent: person, session, at });
  // Both are counted from one.
  expect(begun.session).toBe(token);
  for (const access of [createAccess(store), accessByReads(store)]) {
    expect(await access.findToken(ofToken)).toMatchObject({ agent });
    expect(await access.findPageSession(ofSession)).toMatchObject({ agent: person });
    expect(await access.findPageSession(ofToken)).toBeUndefined();
    expect(await access.findToken(ofSession)).toBeUndefined();
  }
});

it("reads no table but those whose writes are told", async () => {
  await using test = await openTestStore();
  const { store } = test;
  await writeEverything(store, (name, args) => store.write(everyAuthor, name, args));
  const texts = new Set<string>();
  const watched = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "all" || name === "get" || name === "column") texts.add(String(args[0]));
        return member.apply(target, args) as unknown;
      };
    },
  });
  await answersOf(createAccess(watched), store);
  const told = new Map(accessTables.map(({ name, read }) => [name as string, read]));
  const read = [...texts].flatMap((text) =>
    [...text.matchAll(/\b(?:from|join) (\w+)/g)].map((found) => found[1]!),
  );
  expect([...new Set(read)].filter((table) => !told.has(table))).toEqual([]);
  expect([...told.keys()].filter((table) => !read.includes(table))).toEqual([]);
});

it("does not say what is in the columns whose writes are not told", async () => {
  await using test = await openTestStore();
  const { store } = test;
  await writeEverything(store, (name, args) => store.write(everyAuthor, name, args));
  const reads = accessByReads(store);
  const before = await answersOf(reads, store);
  const changed = new Set<string>();
  for (const { name, read } of accessTables)
    for (const column of Object.keys(schema[name]).filter((one) => !read.includes(one))) {
      const [row] = await store.all<{ value: unknown }>(
        `select ${column} as value from ${name} where ${column} is not null limit 1`,
      );
      const isText = typeof row?.value === "string";
      const other = isText ? `${column} || ' '` : `${column} + 4711`;
      const former = isText ? `substr(${column}, 1, length(${column}) - 1)` : `${column} - 4711`;
      await changeRows(store.place, `update ${name} set ${column} = ${other} where ${column} is not null`);
      expect(await answersOf(reads, store), `${name}.${column}`).toEqual(before);
      await changeRows(store.place, `update ${name} set ${column} = ${former} where ${column} is not null`);
      if (row !== undefined) changed.add(`${name}.${column}`);
    }
  expect(changed.size).toBeGreaterThan(15);
});

it("asks the store once for each question, until it changes", async () => {
  // However long the machine takes, two seconds have not passed.
  await using test = await openTestStore({ steadyNow: () => 0 });
  const { store } = test;
  const change = await accessChanger(store, randomSource(1));
  for (let count = 0; count < 10; count++) await change();
  let reads = 0;
  const counted = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "all" || name === "get" || name === "column") reads++;
        return member.apply(target, args) as unknown;
      };
    },
  });
  const image = createAccess(counted);
  await answersOf(image, store);
  expect(reads).toBeGreaterThan(10);
  reads = 0;
  await answersOf(image, store);
  expect(reads).toBe(0);
  // Mail that comes in changes counters of the owner and of the account, and no access.
  const [first] = await store.all<{ agent: AgentNumber }>(
    "select min(agent_id) as agent from agent where state <> 'deleted'",
  );
  await store.write(nobody, "createMailbox", { agent: first!.agent, name: "Another", at: 0 });
  await answersOf(image, store);
  expect(reads).toBe(0);
});
