/** The keys of references that the writer keeps in memory: none that has a row is missing, whatever was written and undone meanwhile. */
import { expect, inject, it } from "vitest";
import { domainKeys, nameKeys } from "#/src/model/likeness.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { NearKeys } from "#/storage/sqlite/near-keys.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { randomSource } from "../support/random.ts";

const owner = 7 as AgentNumber;

interface House extends TestDatabase {
  readonly near: NearKeys;
  /** A card that a person has vouched for. */
  addCard(keys: readonly string[], agent?: AgentNumber): number;
  /** Of as many domains. */
  addCards(count: number, agent?: AgentNumber): void;
  removeCard(item: number): void;
}

async function openHouse(octetsMax?: number): Promise<House> {
  const test = await openTestDatabase();
  const { database } = test;
  const insert = database.prepare("insert into item_address values (?, ?, ?, 1)");
  const remove = database.prepare("delete from item_address where item_id = ?");
  let last = 0;
  const addCard = (keys: readonly string[], agent = owner): number => {
    const item = ++last;
    for (const key of keys) insert.run(agent, item, key);
    return item;
  };
  return {
    ...test,
    near: new NearKeys(database, test.tx, octetsMax),
    addCard,
    addCards: database.transaction((count: number, agent?: AgentNumber) => {
      for (let card = 0; card < count; card++)
        addCard(keysOf(`Ada Number${card}`, `house-${card}.example`), agent);
    }),
    removeCard: (item) => void remove.run(item),
  };
}

const keysOf = (name: string, domain: string): string[] => [...nameKeys(name), ...domainKeys(domain)];
const settle = async ({ near }: House, agent = owner, questions = 400): Promise<void> => {
  for (let count = 0; count < questions; count++) await near.among(agent, []);
  near.committed();
};

it("tells keys that have no row, once the rows have been read", async () => {
  using house = await openHouse();
  house.addCards(500);
  const stranger = Array.from({ length: 200 }, (_, at) =>
    keysOf(`Mel ${at}tterburn`, `stationers-${at}.test`),
  );
  const asked = stranger.flat();
  expect(await house.near.among(owner, asked)).toEqual(asked);
  await settle(house);
  const left = await house.near.among(owner, asked);
  expect(left.length / asked.length).toBeLessThan(0.05);
  const known = keysOf("Ada Number499", "house-499.example");
  expect(await house.near.among(owner, known)).toEqual(known);
  // Those of another mailbox are none of it.
  const other = 8 as AgentNumber;
  await settle(house, other);
  expect(await house.near.among(other, known)).toEqual([]);
});

it("is filled although one batch in three is undone, or a job of each batch", async () => {
  const absent = Array.from({ length: 200 }, (_, at) => domainKeys(`stationers-${at}.test`)).flat();
  for (const isCareful of [false, true]) {
    using house = await openHouse();
    const { database, near } = house;
    house.addCards(500);
    for (let batch = 0; batch < 90; batch++) {
      database.exec("begin");
      near.saved();
      await near.among(owner, []);
      if (isCareful) {
        near.saved();
        await near.among(owner, []);
        near.jobUndone();
      }
      const isUndone = !isCareful && batch % 3 === 2;
      database.exec(isUndone ? "rollback" : "commit");
      if (isUndone) near.undone();
      else near.committed();
    }
    expect((await near.among(owner, absent)).length / absent.length).toBeLessThan(0.05);
  }
});

it("leaves out no key that has a row, whatever is written and undone between", async () => {
  using house = await openHouse();
  const random = randomSource(inject("seed"));
  const { database, near } = house;
  const cards = new Map<number, string[]>();
  let cardsMost = 0;
  for (let turn = 0; turn < 300; turn++) {
    const before = new Map(cards);
    let beforeJob = before;
    const goBack = (to: ReadonlyMap<number, string[]>): void => {
      cards.clear();
      for (const [item, keys] of to) cards.set(item, keys);
    };
    database.exec("begin; savepoint job");
    near.saved();
    for (let step = random.below(9); step > 0; step--) {
      if (random.below(3) === 0) {
        if (random.below(2) === 0) {
          database.exec("rollback to job");
          near.jobUndone();
          goBack(beforeJob);
        }
        database.exec("release job; savepoint job");
        near.saved();
        beforeJob = new Map(cards);
      }
      const [some] = [...cards.keys()].slice(random.below(cards.size + 1));
      if (random.below(3) === 0 && some !== undefined) {
        house.removeCard(some);
        cards.delete(some);
      } else if (random.below(2) === 0) await near.among(owner, []);
      else {
        const keys = keysOf(`Ada ${random.below(1e6)}`, `house-${random.below(1e6)}.example`);
        cards.set(house.addCard(keys), keys);
      }
    }
    if (random.below(2) === 0) {
      database.exec("commit");
      near.committed();
    } else {
      database.exec("rollback");
      near.undone();
      goBack(before);
    }
    const there = [...cards.values()].flat();
    expect(await near.among(owner, there)).toEqual(there);
    near.committed();
    cardsMost = Math.max(cardsMost, cards.size);
  }
  expect(cardsMost).toBeGreaterThan(0);
});

it("keeps no more octets than it may, of the mailboxes that were asked for last", async () => {
  const octetsMax = 16 * 1024;
  using house = await openHouse(octetsMax);
  const agents = Array.from({ length: 40 }, (_, at) => (at + 1) as AgentNumber);
  const absent = keysOf("Mel Otterburn", "stationers-guild.test");
  for (const agent of agents) {
    house.addCard(keysOf("Ada", `house-${agent}.example`), agent);
    await settle(house, agent, 3);
    expect(house.near.octets).toBeLessThanOrEqual(octetsMax);
  }
  // A mailbox for which there is no room is searched, and has its place when it is asked for often.
  const last = agents.at(-1)!;
  await settle(house, last, 100);
  expect(await house.near.among(last, absent)).toEqual([]);
  // So it is with one that has more cards than there is room for.
  house.addCards(1000, last);
  await settle(house, last, 200);
  expect(house.near.octets).toBeLessThanOrEqual(octetsMax);
  expect(await house.near.among(last, absent)).toEqual(absent);
});
