/** What it takes to look up whom an author may be taken for, as each mail that comes in does: statements, keys and rows, however many references
 *  there are. Each key that is asked for is one search of an index. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { domainKeys, localKeys, nameKeys } from "#/src/model/likeness.ts";
import { type Likeness, openLikeness } from "../support/likeness.ts";

let mailbox: Likeness;
beforeAll(async () => {
  mailbox = await openLikeness();
});
afterAll(() => mailbox[Symbol.asyncDispose]());

const stranger = { name: "Mel Otterburn", address: "mel.otterburn@stationers-guild.example" };
const asked = () => ({
  statements: mailbox.asked.length,
  keys: mailbox.asked.slice(1).flatMap(({ keys }) => keys),
  rows: mailbox.asked.reduce((sum, { rows }) => sum + rows, 0),
});
const twice = (keys: readonly string[]): string[] => [...keys, ...keys];
const names = nameKeys(stranger.name);

it("asks for a stranger's name alone where nobody is known: among mailboxes", async () => {
  expect(await mailbox.likeOf(stranger)).toEqual([]);
  expect(asked()).toMatchObject({ statements: 2, keys: names });
});

it.each([5, 40])("asks the same for a stranger with some more cards: %i", async (count) => {
  for (let card = 0; card < count; card++)
    await mailbox.addCard({ name: `Kim Number${count}${card}`, address: `kim${card}@house${count}.example` });
  expect(await mailbox.likeOf(stranger)).toEqual([]);
  const domains = domainKeys("stationers-guild.example");
  // The domain among cards and addresses that were written to, the name among cards and mailboxes, and the local part nowhere.
  const { statements, keys, rows } = asked();
  expect([statements, keys.toSorted()]).toEqual([2, [...twice(names), ...twice(domains)].toSorted()]);
  // One says that there are references, one is the domain of the account.
  expect(rows).toBe(2);
});

it("asks for the local part, and not for the domain, where somebody of the domain is known", async () => {
  await mailbox.addCard({ name: "Mel", address: "mel.ottesburn@stationers-guild.example" });
  expect(await mailbox.likeOf(stranger)).toMatchObject([{ by: "address" }]);
  const locals = localKeys(stranger.address);
  expect(asked().keys.toSorted()).toEqual([...twice(names), ...twice(locals), ...locals].toSorted());
});
