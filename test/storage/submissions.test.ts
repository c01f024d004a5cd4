import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import {
  findNextDue,
  findSubmission,
  listDue,
  listDueScheduled,
  listRecipients,
} from "#/storage/queries/outbound/submissions.ts";
import type { Store } from "#/storage/store.ts";
import type { ReportedOutcome } from "#/storage/transactions/outbound/report-delivery.ts";
import { append, positionOf } from "../support/delivery.ts";
import { itOnSqlite, openTestStore, type Seed, seedAgent, testFacts } from "../support/store.ts";
import { envelopeTo, outcome, submission } from "../support/submission.ts";

const hourMs = 3_600_000;

async function eventsOf(store: Store, { agent }: Seed) {
  const rows = await store.all<{ event: string; data: string }>(
    "select event, data from change where agent_id = ? and event is not null order by modseq, ordinal",
    agent,
  );
  return rows.map(({ event, data }) => {
    const { recipient, outcome: told } = JSON.parse(data) as { recipient: string; outcome: { code: string } };
    return `${event} ${recipient} ${told.code}`;
  });
}

const blobCount = async (store: Store) =>
  (await store.get<{ count: number }>("select count(*) as count from blob"))!.count;

describe("submitMessage", () => {
  it("puts the message into Sent, read, and each recipient into the queue", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const ada = await seedAgent(store);
    const envelope = envelopeTo("mel@far.example", "kit@else.example");
    const made = await store.write(nobody, "submitMessage", await submission(store, ada, { envelope }));
    expect(made.state).toBe("queued");
    const entry = await store.get(
      `select mailbox.role, entry.flags from entry
      join mailbox on mailbox.agent_id = entry.agent_id and mailbox.mailbox_id = entry.mailbox_id
      where entry.agent_id = ? and message_id = ?`,
      ada.agent,
      made.message,
    );
    expect(entry).toEqual({ role: "sent", flags: 1 });
    const due = await listDue(store, {
      now: store.clock.now(),
      limit: 10,
      domain: undefined,
      after: undefined,
      daemon: "",
    });
    expect(due.map(({ domain }) => domain)).toEqual(["else.example", "far.example"]);
  });

  it("keeps the bytes until the last recipient has a final state, also after the copy in Sent is deleted", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const ada = await seedAgent(store);
    const envelope = envelopeTo("mel@far.example", "kit@else.example");
    const made = await store.write(nobody, "submitMessage", await submission(store, ada, { envelope }));
    for (const _ of ["to Trash", "for good"]) {
      const { modseq } = (await store.get<{ modseq: number }>(
        "select modseq from entry where agent_id = ? and message_id = ?",
        ada.agent,
        made.message,
      ))!;
      await store.write(nobody, "deleteMessage", {
        actor: nobody,
        agent: ada.agent,
        message: made.message,
        version: String(modseq),
        at: store.clock.now(),
      });
    }
    const report = (outcomes: ReportedOutcome[]) =>
      store.write(nobody, "reportDelivery", {
        agent: ada.agent,
        submission: made.submission!,
        outcomes,
        isDelayTold: false,
        letters: [],
        breaker: null,
        at: store.clock.now(),
      });
    expect((await report([outcome(1, "relayed")])).isClosed).toBe(false);
    expect(await blobCount(store)).toBe(1);
    expect((await report([outcome(2, "failed", "5.1.1")])).isClosed).toBe(true);
    expect(await blobCount(store)).toBe(0);
    expect((await findSubmission(store, ada.agent, made.submission!))?.closedAt).toBe(store.clock.now());
  });

  it("gives a submission without a copy its own number, and makes no event for it", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const ada = await seedAgent(store);
    const args = await submission(store, ada, { hasCopy: false });
    const first = await store.write(nobody, "submitMessage", args);
    const second = await store.write(
      nobody,
      "submitMessage",
      await submission(store, ada, { hasCopy: false }),
    );
    expect([first.message, second.message]).toEqual([0, 0]);
    expect(second.submission).toBeGreaterThan(first.submission!);
    expect(await positionOf(store, ada)).toBe(second.modseq);
    await store.write(nobody, "reportDelivery", {
      agent: ada.agent,
      submission: first.submission!,
      outcomes: [outcome(1, "relayed")],
      isDelayTold: false,
      letters: [],
      breaker: null,
      at: store.clock.now(),
    });
    expect(await eventsOf(store, ada)).toEqual([]);
  });

  it("marks the answered message and the forwarded one", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const ada = await seedAgent(store);
    const { messages } = await append(store, ada, 2);
    const envelope = { ...envelopeTo("mel@far.example"), answers: messages[0]!, forwards: messages[1]! };
    await store.write(nobody, "submitMessage", await submission(store, ada, { envelope }));
    const rows = await store.all<{ flags: number }>(
      "select flags from entry where agent_id = ? and mailbox_id = ? order by uid",
      ada.agent,
      ada.inbox,
    );
    const forwarded = await store.get<{ number: number }>(
      "select keyword_number as number from keyword where agent_id = ? and name = '$Forwarded'",
      ada.agent,
    );
    expect(rows.map(({ flags }) => flags)).toEqual([2, 1 << (8 + forwarded!.number)]);
  });

  it("refuses a mailbox that is paused and one that is full", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const ada = await seedAgent(store);
    await store.write(nobody, "setAgentState", { agent: ada.agent, state: "paused", by: "operator", at: 0 });
    await expect(store.write(nobody, "submitMessage", await submission(store, ada))).rejects.toMatchObject({
      code: "paused",
    });
    const full = await seedAgent(store, "full", { quotaBytes: 10 });
    await expect(store.write(nobody, "submitMessage", await submission(store, full))).rejects.toMatchObject({
      code: "policy_refused",
      details: { reason: "over_quota" },
    });
    expect(await blobCount(store)).toBe(0);
  });

  it("waits for the time in send_at", async () => {
    await using opened = await openTestStore();
    const { store, clock } = opened;
    const ada = await seedAgent(store);
    const sendAt = clock.now() + hourMs;
    const made = await store.write(nobody, "submitMessage", await submission(store, ada, { sendAt }));
    expect(made.state).toBe("scheduled");
    const due = (now: number) => listDueScheduled(store, { now, limit: 10 });
    expect(await due(sendAt - 1)).toEqual([]);
    expect(await due(sendAt)).toMatchObject([{ submission: made.submission, leftModseq: null }]);
    expect(
      await listDue(store, { now: sendAt, limit: 10, domain: undefined, after: undefined, daemon: "" }),
    ).toEqual([]);
  });
});

describe("limits of sending", () => {
  it("answers the exact time of the next permitted mail, for the hour and the day, also after a restart", async () => {
    await using opened = await openTestStore();
    const { clock } = opened;
    const ada = await seedAgent(opened.store);
    const limits = { perHour: 3, perDay: 5 };
    const send = async () =>
      opened.store.write(nobody, "submitMessage", await submission(opened.store, ada, { limits }));
    const waitOf = async () =>
      send().then(
        () => 0,
        (error: { code: string; details: { retryAfterMs: number } }) => {
          expect(error.code).toBe("rate_limited");
          return error.details.retryAfterMs;
        },
      );
    for (let minute = 0; minute < 3; minute++) {
      await send();
      clock.advance(60_000);
    }
    expect(await waitOf()).toBe(hourMs - 3 * 60_000);
    await opened.reopen();
    expect(await waitOf()).toBe(hourMs - 3 * 60_000);
    clock.advance(hourMs - 3 * 60_000 - 1);
    expect(await waitOf()).toBe(1);
    clock.advance(1);
    expect(await waitOf()).toBe(0);
    clock.advance(60_000);
    expect(await waitOf()).toBe(0);
    // Five in the day: now the day counts.
    clock.advance(hourMs);
    expect(await waitOf()).toBe(24 * hourMs - 2 * hourMs - 60_000);
    clock.advance(22 * hourMs - 60_000);
    expect(await waitOf()).toBe(0);
  });

  it("lets one mail go when the clock was set back, and counts the others from then on", async () => {
    await using opened = await openTestStore();
    const { store, clock } = opened;
    const ada = await seedAgent(store);
    const limits = { perHour: 2, perDay: 0 };
    const waitOf = async () =>
      store.write(nobody, "submitMessage", await submission(store, ada, { limits })).then(
        () => 0,
        (error: { details: { retryAfterMs: number } }) => error.details.retryAfterMs,
      );
    const waits = async () => [await waitOf(), await waitOf(), await waitOf()];
    expect(await waits()).toEqual([0, 0, hourMs]);
    // As far as writes at once and several daemons differ, nothing is let go.
    clock.advance(-5 * 60_000);
    expect(await waits()).toEqual([hourMs, hourMs, hourMs]);
    for (const back of [50 * 60_000, 240 * hourMs]) {
      clock.advance(-back);
      expect(await waits()).toEqual([0, hourMs, hourMs]);
      clock.advance(hourMs - 1);
      expect(await waitOf()).toBe(1);
      clock.advance(1);
      expect(await waits()).toEqual([0, 0, hourMs]);
    }
    expect(await store.all("select 1 from send_time where sent_at > ?", clock.now())).toEqual([]);
  });

  it("does not count refused mail", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const ada = await seedAgent(store);
    const limits = { perHour: 1, perDay: 1 };
    const draft = { draft: 999, version: "1" };
    await expect(
      store.write(nobody, "submitMessage", await submission(store, ada, { limits, draft })),
    ).rejects.toMatchObject({ code: "not_found" });
    await store.write(nobody, "submitMessage", await submission(store, ada, { limits }));
  });

  it("deletes times of sending that no limit needs", async () => {
    await using opened = await openTestStore();
    const { store, clock } = opened;
    const ada = await seedAgent(store);
    const limits = { perHour: 100, perDay: 100 };
    for (let count = 0; count < 5; count++)
      await store.write(nobody, "submitMessage", await submission(store, ada, { limits, hasCopy: false }));
    clock.advance(25 * hourMs);
    await store.write(nobody, "submitMessage", await submission(store, ada, { limits, hasCopy: false }));
    expect(await store.all("select send_number as number from send_time")).toEqual([{ number: 6 }]);
  });
});

describe("reportDelivery", () => {
  async function sent(store: Store, ...addresses: string[]) {
    const ada = await seedAgent(store);
    const envelope = envelopeTo(...addresses);
    const made = await store.write(nobody, "submitMessage", await submission(store, ada, { envelope }));
    const report = (outcomes: ReportedOutcome[], isDelayTold = false) =>
      store.write(nobody, "reportDelivery", {
        agent: ada.agent,
        submission: made.submission!,
        outcomes,
        isDelayTold,
        letters: [],
        breaker: null,
        at: store.clock.now(),
      });
    const states = async () =>
      (await listRecipients(store, ada.agent, made.submission!)).map(({ state }) => state);
    return { ada, made, report, states };
  }

  it("makes events for each recipient: its acceptance, its failure, and its delay once", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const { ada, report, states } = await sent(store, "a@x.example", "b@x.example", "c@y.example");
    await report([outcome(1, "deferred", "4.2.1")], true);
    await report([outcome(1, "deferred", "4.2.1")], true);
    await report([outcome(3, "deferred", "4.4.1")], true);
    await report([outcome(1, "relayed"), outcome(2, "failed", "5.1.1")]);
    await report([outcome(3, "relayed")]);
    expect(await eventsOf(store, ada)).toEqual([
      "mail.delayed a@x.example 4.2.1",
      "mail.delayed c@y.example 4.4.1",
      "mail.sent a@x.example 2.0.0",
      "mail.bounced b@x.example 5.1.1",
      "mail.sent c@y.example 2.0.0",
    ]);
    expect(await states()).toEqual(["relayed", "failed", "relayed"]);
  });

  it("accepts a later report about a relayed recipient, and ignores one about a final state", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const { ada, report, states } = await sent(store, "a@x.example", "b@x.example");
    await report([outcome(1, "relayed"), outcome(2, "relayed")]);
    await report([outcome(1, "delivered", "2.1.5"), outcome(2, "failed", "5.2.2")]);
    await report([outcome(1, "failed", "5.0.0"), outcome(2, "relayed")]);
    expect(await states()).toEqual(["delivered", "failed"]);
    expect(await eventsOf(store, ada)).toEqual([
      "mail.sent a@x.example 2.0.0",
      "mail.sent b@x.example 2.0.0",
      "mail.delivered a@x.example 2.1.5",
      "mail.bounced b@x.example 5.2.2",
    ]);
  });

  it("records domains and addresses that accepted mail, and addresses that do not exist", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const { report } = await sent(store, "a@x.example", "b@y.example");
    await report([outcome(1, "relayed"), { ...outcome(2, "failed", "5.1.1"), isSuppressed: true }]);
    expect(await store.column("select name from correspondent order by name")).toEqual([
      "a@x.example",
      "x.example",
    ]);
    expect(await store.all("select address from suppression")).toEqual([{ address: "b@y.example" }]);
  });

  it("stores a local copy with its outcome, and never twice", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const { ada, made } = await sent(store, "bob@example.org");
    const bob = await seedAgent(store, "bob");
    const at = store.clock.now();
    const args = {
      agent: ada.agent,
      submission: made.submission!,
      outcomes: [outcome(1, "delivered")],
      isDelayTold: false,
      letters: [
        {
          facts: await testFacts(),
          recipients: [
            {
              account: bob.account,
              agent: bob.agent,
              mailboxRole: "inbox" as const,
              trace: new Uint8Array(),
              flags: 0,
              provenance: "{}",
              isAuthenticated: true,
              source: "api",
            },
          ],
          internalDate: at,
          at,
        },
      ],
      breaker: null,
      at,
    };
    expect((await store.write(nobody, "reportDelivery", args)).deliveries).toHaveLength(1);
    await expect(store.write(nobody, "reportDelivery", args)).rejects.toMatchObject({
      code: "precondition_failed",
    });
    const { count } = (await store.get<{ count: number }>(
      "select count(*) as count from entry where agent_id = ?",
      bob.agent,
    ))!;
    expect(count).toBe(1);
  });
});

itOnSqlite("waits an hour in a copy that is put back, as it may have left since", async () => {
  await using opened = await openTestStore();
  const { store, clock } = opened;
  // A copy is made new by the time of the system.
  clock.set(Date.now());
  const ada = await seedAgent(store);
  const sendAt = clock.now() + 24 * hourMs;
  await store.write(nobody, "submitMessage", await submission(store, ada));
  await store.write(nobody, "submitMessage", await submission(store, ada, { sendAt }));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-copy-"));
  await store.backup(path.join(folder, "waypost.db"));
  await using copy = await openTestStore({ folder });
  const rows = await copy.store.all<{ at: number }>(
    "select next_attempt_at as at from submission_recipient order by next_attempt_at",
  );
  expect(rows[0]!.at).toBeGreaterThanOrEqual(clock.now() + hourMs);
  expect(rows[0]!.at).toBeLessThan(sendAt);
  expect(rows[1]!.at).toBe(sendAt);
});

it("sets to now what is queued for later than a time, some at once, and leaves what is scheduled", async () => {
  await using opened = await openTestStore();
  const { store, clock } = opened;
  const ada = await seedAgent(store);
  const now = clock.now();
  const envelope = envelopeTo("a@x.example", "b@x.example", "c@y.example", "d@z.example");
  const queued = await store.write(nobody, "submitMessage", await submission(store, ada, { envelope }));
  const sendAt = now + 1000 * hourMs;
  await store.write(nobody, "submitMessage", await submission(store, ada, { sendAt }));
  const outcomes = [1, 2, 3, 4].map((number) => ({
    ...outcome(number, "deferred", "4.4.1"),
    nextAttemptAt: now + (number === 4 ? 1 : 48) * hourMs,
  }));
  await store.write(nobody, "reportDelivery", {
    agent: ada.agent,
    submission: queued.submission!,
    outcomes,
    isDelayTold: false,
    letters: [],
    breaker: null,
    at: now,
  });
  const times = { now, after: now + 3 * hourMs };
  expect(await findNextDue(store, times)).toEqual({ next: now + hourMs, isSetAhead: true });
  const counts = [];
  for (let count = 0; count < 3; count++)
    counts.push(await store.write(nobody, "hurryQueue", { after: times.after, at: now, limit: 2 }));
  expect(counts).toEqual([{ count: 2 }, { count: 1 }, { count: 0 }]);
  expect(await findNextDue(store, times)).toEqual({ next: now + hourMs, isSetAhead: false });
  const kept = await store.all<{ at: number }>(
    "select next_attempt_at as at from submission_recipient order by next_attempt_at",
  );
  expect(kept.map(({ at }) => at)).toEqual([now, now, now, now + hourMs, sendAt]);
});

describe("what left long ago", () => {
  it("is deleted after its message, and an open submission never is", async () => {
    await using opened = await openTestStore();
    const { store, clock } = opened;
    const ada = await seedAgent(store);
    const open = await store.write(nobody, "submitMessage", await submission(store, ada));
    const closed = await store.write(nobody, "submitMessage", await submission(store, ada));
    await store.write(nobody, "reportDelivery", {
      agent: ada.agent,
      submission: closed.submission!,
      outcomes: [outcome(1, "relayed")],
      isDelayTold: false,
      letters: [],
      breaker: null,
      at: clock.now(),
    });
    const longAfter = async () => {
      clock.advance(91 * 24 * hourMs);
      await store.maintain({ changesMs: 90 * 24 * hourMs });
      const left = await store.all<{ submission: number }>(
        "select submission_id as submission from submission order by submission_id",
      );
      return left.map((row) => row.submission);
    };
    expect(await longAfter()).toEqual([open.submission, closed.submission]);
    expect(await longAfter()).toEqual([open.submission, closed.submission]);
    expect(await listRecipients(store, ada.agent, closed.submission!)).toMatchObject([
      { state: "relayed", status: "2.0.0", reply: null },
    ]);
    for (const _ of ["to Trash", "for good"]) {
      const { modseq } = (await store.get<{ modseq: number }>(
        "select modseq from entry where agent_id = ? and message_id = ?",
        ada.agent,
        closed.message,
      ))!;
      const version = String(modseq);
      const { message } = closed;
      await store.write(nobody, "deleteMessage", {
        actor: nobody,
        agent: ada.agent,
        message,
        version,
        at: clock.now(),
      });
    }
    expect(await longAfter()).toEqual([open.submission]);
  });

  it("is deleted with its agent, and frees its bytes", async () => {
    await using opened = await openTestStore();
    const { store } = opened;
    const ada = await seedAgent(store);
    await store.write(nobody, "submitMessage", await submission(store, ada));
    await store.write(nobody, "submitMessage", await submission(store, ada, { hasCopy: false }));
    await store.write(nobody, "deleteAgent", { agent: ada.agent });
    await opened.reopen();
    await expect.poll(() => blobCount(opened.store)).toBe(0);
    expect(
      await opened.store.all("select 1 from submission union all select 1 from submission_recipient"),
    ).toEqual([]);
  });
});
