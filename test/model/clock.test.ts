/** Waits that end although the clock was set back: logins, tokens and limits of sending have theirs in their own tests. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createLocks } from "#/protocols/dav/locks/locks.ts";
import { createHostBackoff } from "#/protocols/delivery/host-backoff.ts";
import { createGivenMarks } from "#/protocols/json/carriage/given-marks.ts";
import { afterFailure, unfailed, waitOf } from "#/src/feed/retries.ts";
import { leftUntil } from "#/src/model/clock.ts";
import { locksOfLoginMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";

const dayMs = 86_400_000;

test.each([
  [5, 0],
  [10, 0],
  [15, 5],
  [20, 10],
  [60_020, 60_010],
  [60_021, 0],
])("of a wait until %i at 10, of 10 at most, %i are left", (at, left) => {
  expect(leftUntil(at, 10, 10)).toBe(left);
});

const lock = (href: string) => ({
  href,
  isShared: true,
  isDeep: false,
  owner: undefined,
  login: 1 as AgentNumber,
  timeoutMs: 600_000,
});

function isRefused(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

/** What begins a wait now, and says whether it goes on. */
const waits: Readonly<Record<string, (clock: { now(): number }) => () => boolean>> = {
  "an address that could not be reached": (clock) => {
    const backoff = createHostBackoff(clock);
    for (let count = 0; count < 12; count++) backoff.noteFailure("192.0.2.1");
    return () => backoff.isResting("192.0.2.1");
  },
  "a lock": (clock) => {
    const locks = createLocks(clock)((href) => href);
    locks.add(lock("/a"));
    return () => locks.listOn("/a").length > 0;
  },
  "a login with as many locks as it may have": (clock) => {
    const locks = createLocks(clock)((href) => href);
    for (let count = 0; count < locksOfLoginMax; count++) locks.add(lock(`/a/${count}`));
    return () => isRefused(() => locks.add(lock("/b")));
  },
  "a text with a mark that was given": (clock) => {
    const marks = createGivenMarks(clock);
    const mark = marks.give();
    return () => isRefused(() => marks.assertNoneIn(mark));
  },
  "a webhook or push that failed": (clock) => {
    const standing = afterFailure(
      { ...unfailed, failureCount: 100 },
      { status: 503, error: "503" },
      clock.now(),
    );
    return () => waitOf(standing, clock.now()) > 0;
  },
};

test.each(Object.keys(waits))("%s waits, and no longer when the clock was set back by a day", (name) => {
  let now = 10 * dayMs;
  const isWaiting = waits[name]!({ now: () => now });
  expect(isWaiting()).toBe(true);
  // As clocks are that are kept right.
  now -= 1000;
  expect(isWaiting()).toBe(true);
  now -= dayMs;
  expect(isWaiting()).toBe(false);
});

const reasons = {
  asks: "asks `leftUntil`",
  steady: "by a clock that nobody sets",
  bounded: "no later than a window from now, whatever stands there, by its own test",
  hurried: "what is too far ahead is set to now (`hurryQueue`)",
  ends: "an end, until which somebody has more than otherwise: nobody waits for it",
  border: "no time that is kept",
} as const;

/** Every file that adds to the time that it is now, and why a clock that is set back later makes nobody wait for as long as it was ahead. */
const sums: Readonly<Record<string, keyof typeof reasons>> = {
  "protocols/connection/stranger-lines.ts": "steady",
  "protocols/dav/locks/locks.ts": "asks",
  "protocols/delivery/host-backoff.ts": "asks",
  "protocols/delivery/mta-sts.ts": "asks",
  "protocols/delivery/settle.ts": "hurried",
  "protocols/json/carriage/given-marks.ts": "asks",
  "protocols/json/compose/send-at.ts": "border",
  "protocols/json/describe/collection.ts": "border",
  "protocols/json/idempotency.ts": "ends",
  "protocols/json/mcp/same-call.ts": "ends",
  "protocols/json/operations/send.ts": "ends",
  "src/accounts/administration/operator-door.ts": "ends",
  "src/accounts/administration/selectors.ts": "ends",
  "src/accounts/token-buckets.ts": "bounded",
  "src/collections/maintain-horizons.ts": "border",
  "src/daemon/acme/acme-runner.ts": "asks",
  "src/daemon/certificate.ts": "ends",
  "src/daemon/moving/archive/entry-import.ts": "ends",
  "src/daemon/moving/import-mail.ts": "ends",
  "src/evidence/dns.ts": "steady",
  "src/fairness/arrival-rate.ts": "steady",
  "src/feed/retries.ts": "asks",
  "src/mail/uploads.ts": "ends",
  "src/outbound/dkim/signer.ts": "asks",
  "src/outbound/holds/notice.ts": "asks",
  "src/outbound/queue.ts": "hurried",
  "src/outbound/scheduled.ts": "bounded",
  "src/render/threads/reading-memory.ts": "steady",
  "src/sign-in/agents-of-mine.ts": "ends",
  "src/sign-in/challenges.ts": "ends",
  "src/sign-in/collection-news.ts": "asks",
  "src/sign-in/collection-pushes.ts": "ends",
  "src/sign-in/own-export.ts": "ends",
  "src/sign-in/pushes.ts": "asks",
  "storage/objects/sweep-objects.ts": "ends",
  "storage/queries/outbound/holds.ts": "bounded",
  "storage/writing/mail/renew-positions.ts": "hurried",
};

test("every file that adds to the time says why nobody waits when the clock was set back", () => {
  const files = ["src", "protocols", "storage"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes("assets/"))
      .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(`${folder}/${name}`, "utf8") })),
  );
  const adding = files.filter(({ text }) => /(?<!performance\.)\bnow(?:\(\))?\s\+\s/.test(text));
  expect(adding.map(({ file }) => file).sort()).toEqual(Object.keys(sums).sort());
  const asking = adding.filter(({ text }) => /\b(?:leftUntil|waitOf)\(/.test(text));
  expect(asking.map(({ file }) => file).sort()).toEqual(
    Object.keys(sums)
      .filter((file) => sums[file] === "asks")
      .sort(),
  );
});
