/** New DKIM keys for a domain. At every moment the DNS has the keys of mail that was signed. */

import { expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import type { AdministrationRooms } from "#/src/accounts/administration/operation.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { createSigner } from "#/src/outbound/dkim/signer.ts";
import { openTestStore } from "../support/store.ts";

const dayMs = 86_400_000;
const message = Buffer.from("From: a@ours.dev\r\nSubject: x\r\n\r\nx\r\n");

async function open() {
  const opened = await openTestStore();
  const { store, clock } = opened;
  let unpublished: string[] = [];
  const rooms: AdministrationRooms = {
    store,
    settings: defaultSettings(),
    domainChecks: {
      check: async () => ({ ok: true }),
      listSecureRecords: async () => [],
      findUnpublished: async () => unpublished,
    },
  };
  const run = (name: string, input: object) => administer(atCommandLine, rooms, name, input);
  await run("account.create", { name: "main" });
  await run("domain.add", { name: "ours.dev" });
  const signer = createSigner(store);
  return {
    ...opened,
    clock,
    run,
    rotate: (more: object = {}) => run("domain.rotate-keys", { name: "ours.dev", ...more }),
    lack(names: string[]) {
      unpublished = names;
    },
    /** Selectors that a mail is signed with, once what was known of keys is forgotten. */
    async selectors() {
      clock.advance(61_000);
      const signatures = await signer.sign(message, "a@ours.dev");
      return [...signatures.matchAll(/ s=([^;]+);/g)].map(([, selector]) => selector!).sort();
    },
    async zone() {
      const { zone } = (await run("domain.zone", { name: "ours.dev" })) as { zone: string };
      return [...zone.matchAll(/^([\w-]+)\._domainkey/gm)].map(([, selector]) => selector!).sort();
    },
  };
}

test("new keys are in the zone before they sign, and the former keys stay in the zone after that", async () => {
  await using one = await open();
  const first = await one.selectors();
  expect(first).toHaveLength(2);
  const published = await one.rotate();
  expect(published).toMatchObject({ step: "published_next", records: [{ type: "TXT" }, { type: "TXT" }] });
  expect(await one.selectors()).toEqual(first);
  const all = await one.zone();
  expect(all).toHaveLength(4);
  one.lack(["x._domainkey.ours.dev"]);
  await expect(one.rotate()).rejects.toThrow(/The DNS does not have x\._domainkey\.ours\.dev yet/);
  expect(await one.selectors()).toEqual(first);
  one.lack([]);
  expect(await one.rotate()).toMatchObject({ step: "signing", records: [] });
  const second = await one.selectors();
  expect(second).toEqual(all.filter((selector) => !first.includes(selector)));
  expect(await one.zone()).toEqual(all);
});

test("new keys sign also when the clock was set back meanwhile", async () => {
  await using one = await open();
  const first = await one.selectors();
  await one.rotate();
  await one.rotate();
  one.clock.advance(-dayMs);
  const second = await one.selectors();
  expect(second).toHaveLength(2);
  expect(second.filter((selector) => first.includes(selector))).toEqual([]);
});

test("retired keys leave the zone after a week, and a later rotation deletes them", async () => {
  await using one = await open();
  const first = await one.selectors();
  await one.rotate();
  await one.rotate();
  one.clock.advance(7 * dayMs + 1);
  const second = await one.zone();
  expect(second).toHaveLength(2);
  expect(second.some((selector) => first.includes(selector))).toBe(false);
  await one.rotate();
  await one.rotate();
  const keys = await one.store.all<{ selector: string; state: string }>(
    "select selector, state from domain_key",
  );
  expect(keys.filter(({ selector }) => first.includes(selector))).toEqual([]);
  expect(keys.map(({ state }) => state).sort()).toEqual(["retired", "retired", "signing", "signing"]);
});

test("the DNS is not checked with unchecked, and a domain without keys is refused", async () => {
  await using one = await open();
  one.lack(["x"]);
  await one.rotate();
  expect(await one.rotate({ unchecked: "true" })).toMatchObject({ step: "signing" });
  await one.run("domain.add", { name: "ours.test" });
  await expect(one.run("domain.rotate-keys", { name: "ours.test" })).rejects.toThrow(/has no keys/);
});
