import { afterEach, expect, it, vi } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { createAccounts, type Resolution } from "#/src/accounts/accounts.ts";
import { rememberRecipients } from "#/src/arrival/recent-recipients.ts";
import { nobody } from "#/src/model/author.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

afterEach(() => void vi.restoreAllMocks());

function lookupOf(resolution: Resolution) {
  const state = { asked: 0, hears: true, change: (): void => {} };
  const lookup = rememberRecipients(
    {
      async resolveRecipient() {
        state.asked++;
        return resolution;
      },
    },
    {
      onAccess(listener) {
        state.change = () => listener([]);
        return () => {};
      },
      hearsAccess: () => state.hears,
    },
  );
  return { state, resolve: () => lookup.resolveRecipient("a@w.example") };
}

function mailbox(byteCount: number, quotaBytes: number | null): Resolution {
  const numbers = { account: 1 as AccountNumber, agent: 1 as AgentNumber };
  return { kind: "local", recipients: [{ ...numbers, address: "a@w.example", byteCount, quotaBytes }] };
}

const roomy = mailbox(5, 10 * 1024 ** 3);

it("looks an address up once until access changes", async () => {
  const { state, resolve } = lookupOf(roomy);
  expect(await resolve()).toBe(await resolve());
  expect(state.asked).toBe(1);
  state.change();
  await resolve();
  expect(state.asked).toBe(2);
});

it("looks an address up again after some seconds", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const { state, resolve } = lookupOf(roomy);
  await resolve();
  now = 4999;
  await resolve();
  expect(state.asked).toBe(1);
  now = 5000;
  await resolve();
  expect(state.asked).toBe(2);
});

it("keeps nothing that was read while access changed", async () => {
  const { state, resolve } = lookupOf(roomy);
  const first = resolve();
  state.change();
  await first;
  await resolve();
  expect(state.asked).toBe(2);
});

it("looks an address up each time while changes of access are not heard", async () => {
  const { state, resolve } = lookupOf(roomy);
  await resolve();
  state.hears = false;
  await resolve();
  expect(state.asked).toBe(2);
});

it.each([
  ["a mailbox that is nearly full", mailbox(900, 1000)],
  ["an address that is not known", { kind: "unknown" }],
  ["a domain that is not ours", { kind: "remote" }],
] as const)("looks up %s each time", async (_, resolution) => {
  const { state, resolve } = lookupOf(resolution);
  await resolve();
  await resolve();
  expect(state.asked).toBe(2);
});

it("says what the rows say after each write of addresses, quotas and owners", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const mia = await seedAgent(store, "mia");
  const accounts = createAccounts(store, loadSettings());
  const lookup = rememberRecipients(accounts, store);
  const shared = { domain: "example.org", localPart: "office" };
  const says = async (): Promise<void> => {
    for (const name of ["ada", "mia", "office"])
      expect(await lookup.resolveRecipient(`${name}@example.org`)).toEqual(
        await accounts.resolveRecipient(`${name}@example.org`),
      );
  };
  await says();
  const changes = [
    () => store.write(nobody, "updateAgent", { agent: ada.agent, quotaBytes: 1000 }),
    () => store.write(nobody, "addAddress", { agent: mia.agent, ...shared, isPrimary: false, at: 1 }),
    () => store.write(nobody, "removeAddress", { agent: mia.agent, ...shared }),
    () => store.write(nobody, "deleteAgent", { agent: mia.agent }),
  ];
  for (const change of changes) {
    await change();
    await says();
  }
});
