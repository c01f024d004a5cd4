/** The status of a sent invitation on the organizer's object, as the queue, reports and approvers change it. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { nobody } from "#/src/model/author.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import {
  createScheduleStatusUpdates,
  type ScheduleStatusUpdates,
} from "#/src/scheduling/outgoing/schedule-status-updates.ts";
import { createDirectSchedulers } from "#/src/scheduling/schedulers.ts";
import {
  calendarText,
  eventText,
  openSchedulingHouse,
  plain,
  type SchedulingHouse,
} from "./scheduling-house.ts";

let house: SchedulingHouse;
let updates: ScheduleStatusUpdates;
beforeEach(async () => {
  house = await openSchedulingHouse();
  const { collections, server } = house;
  updates = createScheduleStatusUpdates({
    store: server.store,
    collections,
    schedulers: createDirectSchedulers(),
  });
});
afterEach(() => house[Symbol.asyncDispose]());

const follow = () => updates.follow(house.ada.owner.agent, 0);
const statusOf = async (name: string) =>
  new RegExp(`SCHEDULE-STATUS=([\\d.]+)[^:\\n]*:mailto:${name}@`).exec((await house.ada.texts())[0]!)?.[1];

async function due(): Promise<readonly DueDelivery[]> {
  const { outbound, store } = house.server;
  return outbound.takeDue({ now: store.clock.now(), limit: 50, skipDomains: new Set([""]) });
}

async function report(delivery: DueDelivery, state: "relayed" | "failed", status: string): Promise<void> {
  const outcomes = delivery.recipients.map(({ number }) => ({ number, state, status }));
  await house.server.outbound.report(delivery, outcomes);
}

async function invite(people: string): Promise<void> {
  await house.ada.put(calendarText(eventText(`ada* ada=ACCEPTED ${people}`)));
}

describe("an invitation that left", () => {
  beforeEach(() => house.openPolicies());

  test.each([
    ["5.1.1", "3.7"],
    ["5.7.1", "5.1"],
    ["4.4.7", "5.1"],
  ])("and failed with %s has the status %s, with the same Schedule-Tag", async (code, status) => {
    await invite("mel@elsewhere.example bob");
    const [before] = await house.ada.items();
    await report((await due())[0]!, "failed", code);
    expect(await follow()).toBe(1);
    expect(await statusOf("mel")).toBe(status);
    expect(await statusOf("bob")).toBe("1.2");
    const [after] = await house.ada.items();
    expect(after!.scheduleTag).toBe(before!.scheduleTag);
    expect(await house.bob.texts("inbox")).toHaveLength(1);
  });

  test("changes the object once, however often the status is checked", async () => {
    await invite("mel@elsewhere.example");
    await report((await due())[0]!, "failed", "5.1.1");
    expect([await follow(), await follow()]).toEqual([1, 0]);
    const [before] = await house.ada.items();
    await follow();
    expect((await house.ada.items())[0]!.modseq).toBe(before!.modseq);
  });

  test("and was accepted by another server has the status 1.1, until that server reports a failure", async () => {
    await invite("mel@elsewhere.example");
    const [delivery] = await due();
    await report(delivery!, "relayed", "2.0.0");
    expect([await follow(), await statusOf("mel")]).toEqual([0, "1.1"]);
    const { agent, submission } = delivery!;
    const failed = { number: 1, state: "failed", status: "5.2.1", host: null, reply: null } as const;
    await house.server.store.write(nobody, "reportDelivery", {
      agent,
      submission,
      outcomes: [{ ...failed, nextAttemptAt: 0, isSuppressed: false }],
      isDelayTold: false,
      letters: [],
      breaker: null,
      at: house.server.store.clock.now(),
    });
    expect([await follow(), await statusOf("mel")]).toEqual([1, "5.1"]);
  });

  test("to a mailbox of another account has the status delivered, and a later answer stays", async () => {
    await invite("eve@second.example");
    await house.server.deliverQueued();
    expect([await follow(), await statusOf("eve")]).toEqual([1, "1.2"]);
    const [copy] = await house.eve.items();
    await house.eve.put(plain(copy!.bytes).replace(/NEEDS-ACTION(;RSVP=TRUE:mailto:eve)/, "ACCEPTED$1"), {
      item: copy!.number,
    });
    await house.server.deliverQueued();
    expect([await follow(), await statusOf("eve")]).toEqual([0, "2.0"]);
    expect(await updates.follow(house.eve.owner.agent, 0)).toBe(1);
    expect((await house.eve.texts())[0]).toContain("ORGANIZER;SCHEDULE-STATUS=1.2:mailto:ada@first.example");
  });

  test("that is sent again has the status of the last mail", async () => {
    await invite("mel@elsewhere.example");
    const [first] = await due();
    const [own] = await house.ada.items();
    await house.ada.put(plain(own!.bytes).replace("SUMMARY:Planning", "SUMMARY:Other"), {
      item: own!.number,
    });
    await report(first!, "failed", "5.1.1");
    expect([await follow(), await statusOf("mel")]).toEqual([0, "1.1"]);
  });

  test("from before a restart is followed after it", async () => {
    await invite("mel@elsewhere.example");
    await report((await due())[0]!, "failed", "5.1.1");
    const backlog = await updates.findBacklog();
    expect(backlog!.agents).toContain(house.ada.owner.agent);
    expect(await updates.follow(house.ada.owner.agent, backlog!.since)).toBe(1);
  });
});

describe("an invitation that waits for a person", () => {
  test("is found among many, of which few are read at once", async () => {
    const uids = Array.from({ length: 25 }, (_, n) => `meeting-${n}`);
    for (const uid of uids)
      await house.ada.put(calendarText(eventText("ada* mel@elsewhere.example", "", uid)));
    const { store } = house.server;
    const counts: number[] = [];
    const counting = new Proxy(store, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name, target);
        if (name !== "all") return typeof found === "function" ? found.bind(target) : found;
        return async (query: string, ...parameters: never[]) => {
          const rows = await target.all(query, ...parameters);
          if (query.includes("from hold")) counts.push(rows.length);
          return rows;
        };
      },
    });
    const { collections } = house.server;
    const schedulers = createDirectSchedulers();
    await createScheduleStatusUpdates({ store: counting, collections, schedulers }).follow(
      house.ada.owner.agent,
      0,
    );
    expect(counts).toEqual([10, 10, 5]);
  });

  async function decide(action: "approve" | "decline"): Promise<void> {
    const { store, accounts, settings, outbound, clock } = house.server;
    const holds = createHolds({ store, accounts, settings, outbound, prepare: prepareMessage });
    const [row] = await store.all<{ hold: number; modseq: number }>(
      "select hold_id as hold, modseq from hold",
    );
    const { agent, address } = house.ada.owner;
    const mia = await house.person("mia");
    await house.server.administer("agent.update", { owner: address, approver: mia.owner.address });
    const actor = { ...nobody, agent: mia.owner.agent, canApprove: true };
    await holds.decide({ agent, hold: row!.hold, version: String(row!.modseq), action, actor });
    clock.advance(60_000);
    while (await holds.runDue());
  }

  test("is refused when the person declines", async () => {
    await invite("mel@elsewhere.example");
    expect([await follow(), await statusOf("mel")]).toEqual([0, "1.0"]);
    await decide("decline");
    expect([await follow(), await statusOf("mel")]).toEqual([1, "3.8"]);
  });

  test("is sent when the person approves, and delivered or failed after that", async () => {
    await invite("mel@elsewhere.example");
    await decide("approve");
    expect([await follow(), await statusOf("mel")]).toEqual([1, "1.1"]);
    await report((await due())[0]!, "failed", "5.1.1");
    expect([await follow(), await statusOf("mel")]).toEqual([1, "3.7"]);
  });
});
