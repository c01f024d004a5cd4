/** Every operation and command that can put mail into a folder is a way to approve: the list is made from their declarations, so a new one
 *  does not compile before it says here what it comes to. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AnyCommand } from "#/protocols/imap/commands/index.ts";
import type { AnyOperation } from "#/protocols/json/registry.ts";
import { graceMs, type Held, type HoldHouse, openHoldHouse, type Party } from "./hold-house.ts";

type PutsMail = Extract<AnyOperation | AnyCommand, { readonly putsMail?: true }>["name"];

/** Who tries, and what is tried with. */
interface Trial {
  readonly held: Held;
  call(operation: string, input: object): Promise<number>;
  /** A script with Holds/Waiting selected; `{{=uid}}` is the mail. Answers whether the last command was done. */
  imap(command: string): Promise<boolean>;
}

interface Way {
  /** Whether the mail is sent where the one who does it may approve. */
  readonly approves: boolean;
  /** Answers whether it was done. */
  readonly run: (trial: Trial) => Promise<boolean>;
}

const other = { to: ["lee@elsewhere.example"], subject: "Another", text: "Ten." };
const literal = "Subject: Offer\r\n\r\nTen.\r\n";
const appended = `{${literal.length}+}\r\n      C: ${literal.replaceAll("\r\n", "\\r\\n")}`;

const does =
  (operation: string, inputOf: (held: Held) => object): Way["run"] =>
  async ({ held, call }) =>
    (await call(operation, inputOf(held))) === 200;
const never = (run: Way["run"]): Way => ({ approves: false, run });

const ways: Readonly<Record<PutsMail, Way>> = {
  "message.update": {
    approves: true,
    run: does("message.update", ({ ref }) => ({ id: ref, folder: "Holds/Approved" })),
  },
  "hold.update": {
    approves: true,
    run: does("hold.update", ({ hold, version }) => ({ id: hold, version, state: "approved" })),
  },
  MOVE: { approves: true, run: ({ imap }) => imap('UID MOVE {{=uid}} "{{=box}}/Approved"') },
  COPY: { approves: true, run: ({ imap }) => imap('UID COPY {{=uid}} "{{=box}}/Approved"') },

  "message.delete": never(does("message.delete", ({ ref }) => ({ id: ref, version: "1" }))),
  "hold.delete": never(does("hold.delete", ({ hold, version }) => ({ id: hold, version }))),
  "hold.create": never(does("hold.create", () => ({ body: other }))),
  send: never(does("send", () => ({ body: other, hold: "always" }))),
  "draft.create": never(does("draft.create", () => ({ body: other }))),
  "draft.update": never(does("draft.update", ({ ref }) => ({ id: ref, body: other }))),
  "event.create": never(
    does("event.create", () => ({ body: { start: "2026-03-02T10:00:00" }, invite: "send" })),
  ),
  "event.update": never(does("event.update", ({ ref }) => ({ id: ref, patch: {}, invite: "send" }))),
  "event.delete": never(does("event.delete", ({ ref }) => ({ id: ref, invite: "send" }))),
  "calendar.delete": never(does("calendar.delete", ({ ref }) => ({ id: ref, invite: "send" }))),
  APPEND: never(({ imap }) => imap(`APPEND "{{=box}}/Approved" ${appended}`)),
  REPLACE: never(({ imap }) => imap(`UID REPLACE {{=uid}} "{{=box}}/Approved" ${appended}`)),
  RENAME: never(({ imap }) => imap('RENAME "{{=box}}/Waiting" "{{=box}}/Approved"')),
};

let house: HoldHouse;
/** May approve robin's mail, over `/v1`; over IMAP kim may. */
let wren: Party;
const scopes = ["mail", "send", "approve", "calendar"];
let grant: unknown;

beforeAll(async () => {
  house = await openHoldHouse();
  wren = await house.create("agent", "wren@ours.example", { scopes });
  await letApprove();
});
/** The right of both. */
async function letApprove(): Promise<void> {
  const { robin, kim } = house;
  const granted = { holder: wren.address, target: robin.address, scopes };
  ({ number: grant } = await house.administer("grant.create", granted));
  await house.administer("agent.update", { owner: robin.address, approver: kim.address });
}
async function letNobodyApprove(): Promise<void> {
  await house.administer("grant.revoke", { number: grant });
  await house.administer("agent.update", { owner: house.robin.address, approver: "none" });
}
afterAll(() => house[Symbol.asyncDispose]());

async function trialOf(who: "approver" | "owner"): Promise<Trial> {
  const held = await house.send();
  const mailbox = (await house.mail.findMailbox(house.robin.agent, "Holds/Waiting"))!;
  const uid = String((await house.mail.listUids(house.robin.agent, mailbox.number)).at(-1)!);
  const client = who === "approver" ? house.clientOf(wren.token!) : house.client;
  return {
    held,
    call: async (operation, input) => (await client.call(operation, input)).status,
    async imap(command) {
      const box = who === "approver" ? "Other Users/robin@ours.example/Holds" : "Holds";
      const answers = await house.converse(
        `S: * OK {{*}}
      C: l0 LOGIN {{=${who === "approver" ? "kim" : "robin"}}}
      S: l0 OK {{*}}
      C: l1 SELECT "{{=box}}/Waiting"
      S*: l1 OK {{*}}
      C: a1 ${command}
      S*: a1 {{answer:OK|NO}} {{*}}`,
        { variables: { uid, box } },
      );
      return answers.answer === "OK";
    },
  };
}

const named = Object.entries(ways).map(([name, way]) => ({ name, ...way }));

describe("who may approve", () => {
  it.each(named)("sends the mail by $name: $approves", async ({ approves, run }) => {
    const isDone = await run(await trialOf("approver"));
    if (approves) expect(isDone).toBe(true);
    await house.advance(graceMs * 2);
    expect(await house.left()).toEqual(approves ? ["Offer"] : []);
  });
});

describe("who asked for the mail", () => {
  it.each(named)("does not send it by $name", async ({ run }) => {
    await run(await trialOf("owner"));
    await house.advance(graceMs * 2);
    expect(await house.left()).toEqual([]);
  });
});

/** A session that may not read its mailbox any more ends, maybe before the answer: nothing was done. */
function isEndOfSession(error: unknown): false {
  if (!String(error).includes("the server closed")) throw error;
  return false;
}

/** What an approver does beside approving. */
const others: Readonly<Record<string, Way["run"]>> = {
  "hold.update to declined": does("hold.update", ({ hold, version }) => ({
    id: hold,
    version,
    state: "declined",
  })),
  "hold.update with another mail": does("hold.update", ({ hold, version }) => ({
    id: hold,
    version,
    body: other,
  })),
  "message.update to declined": does("message.update", ({ ref }) => ({ id: ref, folder: "Holds/Declined" })),
  "STORE of $Approved": ({ imap }) => imap("UID STORE {{=uid}} +FLAGS ($Approved)"),
  "MOVE to Declined": ({ imap }) => imap('UID MOVE {{=uid}} "{{=box}}/Declined"'),
};

describe("whose right to approve ends between the look of the door and its write", () => {
  const ways = [
    ...named.filter(({ approves }) => approves),
    ...Object.entries(others).map(([name, run]) => ({ name, run })),
  ];
  it.each(ways)("does nothing by $name", async ({ run }) => {
    const trial = await trialOf("approver");
    const before = await house.hold(trial.held.hold);
    const { store, robin } = house;
    const ended = vi.fn(letNobodyApprove);
    const refused = Promise.withResolvers<void>();
    const spies = (["write", "writeOnce"] as const).map((name) => {
      const real = store[name].bind(store) as (...given: unknown[]) => Promise<unknown>;
      return vi.spyOn(store, name).mockImplementation((async (...given: unknown[]) => {
        const { agent } = given[2] as { readonly agent?: unknown };
        const isOfDoor =
          agent === robin.agent && given[1] !== "setSendingPolicy" && given[1] !== "revokeGrant";
        if (!isOfDoor || ended.mock.calls.length > 0) return real(...given);
        await ended();
        return real(...given).finally(refused.resolve);
      }) as never);
    });
    try {
      expect(await run(trial).catch(isEndOfSession)).toBe(false);
    } finally {
      if (ended.mock.calls.length > 0) await refused.promise;
      for (const spy of spies) spy.mockRestore();
      if (ended.mock.calls.length > 0) await letApprove();
    }
    expect(ended).toHaveBeenCalledOnce();
    expect(await house.hold(trial.held.hold)).toEqual(before);
  });
});

it("asks for the next state of a hold in one place of the store", () => {
  const files = readdirSync("storage", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const asking = files.filter((name) => readFileSync(`storage/${name}`, "utf8").includes("nextHoldState"));
  expect(asking).toEqual(["writing/outbound/holds.ts"]);
});
