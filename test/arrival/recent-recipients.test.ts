import { expect, test } from "vitest";
import type { Resolution } from "#/src/accounts/accounts.ts";
import { rememberRecipients } from "#/src/arrival/recent-recipients.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";

function lookupOf(resolution: Resolution): { asked: () => number; resolve: () => Promise<Resolution> } {
  let count = 0;
  const lookup = rememberRecipients({
    async resolveRecipient() {
      count++;
      return resolution;
    },
  });
  return { asked: () => count, resolve: () => lookup.resolveRecipient("a@w.example") };
}

function mailbox(byteCount: number, quotaBytes: number | null): Resolution {
  const numbers = { account: 1 as AccountNumber, agent: 1 as AgentNumber };
  return { kind: "local", recipients: [{ ...numbers, address: "a@w.example", byteCount, quotaBytes }] };
}

test("looks an address up once when it is named again within moments", async () => {
  const lookup = lookupOf(mailbox(5, 10 * 1024 ** 3));
  expect(await lookup.resolve()).toBe(await lookup.resolve());
  expect(lookup.asked()).toBe(1);
});

for (const [name, resolution] of [
  ["a mailbox that is nearly full", mailbox(900, 1000)],
  ["an address that is not known", { kind: "unknown" }],
  ["a domain that is not ours", { kind: "remote" }],
] as const)
  test(`looks up ${name} each time`, async () => {
    const lookup = lookupOf(resolution);
    await lookup.resolve();
    await lookup.resolve();
    expect(lookup.asked()).toBe(2);
  });
