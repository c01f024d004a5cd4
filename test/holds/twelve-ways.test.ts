/** Nothing that an agent does with its own credentials sends its held mail. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { graceMs, type Held, type HoldHouse, openHoldHouse, type Party } from "./hold-house.ts";

let house: HoldHouse;
/** A colleague of robin, with a token that may approve and a grant that does not say so. */
let wren: Party;
/** Another one, who may send as robin, has a grant to approve, and asked for the mail. */
let finch: Party;
let held: Held;
let uid: string;

beforeAll(async () => {
  house = await openHoldHouse();
  wren = await house.create("agent", "wren@ours.example", { scopes: ["mail", "send", "approve", "raw"] });
  finch = await house.create("agent", "finch@ours.example", { scopes: ["mail", "send", "approve"] });
  await house.administer("grant.create", {
    holder: wren.address,
    target: house.robin.address,
    scopes: ["mail", "send"],
  });
  await house.administer("grant.create", {
    holder: finch.address,
    target: house.robin.address,
    scopes: ["mail", "send", "approve"],
  });
});

afterAll(() => house[Symbol.asyncDispose]());

beforeEach(async () => {
  held = await house.send();
  const { content } = await house.client.ok("part.describe", { id: held.ref });
  expect(content.folder).toBeDefined();
  const mailbox = (await house.mail.findMailbox(house.robin.agent, "Holds/Waiting"))!;
  uid = String((await house.mail.listUids(house.robin.agent, mailbox.number)).at(-1)!);
});

/** With robin's app password, in Holds/Waiting unless another mailbox is selected. */
async function imap(script: string, variables: Record<string, string> = {}): Promise<void> {
  await house.converse(
    `S: * OK {{*}}
    C: l0 LOGIN {{=robin}}
    S: l0 OK {{*}}
    C: l1 SELECT Holds/Waiting
    S*: l1 OK {{*}}
    ${script}`,
    { variables: { uid, ...variables } },
  );
}

async function tokenWith(scopes: string[]): Promise<string> {
  return (await house.administer("token.create", { agent: house.robin.address, scopes })).token as string;
}

const message = (subject = "Offer", extra = "") =>
  `From: robin@ours.example\\r\\nTo: lee@elsewhere.example\\r\\nSubject: ${subject}\\r\\n${extra}\\r\\nTen.\\r\\n`;
const literal = (text: string) =>
  `{${Buffer.byteLength(text.replaceAll("\\r", "\r").replaceAll("\\n", "\n"))}+}`;

const ways: Record<string, () => Promise<unknown>> = {
  "hold.update with a token that has the scope approve": async () => {
    const client = house.clientOf(await tokenWith(["mail", "send", "approve"]));
    const answer = await client.call("hold.update", {
      id: held.hold,
      version: held.version,
      state: "approved",
    });
    expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden_scope"]);
  },
  "hold.update with its ordinary token": async () => {
    const answer = await house.client.call("hold.update", {
      id: held.hold,
      version: held.version,
      state: "approved",
    });
    expect(answer.status).toBe(403);
  },
  "message.update to the folder": async () => {
    const answer = await house.client.call("message.update", { id: held.ref, folder: "Holds/Approved" });
    expect(answer.status).toBe(403);
  },
  "message.update with the label": async () => {
    for (const change of [{ add_labels: ["$Approved"] }, { labels: ["$approved", "x"] }])
      expect((await house.client.call("message.update", { id: held.ref, ...change })).status).toBe(403);
  },
  "the operations as an MCP tool does them": async () => {
    const token = await tokenWith(["mail", "send", "approve"]);
    const response = await fetch(`${house.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "hold_update",
          arguments: { id: held.hold, version: held.version, state: "approved" },
        },
      }),
    });
    expect(await response.text()).toContain("forbidden_scope");
  },
  "IMAP MOVE": () =>
    imap(`C: a1 UID MOVE {{=uid}} Holds/Approved
      S: a1 NO [NOPERM] {{*}}`),
  "IMAP COPY": () =>
    imap(`C: a1 UID COPY {{=uid}} Holds/Approved
      S: a1 NO [NOPERM] {{*}}`),
  "STORE of $Approved, in any spelling": () =>
    imap(`C: a1 UID STORE {{=uid}} +FLAGS ($Approved)
      S: a1 NO [NOPERM] {{*}}
      C: a2 UID STORE {{=uid}} FLAGS.SILENT (\\Seen $APPROVED)
      S: a2 NO [NOPERM] {{*}}`),
  "APPEND to Approved": () =>
    imap(`C: a1 APPEND Holds/Approved ($Approved) ${literal(message())}
      C: ${message()}
      S: a1 NO [NOPERM] {{*}}`),
  "APPEND of a new version that has the keyword": async () => {
    const id = await messageId();
    const text = message("Other", `Message-ID: ${id}\\r\\n`);
    await imap(`C: a1 APPEND Holds/Waiting ($Approved) ${literal(text)}
      C: ${text}
      S*: a1 OK [APPENDUID {{*}}] {{*}}`);
  },
  "APPEND of a mail that nobody has asked for": () =>
    imap(`C: a1 APPEND Holds/Waiting ${literal(message())}
      C: ${message()}
      S: a1 NO [NOPERM] {{*}}`),
  "REPLACE into Approved": () =>
    imap(`C: a1 UID REPLACE {{=uid}} Holds/Approved ${literal(message())}
      C: ${message()}
      S: a1 NO [NOPERM] {{*}}`),
  "CATENATE into Approved": () =>
    imap(`C: a1 APPEND Holds/Approved CATENATE (URL "/Holds%2FWaiting/;UID={{=uid}}")
      S: a1 NO [NOPERM] {{*}}`),
  "RENAME, DELETE and CREATE of the mailboxes": () =>
    imap(`C: a1 RENAME Holds/Waiting Holds/Was
      S: a1 NO [CANNOT] {{*}}
      C: a2 RENAME Holds/Approved Approved
      S: a2 NO [CANNOT] {{*}}
      C: a3 RENAME Holds Mine
      S: a3 NO [CANNOT] {{*}}
      C: a4 DELETE Holds/Approved
      S: a4 NO [CANNOT] {{*}}
      C: a5 CREATE Holds/Approved/Now
      S: a5 NO [CANNOT] {{*}}
      C: a6 CREATE Holds/Approved2
      S: a6 NO [CANNOT] {{*}}
      C: a7 CREATE Mine (USE (\\holds_approved))
      S: a7 NO [USEATTR] {{*}}
      C: a8 CREATE Mine (USE (\\Holds))
      S: a8 NO [USEATTR] {{*}}`),
  "a mailbox that is called alike": () =>
    imap(`C: a1 CREATE INBOX/Holds/Approved
      S*: a1 {{*}}
      C: a2 CREATE holds/Approved
      S*: a2 {{*}}
      C: a3 UID MOVE {{=uid}} INBOX/Holds/Approved
      S: a3 NO [NOPERM] {{*}}
      C: a4 UID COPY {{=uid}} holds/Approved
      S: a4 OK {{*}}
      C: a5 SELECT holds/Approved
      S*: a5 OK {{*}}
      C: a6 UID STORE 1:* +FLAGS ($Approved)
      S*: a6 OK {{*}}
      C: a7 UID MOVE 1:* Holds/Approved
      S: a7 NO [NOPERM] {{*}}`),
  "a copy of a mail that was approved before": async () => {
    const before = await house.send({ subject: "Approved before" });
    const { version } = (await house.hold(before.hold)) as { version: string };
    await house.administer("hold.approve", { hold: before.hold, version });
    await house.advance(graceMs);
    expect(await house.left()).toEqual(["Approved before"]);
    await imap(`C: a1 SELECT Sent
      S*: a1 OK {{*}}
      C: a2 UID COPY 1:* Holds/Approved
      S: a2 NO [NOPERM] {{*}}
      C: a3 UID MOVE 1:* Holds/Waiting
      S: a3 NO [NOPERM] {{*}}`);
  },
  "a draft that is marked as approved": async () => {
    const made = await house.client.ok("draft.create", {
      body: { to: ["lee@elsewhere.example"], subject: "Draft", text: "Ten." },
    });
    await house.client.ok("message.update", { id: made.message, add_labels: ["$Approved"] });
    const { version } = await house.client.ok("part.describe", { id: made.ref });
    expect(await house.client.ok("send", { draft: made.ref, version })).toMatchObject({ state: "held" });
  },
  "a copy to somebody else's mailbox and back": async () => {
    const { address, password } = wren;
    await house.converse(
      `S: * OK {{*}}
      C: l0 LOGIN ${address} "${password}"
      S: l0 OK {{*}}
      C: l1 SELECT "{{=holds}}/Waiting"
      S*: l1 OK {{*}}
      C: a1 UID COPY {{=uid}} INBOX
      S: a1 OK {{*}}
      C: a2 SELECT INBOX
      S*: a2 OK {{*}}
      C: a3 UID COPY 1:* "{{=holds}}/Approved"
      S: a3 NO [NOPERM] {{*}}
      C: a4 UID MOVE 1:* "{{=holds}}/Approved"
      S: a4 NO [NOPERM] {{*}}`,
      { variables: { uid } },
    );
  },
  "another agent that was not granted approve": async () => {
    const client = house.clientOf(wren.token!);
    const decided = await client.call("hold.update", {
      id: held.hold,
      version: held.version,
      state: "approved",
    });
    expect([decided.status, decided.body.error.code]).toEqual([403, "forbidden_scope"]);
    const moved = await client.call("message.update", { id: held.ref, folder: "Holds/Approved" });
    expect(moved.status).toBe(403);
  },
  "another agent that may approve and asked for the mail itself": async () => {
    const client = house.clientOf(finch.token!);
    const sent = await client.ok("send", {
      in: house.robin.id,
      body: { to: ["lee@elsewhere.example"], subject: "For another", text: "Ten." },
    });
    const decided = await client.call("hold.update", {
      id: sent.hold,
      version: sent.version,
      state: "approved",
    });
    expect([decided.status, decided.body.error.code]).toEqual([403, "forbidden_scope"]);
    // What somebody else asked for it may approve: that is what it was granted.
    const other = await client.call("hold.update", {
      id: held.hold,
      version: held.version,
      state: "declined",
    });
    expect(other.status).toBe(200);
  },
  "another agent that may approve and rewrote it": async () => {
    const client = house.clientOf(finch.token!);
    const { version } = await client.ok("hold.update", {
      id: held.hold,
      version: held.version,
      body: { to: ["lee@elsewhere.example"], subject: "Rewritten", text: "Eleven." },
    });
    const decided = await client.call("hold.update", { id: held.hold, version, state: "approved" });
    expect([decided.status, decided.body.error.code]).toEqual([403, "forbidden_scope"]);
    expect(await house.hold(held.hold)).toMatchObject({ state: "waiting", requested_by: finch.id });
  },
  "an edit after the approval": async () => {
    await house.administer("hold.approve", { hold: held.hold });
    const id = await messageId();
    const text = message("Something else", `Message-ID: ${id}\\r\\n`);
    await imap(`C: a1 APPEND Holds/Waiting ${literal(text)}
      C: ${text}
      S*: a1 OK {{*}}`);
    expect(await house.hold(held.hold)).toMatchObject({ state: "waiting" });
  },
  "a hold of its own making": async () => {
    const made = await house.client.ok("hold.create", {
      body: { to: ["lee@elsewhere.example"], subject: "Asked", text: "Ten." },
    });
    const answer = await house.client.call("hold.update", {
      id: made.ref,
      version: made.version,
      state: "approved",
    });
    expect(answer.status).toBe(403);
  },
};

it.each(Object.entries(ways))("does not approve by %s", async (_, way) => {
  await way();
  await house.advance(graceMs * 2);
  expect(await house.left()).toEqual([]);
});

it("tries at least twelve ways", () => {
  expect(Object.keys(ways).length).toBeGreaterThanOrEqual(12);
});

async function messageId(): Promise<string> {
  const { content } = await house.client.ok("part.describe", { id: held.ref });
  return `<${content.message_id}>`;
}
