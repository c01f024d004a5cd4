/** A changed name of the server ends passkeys, and the start says how many. */
import { pino } from "pino";
import { expect, test } from "vitest";
import { tellEndedPasskeys } from "#/src/daemon/ended-passkeys.ts";
import { nobody, server } from "#/src/model/author.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

const settingsOf = (publicUrl: string) =>
  ({ server: { publicUrl }, http: { enabled: true, port: 8080 } }) as never;

test("says at the start how many passkeys a changed name ends: of people and of operators", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const at = store.clock.now();
  const { agent } = await seedAgent(store, "mia", { kind: "person" });
  const passkeyOf = (number: number) => ({
    credential: new Uint8Array(16).fill(number),
    publicKey: new Uint8Array(77),
    signCount: 0,
    transports: [],
    host: "old.example.org",
    name: "Phone",
    challenge: { nonce: new Uint8Array(16).fill(number), expiresAt: at + 1 },
  });
  await store.write(nobody, "addPasskey", { agent, passkey: passkeyOf(1), at });
  const hash = new Uint8Array(32);
  const link = { name: "jonas", hash, linkExpiresAt: at + 1, scopes: ["read"], expiresAt: at + 1, at };
  await store.write(server, "createOperatorLink", link);
  const session = { hash, device: "Phone", network: "loopback", proof: "invitation" } as const;
  await store.write(server, "useOperatorLink", { hash, session, passkey: passkeyOf(2), at });
  const lines: { passkeys?: number; host?: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  await tellEndedPasskeys({ settings: settingsOf("https://old.example.org"), store, log });
  expect(lines).toEqual([]);
  await tellEndedPasskeys({ settings: settingsOf("https://new.example.org"), store, log });
  expect(lines).toMatchObject([{ passkeys: 2, host: "new.example.org" }]);
});
