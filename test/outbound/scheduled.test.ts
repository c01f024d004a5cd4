/** Scheduled mail: where it is, how each protocol cancels it, and the answer when a cancel comes too late. */
import { describe, expect, it } from "vitest";
import { answeredFlag } from "#/src/model/flags.ts";
import { type HoldHouse, openHoldHouse } from "../holds/hold-house.ts";

const hourMs = 3_600_000;
const outside = "lee@elsewhere.example";

interface Scheduled {
  readonly ref: string;
  readonly version: string;
  readonly state: string;
  readonly send_at: string;
}

async function openHouse(): Promise<HoldHouse> {
  const house = await openHoldHouse();
  await house.administer("agent.update", { owner: house.robin.address, holdPolicy: "open" });
  return house;
}

async function schedule(house: HoldHouse, body = {}, more = {}): Promise<Scheduled> {
  const send_at = new Date(house.clock.now() + hourMs).toISOString();
  return { ...(await house.client.ok("send", mail(body, { send_at, ...more }))), send_at };
}

const mail = (body = {}, more = {}) => ({
  body: { to: [outside], subject: "Later", text: "Ten pieces.", ...body },
  ...more,
});

/** What leaves up to now: each is handed over. */
async function leave(house: HoldHouse): Promise<string[]> {
  const due = await house.outbound.takeDue({ now: house.clock.now(), limit: 100, skipDomains: new Set() });
  for (const delivery of due)
    await house.outbound.report(
      delivery,
      delivery.recipients.map(({ number }) => ({ number, state: "relayed", status: "2.0.0" })),
    );
  return due.flatMap(({ recipients }) => recipients.map(({ address }) => address));
}

const select = (who: "robin" | "kim", mailbox: string) => `
  S: * OK {{*}}
  C: a1 LOGIN {{=${who}}}
  S*: a1 OK {{*}}
  C: a2 SELECT ${mailbox}
  S*: a2 OK {{*}}`;
const selectScheduled = select("robin", "Scheduled");

describe("Scheduled", () => {
  it("is found, empty, before the first mail is in it, and nothing can be put into it", async () => {
    await using house = await openHouse();
    const { content } = await house.client.ok("search", { folder: "scheduled" });
    expect(content).toEqual({ items: [], total: 0 });
    expect(await house.client.ok("search", { folder: "scheduled", q: "pieces" })).toMatchObject({
      content: { items: [] },
    });
    const plain = await house.client.ok("send", mail({ to: [house.robin.address] }));
    const moved = await house.client.call("message.update", { id: plain.ref, folder: "scheduled" });
    expect(moved.body.error).toMatchObject({ code: "policy_refused", reason: "mailbox_is_reserved" });
  });

  it("has the mail until it leaves, with state, send_at, role and attribute", async () => {
    await using house = await openHouse();
    const sent = await schedule(house);
    expect(sent.state).toBe("scheduled");
    expect(await house.folder("sent")).toEqual([]);
    const { content } = await house.client.ok("search", { folder: "scheduled" });
    expect(content.items).toMatchObject([{ id: sent.ref, state: "scheduled", send_at: sent.send_at }]);
    const read = await house.client.ok("part.describe", { id: sent.ref });
    expect(read.content).toMatchObject({ state: "scheduled", send_at: sent.send_at });
    const folders = (await house.client.ok("part.describe", { id: house.robin.id })).content.folders;
    expect(folders.filter((one: { role?: string }) => one.role === "scheduled")).toHaveLength(1);
    await house.converse(`
      S: * OK {{*}}
      C: a1 LOGIN {{=robin}}
      S*: a1 OK {{*}}
      C: a2 LIST (SPECIAL-USE) "" "*" RETURN (SPECIAL-USE)
      S*: * LIST (\\HasNoChildren \\Scheduled) "/" "Scheduled"
      S*: a2 OK {{*}}`);
  });

  it("moves the mail to the queue and to Sent when its time comes, and clients see the move", async () => {
    await using house = await openHouse();
    const sent = await schedule(house);
    expect(await leave(house)).toEqual([]);
    await house.converse(
      `${selectScheduled}
      DO leave
      C: a3 NOOP
      S: * 1 EXPUNGE
      S*: a3 OK {{*}}
      C: a4 SELECT Sent
      S*: * 1 EXISTS
      S*: a4 OK {{*}}`,
      {
        actions: {
          async leave() {
            house.clock.advance(hourMs);
            expect(await leave(house)).toEqual([outside]);
          },
        },
      },
    );
    expect(await house.folder("sent")).toEqual([sent.ref]);
    expect((await house.client.ok("part.describe", { id: sent.ref })).content.send_at).toBeUndefined();
    expect((await house.events()).map(({ type }) => type)).toEqual(["mail.sent"]);
  });

  it("marks the answered message when the mail leaves, and not before", async () => {
    await using house = await openHouse();
    await house.client.ok("send", mail({ to: [house.robin.address] }));
    await house.deliverQueued();
    const [got] = await house.folder("inbox");
    await schedule(house, { in_reply_to: got });
    const isAnswered = async () => {
      const row = await house.store.get<{ flags: number }>(
        `select flags
        from entry join mailbox on mailbox.agent_id = entry.agent_id and mailbox.mailbox_id = entry.mailbox_id
        where role = 'inbox' and entry.agent_id = ?`,
        house.robin.agent,
      );
      return (row!.flags & answeredFlag) !== 0;
    };
    expect(await isAnswered()).toBe(false);
    house.clock.advance(hourMs);
    await leave(house);
    expect(await isAnswered()).toBe(true);
  });

  it("refuses mail that a client copies, moves or appends", async () => {
    await using house = await openHouse();
    const sent = await schedule(house);
    const plain = await house.client.ok("send", mail());
    await house.converse(`${select("robin", "Sent")}
      C: a3 COPY 1 Scheduled
      S: a3 NO [CANNOT] Only mail that was sent with a time to leave is in this mailbox.{{*}}
      C: a4 MOVE 1 Scheduled
      S: a4 NO [CANNOT] {{*}}
      C: a5 APPEND Scheduled {16+}
      C: Subject: x\\r\\n\\r\\ny
      S: a5 NO [CANNOT] {{*}}
      C: a6 DELETE Scheduled
      S: a6 NO [CANNOT] {{*}}
      C: a7 MYRIGHTS Scheduled
      S: * MYRIGHTS "Scheduled" lrswkxtecd
      S*: a7 OK {{*}}`);
    const moved = await house.client.call("message.update", { id: plain.ref, folder: "scheduled" });
    expect(moved.body.error).toMatchObject({ code: "policy_refused", reason: "mailbox_is_reserved" });
    expect(await house.folder("scheduled")).toEqual([sent.ref]);
  });

  it("gets mail that a person approved before its time", async () => {
    await using house = await openHoldHouse();
    const held = await schedule(house);
    const { hold } = held as unknown as { hold: string };
    await house.administer("hold.approve", { hold });
    await house.advance(20_000);
    expect(await house.folder("scheduled")).toEqual([held.ref]);
    expect(await leave(house)).toEqual([]);
    await house.advance(hourMs);
    expect(await leave(house)).toEqual([outside]);
    expect(await house.folder("sent")).toEqual([held.ref]);
  });

  it("renames an older mailbox of the owner with that name", async () => {
    await using house = await openHouse();
    await house.client.ok("folder.create", { path: "Scheduled" });
    const sent = await schedule(house);
    expect(await house.folder("scheduled")).toEqual([sent.ref]);
  });
});

type Door = (house: HoldHouse, sent: Scheduled) => Promise<unknown>;
const imap = (commands: string, opening = selectScheduled): Door => {
  return (house) => house.converse(`${opening}\n${commands}`);
};

/** Title, what is done, where the message is then. */
const doors: readonly [string, Door, string][] = [
  [
    "message.delete",
    async (house, { ref, version }) =>
      expect(await house.client.ok("message.delete", { id: ref, version })).toMatchObject({
        state: "trashed",
        taken_back: true,
      }),
    "trash",
  ],
  [
    "message.update to a folder",
    async (house, { ref }) =>
      expect(await house.client.ok("message.update", { id: ref, folder: "drafts" })).toMatchObject({
        taken_back: true,
      }),
    "drafts",
  ],
  ["MOVE", imap("C: b1 MOVE 1 Drafts\nS*: b1 OK {{*}}"), "drafts"],
  ["UID MOVE", imap("C: b1 UID MOVE 1 Trash\nS*: b1 OK {{*}}"), "trash"],
  [
    "COPY, \\Deleted and EXPUNGE",
    imap(`C: b1 COPY 1 Archive
      S*: b1 OK {{*}}
      C: b2 STORE 1 +FLAGS.SILENT (\\Deleted)
      S*: b2 OK {{*}}
      C: b3 EXPUNGE
      S*: b3 OK {{*}}`),
    "archive",
  ],
  [
    "\\Deleted and UID EXPUNGE",
    imap(`C: b2 STORE 1 +FLAGS.SILENT (\\Deleted)
      S*: b2 OK {{*}}
      C: b3 UID EXPUNGE 1
      S*: b3 OK {{*}}`),
    "",
  ],
  [
    "\\Deleted and CLOSE",
    imap(`C: b2 STORE 1 +FLAGS.SILENT (\\Deleted)
      S*: b2 OK {{*}}
      C: b3 CLOSE
      S*: b3 OK {{*}}`),
    "",
  ],
  [
    "REPLACE into Drafts",
    imap(`C: b1 REPLACE 1 Drafts {16+}
      C: Subject: x\\r\\n\\r\\ny
      S*: b1 OK {{*}}`),
    "",
  ],
  [
    "MOVE by a login that has it by a grant",
    async (house) => {
      await house.administer("grant.create", {
        holder: house.kim.address,
        target: house.robin.address,
        scopes: ["mail"],
      });
      await house.converse(`${select("kim", '"Other Users/robin@ours.example/Scheduled"')}
        C: b1 MOVE 1 Trash
        S*: b1 OK {{*}}`);
    },
    "",
  ],
  [
    "queue cancel",
    async (house) => {
      const { mails } = (await house.administer("queue.list", {})) as { mails: { id: string }[] };
      const shown = await house.administer("queue.cancel", { id: mails[0]!.id });
      expect(shown).toMatchObject({ recipients: [{ state: "cancelled" }] });
    },
    "trash",
  ],
];

describe("taken back, it does not leave", () => {
  it.each(doors)("by %s", async (_title, action, folder) => {
    await using house = await openHouse();
    const sent = await schedule(house);
    await action(house, sent);
    expect(await house.folder("scheduled")).toEqual([]);
    if (folder !== "") expect(await house.folder(folder)).toEqual([sent.ref]);
    house.clock.advance(2 * hourMs);
    expect(await leave(house)).toEqual([]);
    expect(await house.folder("sent")).toEqual([]);
  });

  it("stays scheduled after a copy, other flags, or a move to the same mailbox", async () => {
    await using house = await openHouse();
    await schedule(house);
    await house.converse(`${selectScheduled}
      C: b1 COPY 1 Archive
      S*: b1 OK {{*}}
      C: b2 STORE 1 +FLAGS.SILENT (\\Flagged)
      S*: b2 OK {{*}}
      C: b3 MOVE 1 Scheduled
      S*: b3 OK {{*}}`);
    house.clock.advance(hourMs);
    expect(await leave(house)).toEqual([outside]);
  });

  it("becomes a draft in Drafts, which can be changed and sent, with its Bcc recipients", async () => {
    await using house = await openHouse();
    const sent = await schedule(house, { bcc: ["max@third.example"] });
    await house.client.ok("message.update", { id: sent.ref, folder: "drafts" });
    const { content } = await house.client.ok("part.describe", { id: sent.ref });
    const draft = await house.client.ok("part.describe", { id: content.draft_id });
    const again = await house.client.ok("send", { draft: content.draft_id, version: draft.version });
    expect(again.state).toBe("queued");
    expect((await leave(house)).sort()).toEqual([outside, "max@third.example"]);
  });

  it("answers a repeat of the send with the first result, and sends nothing", async () => {
    await using house = await openHouse();
    const sent = await schedule(house, {}, { idempotency_key: "once" });
    await house.client.ok("message.delete", { id: sent.ref, version: sent.version });
    const again = await schedule(house, {}, { idempotency_key: "once" });
    expect(again).toMatchObject({ ref: sent.ref, state: "scheduled", replayed: true });
    house.clock.advance(2 * hourMs);
    expect(await leave(house)).toEqual([]);
  });
});

it("does not leave while it has \\Deleted, and leaves when the flag is removed", async () => {
  await using house = await openHouse();
  await schedule(house);
  const store = (change: string) =>
    imap(`C: b1 STORE 1 ${change} (\\Deleted)\nS*: b1 OK {{*}}`)(house, never);
  await store("+FLAGS.SILENT");
  house.clock.advance(2 * hourMs);
  expect(await leave(house)).toEqual([]);
  expect(await house.outbound.nextDueAt()).toBeUndefined();
  await store("-FLAGS.SILENT");
  expect(await leave(house)).toEqual([outside]);
});
const never = { ref: "", version: "", state: "", send_at: "" };

describe("who comes too late is told already_sent", () => {
  const tooLate: readonly [string, (house: HoldHouse, sent: Scheduled) => Promise<unknown>][] = [
    [
      "message.delete",
      (house, { ref, version }) => house.client.call("message.delete", { id: ref, version }),
    ],
    [
      "message.update with the version",
      (house, { ref, version }) =>
        house.client.call("message.update", { id: ref, version, folder: "archive" }),
    ],
    [
      "message.update into Drafts",
      (house, { ref }) => house.client.call("message.update", { id: ref, folder: "drafts" }),
    ],
    [
      "message.update of its time",
      (house, { ref, version }) =>
        house.client.call("message.update", { id: ref, version, send_at: "2027-01-01T00:00:00Z" }),
    ],
  ];

  it.each(tooLate)("%s", async (_title, action) => {
    await using house = await openHouse();
    const sent = await schedule(house);
    house.clock.advance(hourMs);
    expect(await leave(house)).toEqual([outside]);
    expect(await action(house, sent)).toMatchObject({
      status: 422,
      body: { error: { code: "policy_refused", reason: "already_sent" } },
    });
    expect(await house.folder("sent")).toEqual([sent.ref]);
  });

  it.each(["MOVE 1 Trash", "UID MOVE 1 Trash", "COPY 1 Drafts", "UID EXPUNGE 1"])("%s", async (command) => {
    await using house = await openHouse();
    await schedule(house);
    await house.converse(
      `${selectScheduled}
      DO leave
      C: a3 ${command}
      S: a3 NO [EXPUNGEISSUED] The mail has left already.{{*}}`,
      {
        actions: {
          async leave() {
            house.clock.advance(hourMs);
            await leave(house);
          },
        },
      },
    );
  });

  it("queue cancel", async () => {
    await using house = await openHouse();
    await schedule(house);
    const { mails } = (await house.administer("queue.list", {})) as { mails: { id: string }[] };
    house.clock.advance(hourMs);
    await leave(house);
    await expect(house.administer("queue.cancel", { id: mails[0]!.id })).rejects.toThrow();
  });

  it("the copy in Sent can be deleted and moved like any other, with its current version", async () => {
    await using house = await openHouse();
    const { ref } = await schedule(house);
    house.clock.advance(hourMs);
    await leave(house);
    const { version } = await house.client.ok("part.describe", { id: ref });
    const moved = await house.client.ok("message.update", { id: ref, folder: "archive" });
    expect(moved.taken_back).toBeUndefined();
    expect(version).not.toBe(moved.version);
    const deleted = await house.client.ok("message.delete", { id: ref, version: moved.version });
    expect(deleted).toMatchObject({ state: "trashed" });
    expect(deleted.taken_back).toBeUndefined();
  });
});

describe("one of the two wins: leaving and taking back at the same moment", () => {
  it("mail that is taken back just before it leaves does not leave", async () => {
    await using house = await openHouse();
    const sent = await schedule(house);
    house.clock.advance(hourMs);
    house.beforeWrite("startScheduled", () =>
      house.client.ok("message.delete", { id: sent.ref, version: sent.version }),
    );
    expect(await leave(house)).toEqual([]);
    expect(await house.folder("trash")).toEqual([sent.ref]);
  });

  it("mail that is postponed just before it leaves leaves at its new time", async () => {
    await using house = await openHouse();
    const { ref, version } = await schedule(house);
    house.clock.advance(hourMs);
    const send_at = new Date(house.clock.now() + hourMs).toISOString();
    house.beforeWrite("startScheduled", async () => {
      house.beforeWrite("startScheduled", undefined);
      await house.client.ok("message.update", { id: ref, version, send_at });
    });
    expect(await leave(house)).toEqual([]);
    house.clock.advance(hourMs);
    expect(await leave(house)).toEqual([outside]);
  });

  it("mail that is postponed just before the rules refuse it stays scheduled", async () => {
    await using house = await openHouse();
    const { ref, version } = await schedule(house);
    await house.administer("agent.update", { owner: house.robin.address, block: ["elsewhere.example"] });
    house.clock.advance(hourMs);
    const send_at = new Date(house.clock.now() + hourMs).toISOString();
    house.beforeWrite("reportDelivery", async () => {
      house.beforeWrite("reportDelivery", undefined);
      await house.client.ok("message.update", { id: ref, version, send_at });
    });
    expect(await leave(house)).toEqual([]);
    expect(await house.folder("scheduled")).toEqual([ref]);
    const { content } = await house.client.ok("part.describe", { id: ref });
    expect(content.delivery).toMatchObject({ state: "scheduled", send_at });
  });

  it("at the same time, many times, the mail is either taken back or has left, and the answer says which", async () => {
    await using house = await openHouse();
    const outcomes = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const sent = await schedule(house);
      house.clock.advance(hourMs);
      const [left, answer] = await Promise.all([
        leave(house),
        house.client.call("message.delete", { id: sent.ref, version: sent.version }),
      ]);
      const isTakenBack = answer.status === 200;
      expect([left.length, isTakenBack || answer.body.error.reason]).toEqual(
        isTakenBack ? [0, true] : [1, "already_sent"],
      );
      outcomes.add(String(isTakenBack));
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });
});

describe("another time", () => {
  it("needs the version, and makes a new one", async () => {
    await using house = await openHouse();
    const { ref, version } = await schedule(house);
    const send_at = new Date(house.clock.now() + 3 * hourMs).toISOString();
    const changed = await house.client.ok("message.update", { id: ref, version, send_at });
    expect(changed.version).not.toBe(version);
    expect((await house.client.ok("part.describe", { id: ref })).content.send_at).toBe(send_at);
    const stale = await house.client.call("message.update", { id: ref, version, send_at });
    expect(stale).toMatchObject({
      status: 409,
      body: { error: { version: changed.version, current: { state: "scheduled", send_at } } },
    });
    house.clock.advance(2 * hourMs);
    expect(await leave(house)).toEqual([]);
    house.clock.advance(hourMs);
    expect(await leave(house)).toEqual([outside]);
  });

  it("in the past means now", async () => {
    await using house = await openHouse();
    const { ref, version } = await schedule(house);
    await house.client.ok("message.update", { id: ref, version, send_at: "2020-01-01T00:00:00Z" });
    expect(await leave(house)).toEqual([outside]);
  });

  it.each([
    ["of mail that is not scheduled", "/send_at", { send_at: "2026-12-31T00:00:00Z" }],
    ["with another change", "/send_at", { send_at: "2026-12-31T00:00:00Z", unread: true }],
    ["in years", "/send_at", { send_at: "2100-01-01T00:00:00Z" }],
    ["that is none", "/send_at", { send_at: "tomorrow" }],
  ])("%s is invalid", async (_title, field, change) => {
    await using house = await openHouse();
    const { ref: id, version } = await house.client.ok("send", mail());
    const answer = await house.client.call("message.update", { id, version, ...change });
    expect(answer).toMatchObject({ status: 400, body: { error: { field } } });
  });

  it("needs the scope send on that mailbox", async () => {
    await using house = await openHouse();
    const { ref: id, version } = await schedule(house);
    const max = await house.create("agent", "max@ours.example");
    await house.administer("grant.create", {
      holder: max.address,
      target: house.robin.address,
      scopes: ["mail"],
    });
    const send_at = new Date(house.clock.now()).toISOString();
    const answer = await house.clientOf(max.token!).call("message.update", { id, version, send_at });
    expect(answer.status).toBe(403);
    expect(await leave(house)).toEqual([]);
  });
});

describe("the rules of the time when it leaves count", () => {
  it("a mailbox that is paused keeps its scheduled mail", async () => {
    await using house = await openHouse();
    await schedule(house);
    await house.administer("agent.pause", { owner: house.robin.address });
    house.clock.advance(hourMs);
    expect(await leave(house)).toEqual([]);
    await house.administer("agent.resume", { owner: house.robin.address });
    expect(await leave(house)).toEqual([outside]);
  });

  it("mail to a recipient that was blocked since does not leave, and is reported as failed", async () => {
    await using house = await openHouse();
    const sent = await schedule(house);
    await house.administer("agent.update", { owner: house.robin.address, block: ["elsewhere.example"] });
    house.clock.advance(hourMs);
    expect(await leave(house)).toEqual([]);
    expect((await house.events()).at(-1)).toMatchObject({
      type: "mail.bounced",
      message: sent.ref,
      outcome: { code: "5.7.1" },
    });
    expect(await house.folder("sent")).toEqual([sent.ref]);
  });

  it.each([
    ["scheduled", false],
    ["held, approved and then scheduled", true],
  ])(
    "mail that an agent has %s by a grant does not leave when its own list blocks the recipient meanwhile",
    async (_title, isHeld) => {
      await using house = await openHouse();
      const max = await house.create("agent", "max@ours.example");
      await house.administer("grant.create", {
        holder: max.address,
        target: house.robin.address,
        scopes: ["mail", "send"],
      });
      if (!isHeld) await house.administer("agent.update", { owner: max.address, holdPolicy: "open" });
      const send_at = new Date(house.clock.now() + hourMs).toISOString();
      const sent = await house.clientOf(max.token!).ok("send", mail({}, { in: house.robin.id, send_at }));
      expect(sent.state).toBe(isHeld ? "held" : "scheduled");
      if (isHeld) {
        await house.administer("hold.approve", { hold: sent.hold });
        await house.advance(20_000);
        expect(await house.folder("scheduled")).toEqual([sent.ref]);
      }
      await house.administer("agent.update", { owner: max.address, block: ["elsewhere.example"] });
      house.clock.advance(2 * hourMs);
      expect(await leave(house)).toEqual([]);
      expect((await house.events()).at(-1)).toMatchObject({
        type: "mail.bounced",
        message: sent.ref,
        outcome: { code: "5.7.1" },
      });
    },
  );

  it("hundreds that are due at once all leave", async () => {
    await using house = await openHouse();
    for (let count = 0; count < 70; count++) await schedule(house, { text: `n${count}` });
    house.clock.advance(hourMs);
    let left = 0;
    let rings = 1;
    house.outbound.onDue(() => rings++);
    for (; rings > 0; ) {
      rings = 0;
      left += (await leave(house)).length;
    }
    expect(left).toBe(70);
    expect(await house.folder("scheduled")).toEqual([]);
  });
});
