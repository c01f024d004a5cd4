import { beforeEach, expect, test } from "vitest";
import { createProvenPasswords, type ProvenPasswords } from "#/src/accounts/proven-passwords.ts";
import { deriveVerifier } from "#/src/accounts/scram.ts";
import { provenPasswordMs, provenPasswordsMax } from "#/src/model/limits.ts";
import { type FakeClock, fakeClock } from "#/test/support/clock.ts";

const typed = { password: "correct", salt: Buffer.alloc(16, 1), iterations: 2 };
let derivations: number;
let clock: FakeClock;
let proven: ProvenPasswords;

beforeEach(() => {
  derivations = 0;
  clock = fakeClock();
  proven = createProvenPasswords(clock, (...input) => {
    derivations++;
    return deriveVerifier(...input);
  });
});

async function prove(one = typed): Promise<Buffer> {
  const storedKey = await proven.storedKeyOf(one);
  proven.keep(one, storedKey);
  return storedKey;
}

test("a right password is derived once", async () => {
  const first = await prove();
  expect(await prove()).toEqual(first);
  expect(await prove()).toEqual((await deriveVerifier("correct", typed.salt, 2)).storedKey);
  expect(derivations).toBe(1);
});

test("a wrong password is derived each time and not kept", async () => {
  await proven.storedKeyOf(typed);
  await proven.storedKeyOf(typed);
  expect(derivations).toBe(2);
  expect(proven.size).toBe(0);
});

test.each([
  ["password", { ...typed, password: "other" }],
  ["salt", { ...typed, salt: Buffer.alloc(16, 2) }],
  ["number of iterations", { ...typed, iterations: 3 }],
  [
    "division between salt and password",
    { ...typed, salt: Buffer.from(typed.salt.subarray(0, 15)), password: "\u0001correct" },
  ],
])("another %s is derived for itself", async (_, other) => {
  await prove();
  expect(await prove(other)).toEqual(
    (await deriveVerifier(other.password, other.salt, other.iterations)).storedKey,
  );
  expect(derivations).toBe(2);
});

test("a password is derived again after its time, however often it was used", async () => {
  await prove();
  clock.advance(provenPasswordMs - 1);
  await prove();
  expect(derivations).toBe(1);
  clock.advance(1);
  await prove();
  expect(derivations).toBe(2);
});

test("a clock that is set back keeps no password longer", async () => {
  await prove();
  clock.advance(-1);
  await prove();
  expect(derivations).toBe(2);
});

test("a password that is dropped is derived again", async () => {
  await prove();
  proven.drop(typed);
  expect(proven.size).toBe(0);
  await prove();
  expect(derivations).toBe(2);
});

test("a limited number is kept, and the oldest is dropped first", async () => {
  const storedKey = await prove();
  for (let i = 0; i < provenPasswordsMax; i++) proven.keep({ ...typed, password: `${i}` }, storedKey);
  expect(proven.size).toBe(provenPasswordsMax);
  await prove();
  expect(derivations).toBe(2);
});

test("expired ones are dropped when another one is added", async () => {
  await prove();
  await prove({ ...typed, password: "other" });
  clock.advance(provenPasswordMs);
  await prove({ ...typed, password: "third" });
  expect(proven.size).toBe(1);
});
