import { describe, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { graceMs, type Held, type HoldHouse, openHoldHouse } from "./hold-house.ts";

const kimReads = `
  S: * OK {{*}}
  C: a0 LOGIN {{=kim}}
  S: a0 OK {{*}}
  C: a1 SELECT "{{=holds}}/Waiting"
  S*: a1 OK {{*}}
`;

/** The mail that waits, as a mail client would store it anew. */
async function versionOf(house: HoldHouse, held: Held, change: (text: string) => string): Promise<string> {
  const mailbox = (await house.mail.findMailbox(house.robin.agent, "Holds/Waiting"))!;
  for await (const page of house.mail.messagePages(house.robin.agent, mailbox.number, [[1, 1]]))
    for (const message of page) {
      const text = (await house.mail.readBytes(message)).toString("latin1");
      return change(text).replaceAll("\r", "\\r").replaceAll("\n", "\\n");
    }
  throw new Error(`${held.hold} is not there`);
}

const literal = (text: string) =>
  `{${Buffer.byteLength(text.replaceAll("\\r", "\r").replaceAll("\\n", "\n"))}+}`;

describe("an edit", () => {
  it("by APPEND and EXPUNGE makes a new version, which waits and is sent in this form", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const before = await house.hold(held.hold);
    const text = await versionOf(house, held, (old) =>
      old.replace("Ten pieces", "Five pieces").replace("lee@elsewhere", "max@elsewhere"),
    );
    await house.converse(`
      ${kimReads}
      C: a2 APPEND "{{=holds}}/Waiting" (\\Seen) ${literal(text)}
      C: ${text}
      S*: a2 OK [APPENDUID {{*}} 2] {{*}}
      C: a3 UID STORE 1 +FLAGS (\\Deleted)
      S: a3 OK {{*}}
      C: a4 EXPUNGE
      S: a4 OK {{*}}
    `);
    const after = await house.hold(held.hold);
    expect(after).toMatchObject({ state: "waiting", recipients: ["max@elsewhere.example"] });
    expect(after.version).not.toBe(before.version);
    expect(after.digest).not.toBe(before.digest);
    expect(after.message).not.toBe(before.message);
    await house.converse(`
      ${kimReads}
      C: a2 UID MOVE 2 "{{=holds}}/Approved"
      S*: a2 OK {{*}}
    `);
    await house.advance(graceMs);
    expect(await house.left()).toEqual(["Offer"]);
    const [due] = await house.outbound.takeDue({ now: house.clock.now(), limit: 9, skipDomains: new Set() });
    expect(due?.recipients.map(({ address }) => address)).toEqual(["max@elsewhere.example"]);
    expect((await house.outbound.readMessage(due!)).toString()).toContain("Five pieces");
    expect(await house.folder("sent")).toEqual([after.message]);
  });

  it.each([
    [true, "", "required"],
    [true, "TLS-Required: No\r\n", "required"],
    [false, "TLS-Required: No\r\n", "not_required"],
  ])(
    "of a mail with REQUIRETLS (%s) that adds %j leaves with TLS %s (RFC 8689)",
    async (isTlsRequired, field, expected) => {
      await using house = await openHoldHouse();
      const { agent } = house.robin;
      const text = `Message-ID: <1@ours.example>\r\nFrom: robin@ours.example\r\nTo: lee@elsewhere.example\r\n\r\nTen.\r\n`;
      const { hold } = await house.outbound.submit(nobody, {
        principal: { agent, kind: "agent", isServer: true },
        mailbox: agent,
        bytes: Buffer.from(text),
        envelope: {
          from: "robin@ours.example",
          recipients: [{ address: "lee@elsewhere.example" }],
          envid: null,
          ret: null,
          bodyType: "7BIT",
          isSmtputf8: false,
          isTlsRequired,
        },
        isAuthenticated: true,
        holdWish: "policy",
        source: "submission",
      });
      expect(hold).toBeGreaterThan(0);
      const edited = `${field}${text.replace("Ten", "Six")}`.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
      await house.converse(`
      ${kimReads}
      C: a2 UID REPLACE 1 "{{=holds}}/Waiting" ${literal(edited)}
      C: ${edited}
      S: * OK [APPENDUID {{*}} 2] {{*}}
      S*: a2 OK {{*}}
      C: a3 UID MOVE 2 "{{=holds}}/Approved"
      S*: a3 OK {{*}}
    `);
      await house.advance(graceMs);
      const [due] = await house.outbound.takeDue({
        now: house.clock.now(),
        limit: 9,
        skipDomains: new Set(),
      });
      expect(due?.tlsWish).toBe(expected);
      expect((await house.outbound.readMessage(due!)).toString()).toContain("Six.");
    },
  );

  it("by REPLACE replaces the named mail, and no other", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const text = await versionOf(house, held, (old) => old.replace("Ten", "Six"));
    await house.converse(`
      ${kimReads}
      C: a2 UID REPLACE 1 "{{=holds}}/Waiting" ${literal(text)}
      C: ${text}
      S: * OK [APPENDUID {{*}} 2] {{*}}
      S*: a2 OK {{*}}
    `);
    expect(await house.folder("Holds/Waiting")).toEqual([(await house.hold(held.hold)).message]);
  });

  it.each([
    ["who is blocked", "eve@blocked.example"],
    ["who does not exist here", "nobody@ours.example"],
  ])("to somebody %s is refused at once, and the mail stays as it was", async (_, address) => {
    await using house = await openHoldHouse();
    const held = await house.send();
    await house.administer("agent.update", { owner: house.robin.address, block: ["blocked.example"] });
    const before = await house.hold(held.hold);
    const text = await versionOf(house, held, (old) => old.replace("lee@elsewhere.example", address));
    expect(text).toContain(address);
    await house.converse(`
      ${kimReads}
      C: a2 APPEND "{{=holds}}/Waiting" ${literal(text)}
      C: ${text}
      S*: a2 NO {{*}}
    `);
    expect(await house.hold(held.hold)).toEqual(before);
  });

  it("writes no Bcc or Resent-Bcc into the octets that leave", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const hidden = "Bcc: max@elsewhere.example\r\nResent-Bcc: eve@elsewhere.example\r\n";
    const text = await versionOf(house, held, (old) => hidden + old);
    await house.converse(`
      ${kimReads}
      C: a2 UID REPLACE 1 "{{=holds}}/Waiting" ${literal(text)}
      C: ${text}
      S: * OK [APPENDUID {{*}} 2] {{*}}
      S*: a2 OK {{*}}
      C: a3 UID MOVE 2 "{{=holds}}/Approved"
      S*: a3 OK {{*}}
    `);
    await house.advance(graceMs);
    const [due] = await house.outbound.takeDue({ now: house.clock.now(), limit: 9, skipDomains: new Set() });
    expect(due?.recipients.map(({ address }) => address).toSorted()).toEqual([
      "lee@elsewhere.example",
      "max@elsewhere.example",
    ]);
    const octets = (await house.outbound.readMessage(due!)).toString();
    expect(octets).toContain("lee@elsewhere.example");
    expect(octets).not.toMatch(/bcc|max@|eve@/i);
  });

  it("after the approval makes the mail wait again", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const text = await versionOf(house, held, (old) => old.replace("Ten", "A thousand"));
    await house.administer("hold.approve", { hold: held.hold });
    await house.converse(
      `S: * OK {{*}}
      C: b0 LOGIN {{=robin}}
      S: b0 OK {{*}}
      C: b1 APPEND Holds/Waiting ${literal(text)}
      C: ${text}
      S: b1 OK {{*}}`,
    );
    await house.advance(10 * graceMs);
    expect(await house.left()).toEqual([]);
    expect(await house.hold(held.hold)).toMatchObject({ state: "waiting" });
  });

  it("is not approved by an approval of the older version: NO over IMAP, 409 over JSON", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const wren = await house.create("agent", "wren@ours.example", { scopes: ["mail", "send", "approve"] });
    await house.administer("grant.create", {
      holder: wren.address,
      target: house.robin.address,
      scopes: ["mail", "approve"],
    });
    const read = await house.client.ok("part.describe", { id: held.hold });
    await house.converse(
      `${kimReads}
      DO edit
      C: a2 UID MOVE 1 "{{=holds}}/Approved"
      S: a2 NO [EXPUNGEISSUED] {{*}}
      C: a3 UID COPY 1 "{{=holds}}/Approved"
      S: a3 NO [EXPUNGEISSUED] {{*}}
      C: a4 UID STORE 1 +FLAGS ($Approved)
      S: a4 NO [EXPUNGEISSUED] {{*}}`,
      {
        actions: {
          edit: () =>
            house.client.ok("hold.update", {
              id: held.hold,
              version: read.version,
              body: { to: ["lee@elsewhere.example"], subject: "Another", text: "Ten thousand." },
            }),
        },
      },
    );
    const answer = await house.clientOf(wren.token!).call("hold.update", {
      id: held.hold,
      version: read.version,
      state: "approved",
    });
    const now = await house.hold(held.hold);
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: "precondition_failed",
      version: now.version,
      current: { state: "waiting", digest: now.digest },
    });
    await house.advance(10 * graceMs);
    expect(await house.left()).toEqual([]);
  });

  it("does not give it another sender, nor remove its sender", async () => {
    await using house = await openHoldHouse();
    const held = await house.send();
    const other = await versionOf(house, held, (old) => old.replace(/^From: .*$/m, "From: kim@ours.example"));
    const nobody = await versionOf(house, held, (old) => old.replace(/^To: .*$/m, "X-To: nobody"));
    const hidden = await versionOf(house, held, (old) =>
      old.replace("\r\n\r\n", `\r\nX: ${"x".repeat(300_000)}\r\n\r\n`),
    );
    await house.converse(`
      ${kimReads}
      C: a1 APPEND "{{=holds}}/Waiting" ${literal(hidden)}
      C: ${hidden}
      S: a1 NO [TOOBIG] {{*}}
      C: a2 APPEND "{{=holds}}/Waiting" ${literal(other)}
      C: ${other}
      S: a2 NO {{*}}
      C: a3 APPEND "{{=holds}}/Waiting" ${literal(nobody)}
      C: ${nobody}
      S: a3 NO {{*}}
    `);
    expect(await house.hold(held.hold)).toMatchObject({ version: held.version });
  });
});

describe("recipients that the header does not name", () => {
  it("are shown to the approver, and stay when a client leaves them out", async () => {
    await using house = await openHoldHouse();
    const held = await house.send({ bcc: ["spy@elsewhere.example"] });
    await house.converse(`
      ${kimReads}
      C: a2 UID FETCH 1 (BODY.PEEK[HEADER.FIELDS (BCC)])
      S: * 1 FETCH (UID 1 BODY[HEADER.FIELDS (BCC)] {{*}}
      S: Bcc: spy@elsewhere.example
      S*: a2 OK {{*}}
    `);
    const text = await versionOf(house, held, (old) => old.replace(/^Bcc: .*\r\n/m, ""));
    await house.converse(`
      ${kimReads}
      C: a2 APPEND "{{=holds}}/Waiting" ${literal(text)}
      C: ${text}
      S*: a2 OK {{*}}
    `);
    const after = await house.hold(held.hold);
    expect(after.recipients).toEqual(expect.arrayContaining(["spy@elsewhere.example"]));
    expect(after.bcc).toMatchObject([{ address: "spy@elsewhere.example" }]);
  });

  it("are changed by a Bcc field that a client stores, and never leave in such a field", async () => {
    await using house = await openHoldHouse();
    const held = await house.send({ bcc: ["spy@elsewhere.example"] });
    const text = await versionOf(house, held, (old) =>
      old.replace(/^Bcc: .*$/m, "Bcc: boss@elsewhere.example"),
    );
    await house.converse(`
      ${kimReads}
      C: a2 APPEND "{{=holds}}/Waiting" ${literal(text)}
      C: ${text}
      S*: a2 OK {{*}}
      C: a3 UID MOVE 2 "{{=holds}}/Approved"
      S*: a3 OK {{*}}
    `);
    await house.advance(graceMs);
    const [due] = await house.outbound.takeDue({ now: house.clock.now(), limit: 9, skipDomains: new Set() });
    expect(due?.recipients.map(({ address }) => address).sort()).toEqual([
      "boss@elsewhere.example",
      "lee@elsewhere.example",
    ]);
    expect((await house.outbound.readMessage(due!)).toString()).not.toMatch(/boss|spy/);
  });
});
