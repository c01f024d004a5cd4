import { hash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { readThreadKeys } from "#/src/mail/prepare-message.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { nobody } from "#/src/model/author.ts";
import { deletedFlag, flaggedFlag, seenFlag } from "#/src/model/flags.ts";
import { formatNumberSet } from "#/src/model/number-set.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { openTestStore, seedAgent, type TestStore } from "../support/store.ts";

let store: TestStore;
let mail: Mail;
let agent: Awaited<ReturnType<typeof seedAgent>>["agent"];
let inbox: Mailbox;
const provenance = { source: "imap" } as const;

beforeEach(async () => {
  store = await openTestStore();
  mail = createMail(store.store);
  ({ agent } = await seedAgent(store.store));
  inbox = (await mail.findMailbox(agent, "inbox"))!;
});
afterEach(() => store[Symbol.asyncDispose]());

async function append(
  text: string,
  flags = 0,
  keywords: string[] = [],
  internalDate?: number,
): Promise<number> {
  const bytes = Buffer.from(text.replaceAll("\n", "\r\n"), "latin1");
  const appended = { bytes, flags, keywords, ...(internalDate === undefined ? {} : { internalDate }) };
  const { uids } = await mail.appendMessages(nobody, agent, inbox.number, [appended], provenance);
  return uids[0]!;
}

async function search(key: SearchKey): Promise<readonly number[]> {
  return (await mail.searchMailbox(agent, inbox.number, key)).uids;
}

const plain =
  "From: Alice <alice@peer.test>\nSubject: Plans\nMessage-ID: <a@peer.test>\n\nBread and butter\n";
const reply =
  "From: bob@peer.test\nSubject: Re: Plans\nMessage-ID: <b@peer.test>\nIn-Reply-To: <a@peer.test>\nDate: Sat, 21 Nov 2026 10:00:00 +0100\n\nyes\n";
const latin =
  "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nf=FCr die =\nK=F6chin\n";

describe("messages", () => {
  it("keeps the bytes of a message and finds its sections", async () => {
    const uid = await append(plain);
    for await (const [message] of mail.messagePages(agent, inbox.number, [[uid, uid]])) {
      const structure = await mail.readStructure(message!);
      const read = async (section: string): Promise<string> =>
        (await mail.readBytes(message!, mail.findSection(message!, structure, section))).toString();
      expect(await read("")).toBe(plain.replaceAll("\n", "\r\n"));
      expect(await read("1")).toBe("Bread and butter\r\n");
      expect(await read("TEXT")).toBe("Bread and butter\r\n");
      expect(await read("HEADER")).toMatch(/^From: Alice[\s\S]*\r\n\r\n$/);
      expect(mail.findSection(message!, structure, "2")).toBeUndefined();
      expect((await mail.readBytes(message!, { start: 5, end: 1e9 })).toString()).toBe(
        plain.replaceAll("\n", "\r\n").slice(5),
      );
    }
  });

  it("puts a reply of any language into the thread of what it answers, and another subject into its own", async () => {
    await append(plain);
    await append(reply);
    await append(reply.replace("Re: Plans", "Something else").replace("<b@", "<c@"));
    await append(reply.replace("Re: Plans", "AW: Re: Plans").replace("<b@", "<d@"));
    await append(reply.replace("Re: Plans", "=?utf-8?B?5Zue5aSN77yaUGxhbnM=?=").replace("<b@", "<e@"));
    const [chinese, german, other, answer, first] = await mail.listNewestMessages(agent, { limit: 10 });
    expect(answer!.thread).toBe(first!.thread);
    expect(other!.thread).not.toBe(first!.thread);
    expect([german!.thread, chinese!.thread]).toEqual([first!.thread, first!.thread]);
    expect(await mail.listNewestMessages(agent, { limit: 10, thread: first!.thread })).toHaveLength(4);
  });

  it("finds the thread of a subject with a prefix of another language as it was stored before these were known", () => {
    const former = hash("sha256", "a@x.example\0AW: Plans", "buffer").subarray(0, 16);
    const keysOf = (subject: string): string[] =>
      readThreadKeys(
        readHeaderFields(Buffer.from(`Message-ID: <a@x.example>\r\nSubject: ${subject}\r\n\r\n`)),
      ).map((key) => Buffer.from(key).toString("hex"));
    expect(keysOf("AW: Plans")).toEqual([...keysOf("Plans"), former.toString("hex")]);
    expect(keysOf("Re: Plans")).toEqual(keysOf("Plans"));
  });

  it("is one object in two mailboxes after a copy, and its version changes with both", async () => {
    const uid = await append(plain);
    const archive = (await mail.findMailbox(agent, "Archive"))!;
    await mail.copyMessages(nobody, agent, inbox.number, archive.number, [[uid, uid]]);
    const [message] = await mail.listNewestMessages(agent, { limit: 1 });
    expect(message!.places.map((place) => place.mailbox)).toEqual([inbox.number, archive.number]);
    const stored = await mail.storeFlags(nobody, agent, archive.number, {
      uids: [[1, 1]],
      mode: "add",
      flags: flaggedFlag,
      keywords: [],
    });
    const again = await mail.findMessage(agent, message!.number);
    expect(again!.version).toBe(String(stored.modseq));
  });

  it("deletes to Trash with the version that was read, and from Trash for good", async () => {
    await append(plain);
    const [message] = await mail.listNewestMessages(agent, { limit: 1 });
    await expect(mail.deleteMessage(nobody, agent, message!.number, undefined)).rejects.toMatchObject({
      code: "precondition_failed",
      details: { version: message!.version },
    });
    const trashed = await mail.deleteMessage(nobody, agent, message!.number, message!.version);
    expect(trashed.state).toBe("trashed");
    await expect(mail.deleteMessage(nobody, agent, message!.number, message!.version)).rejects.toMatchObject({
      code: "precondition_failed",
    });
    const inTrash = (await mail.findMessage(agent, message!.number))!;
    expect((await mail.deleteMessage(nobody, agent, message!.number, inTrash.version)).state).toBe("removed");
    expect(await mail.findMessage(agent, message!.number)).toBeUndefined();
  });

  it("replaces labels whole", async () => {
    const uid = await append(plain, 0, ["$Forwarded", "old"]);
    const [message] = await mail.listNewestMessages(agent, { limit: 1 });
    await mail.updateMessages(nobody, agent, {
      messages: [message!.number],
      labels: ["new"],
      marks: { unread: false },
    });
    expect(await search({ kind: "keyword", name: "NEW" })).toEqual([uid]);
    expect(await search({ kind: "keyword", name: "$Forwarded" })).toEqual([]);
    expect(await search({ kind: "flags", mask: seenFlag })).toEqual([uid]);
  });
});

it("reads the text of many messages and gives the event loop its turns", async () => {
  for (let count = 0; count < 20; count++)
    await append(`Subject: ${count}\n\n${"bread and butter\n".repeat(10_000)}`);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  expect(await search({ kind: "body", text: "jam" })).toEqual([]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
});

describe("search", () => {
  const day = Date.UTC(2026, 0, 2);
  let uids: readonly number[];
  beforeEach(async () => {
    uids = [
      await append(plain, seenFlag, [], day),
      await append(reply, deletedFlag, ["work"], day + 86_400_000),
      await append(latin, 0, [], day),
    ];
  });
  const not = (key: SearchKey): SearchKey => ({ kind: "not", key });
  const header = (name: string, text: string): SearchKey => ({ kind: "header", name, text });

  it.each<[string, SearchKey, number[]]>([
    ["everything", { kind: "all" }, [0, 1, 2]],
    ["a flag", { kind: "flags", mask: seenFlag }, [0]],
    ["the absence of a flag", not({ kind: "flags", mask: seenFlag }), [1, 2]],
    ["a keyword", { kind: "keyword", name: "Work" }, [1]],
    ["a keyword that nobody has", { kind: "keyword", name: "none" }, []],
    ["a day of arrival", { kind: "date", field: "internal", from: day, until: day + 86_400_000 }, [0, 2]],
    [
      "a time of the Date header as it is written, whatever its zone",
      {
        kind: "date",
        field: "sent",
        from: Date.UTC(2026, 10, 21, 10),
        until: Date.UTC(2026, 10, 21, 10, 0, 1),
      },
      [1],
    ],
    ["a sender in another case", header("from", "ALICE"), [0]],
    ["a subject in encoded words", header("Subject", "grüße"), [2]],
    ["the presence of a field", header("in-reply-to", ""), [1]],
    ["a body in another charset, across a soft line break", { kind: "body", text: "Für die köchin" }, [2]],
    ["text of the header", { kind: "text", text: "peer.test" }, [0, 1]],
    ["a body only in bodies", { kind: "body", text: "peer.test" }, []],
    [
      "both of two",
      {
        kind: "and",
        keys: [
          { kind: "text", text: "plans" },
          { kind: "keyword", name: "work" },
        ],
      },
      [1],
    ],
    ["one of two", { kind: "or", keys: [header("from", "bob"), { kind: "body", text: "butter" }] }, [0, 1]],
    [
      "sizes",
      {
        kind: "and",
        keys: [
          { kind: "larger", bytes: 50 },
          { kind: "smaller", bytes: 98 },
        ],
      },
      [0],
    ],
  ])("finds %s", async (_, key, expected) => {
    expect(await search(key)).toEqual(expected.map((index) => uids[index]));
  });

  it("answers the highest MODSEQ of what was found", async () => {
    const { modseq } = await mail.storeFlags(nobody, agent, inbox.number, {
      uids: [[1, 1]],
      mode: "add",
      flags: flaggedFlag,
      keywords: [],
    });
    const found = await mail.searchMailbox(agent, inbox.number, {
      kind: "modseq",
      atLeast: modseq as Modseq,
    });
    expect(found).toEqual({ uids: [uids[0]], highestModseq: modseq });
  });

  it("lists the newest messages in steps that miss and repeat nothing", async () => {
    const numbers: number[] = [];
    let before: Awaited<ReturnType<Mail["searchNewest"]>>["next"];
    do {
      const step = await mail.searchNewest(
        agent,
        { kind: "all" },
        { limit: 1, ...(before ? { before } : {}) },
      );
      numbers.push(...step.messages.map((message) => message.number));
      before = step.next;
    } while (before !== undefined);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => b - a));
    expect(numbers).toHaveLength(3);
  });
});

describe("mailboxes", () => {
  it("creates the levels above a new mailbox, and finds names by their normal form", async () => {
    const made = await mail.createMailbox(nobody, agent, "Work/Übersicht");
    expect(await mail.findMailbox(agent, "Work/U\u0308bersicht")).toMatchObject({ id: made.id });
    expect(await mail.findMailbox(agent, "Work")).toBeDefined();
  });

  it("refuses a mailbox that exists", async () => {
    await expect(mail.createMailbox(nobody, agent, "iNbOx")).rejects.toMatchObject({
      details: { reason: "already_exists" },
    });
  });

  it("expunges what is marked deleted, and only that", async () => {
    await append(plain, deletedFlag);
    await append(plain);
    const { expunged } = await mail.expungeMessages(nobody, agent, inbox.number);
    expect(formatNumberSet(expunged)).toBe("1");
    expect(await mail.listUids(agent, inbox.number)).toEqual([2]);
  });
});
