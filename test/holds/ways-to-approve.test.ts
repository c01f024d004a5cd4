/** Every operation and command that can put mail into a folder is a way to approve: the list is made from their declarations, so a new one
 *  does not compile before it says here what it comes to. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

beforeAll(async () => {
  house = await openHoldHouse();
  const scopes = ["mail", "send", "approve", "calendar"];
  wren = await house.create("agent", "wren@ours.example", { scopes });
  await house.administer("grant.create", { holder: wren.address, target: house.robin.address, scopes });
});
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
