/** Header fields that are stored with a message are answered as its header would be. */
import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { formatDeliveryTrace, formatTrace } from "#/src/arrival/trace.ts";
import { fillListFields } from "#/src/mail/fill-list-fields.ts";
import { pickListFields, storedFields, withFieldsOfTrace } from "#/src/mail/list-fields.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { nobody } from "#/src/model/author.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import { type RandomSource, randomSource } from "../support/random.ts";
import { type ImapServer, startImap } from "./server.ts";

let server: ImapServer;
let socket: net.Socket;

beforeAll(async () => {
  server = await startImap();
  socket = net.connect(server.port, "127.0.0.1");
  socket.setEncoding("latin1");
  await ask(`LOGIN robin@example.test "${server.robin.password}"`);
});
afterAll(async () => {
  socket.destroy();
  await server[Symbol.asyncDispose]();
});

async function ask(command: string): Promise<string> {
  socket.write(`t ${command}\r\n`, "latin1");
  for (let heard = ""; ; ) {
    heard += (await once(socket, "data"))[0] as string;
    const word = /^t (OK|NO|BAD)[^\r]*\r\n$/m.exec(heard);
    if (word === null) continue;
    expect(word[1], word[0]).toBe("OK");
    return heard;
  }
}

interface Kept {
  readonly listFields?: string | undefined;
  readonly otherFields?: string | undefined;
  /** Room that the row has otherwise. */
  readonly provenance?: string;
}

/** Makes a mailbox of the messages and selects it. */
async function putInto(name: string, messages: readonly (Kept & { readonly facts: MessageFacts })[]) {
  const { agent } = server.store.ids.decode(server.robin.id)!;
  await ask(`CREATE ${name}`);
  const mailbox = (await server.mail.findMailbox(agent, name))!;
  const at = server.store.clock.now();
  await server.store.write(nobody, "appendMessages", {
    ...{ actor: nobody, agent, mailbox: mailbox.number, at },
    messages: messages.map(({ facts, provenance = "{}", ...kept }) => ({
      facts: { ...facts, ...kept },
      ...{ flags: 0, keywords: [], internalDate: at, provenance, isAuthenticated: false },
    })),
  });
  await ask(`SELECT ${name}`);
  return agent;
}

/** The literals of the FETCH responses. */
async function fetchFields(section: string, partial = ""): Promise<string[]> {
  const heard = await ask(`FETCH 1:* (BODY.PEEK[${section}]${partial})`);
  const found: string[] = [];
  for (let at = 0; ; ) {
    const head = /\* (\d+) FETCH \(BODY\[[^\]]*\](?:<\d+>)? \{(\d+)\}\r\n/y;
    head.lastIndex = at;
    const match = head.exec(heard);
    if (match === null) return found;
    const start = head.lastIndex;
    at = start + Number(match[2]);
    expect(heard.slice(at, at + 3)).toBe(")\r\n");
    found.push(heard.slice(start, at));
    at += 3;
  }
}

const listed = "Date From To Cc Bcc Subject Message-ID References In-Reply-To Content-Type List-Id".split(
  " ",
);
const others = ["Received", "X-Other", "Comments", "DKIM-Signature"];
const absent = ["X-Absent", "Authentication-Results", "X-Spam", "A"];

function inAnyCase(random: RandomSource, name: string): string {
  return random.one([name, name.toLowerCase(), name.toUpperCase()]);
}

function fieldOf(random: RandomSource): string {
  const name = inAnyCase(random, random.one(random.below(3) === 0 ? others : listed));
  const end = random.one(["\r\n", "\r\n", "\r\n", "\n"]);
  const words = Array.from({ length: random.below(6) }, () =>
    random.one([
      "word",
      "<a@b.example>",
      "",
      `${end} folded`,
      `${end}\tSubject: not one`,
      "caf\xe9",
      ":",
      "\x00",
    ]),
  );
  const value = random.below(40) === 0 ? "long ".repeat(600) : words.join(random.one([" ", ""]));
  const form = random.below(12);
  if (form === 0) return `no field${end}`;
  if (form === 1) return ` ${name}: after white space${end}`;
  if (form === 2) return `${name} : ${value}${end}`;
  return `${name}:${value}${end}`;
}

function messageOf(random: RandomSource): Buffer {
  const fields = Array.from({ length: random.below(9) }, () => fieldOf(random)).join("");
  const end = random.one(["\r\nSubject: in the body\r\n", "\nText", "", "Subject: without an end"]);
  return Buffer.from(fields + end, "latin1");
}

it("gives the octets of the header, whatever is in it", async () => {
  const random = randomSource(inject("seed"));
  // Whatever is drawn, fields of one are stored, and of another not.
  const texts: Buffer[] = [Buffer.from(letter), Buffer.from("Subject: caf\xe9\r\n\r\n", "latin1")];
  const facts: MessageFacts[] = [];
  for (let number = 0; number < 300; number++) texts.push(messageOf(random));
  for (const text of texts) facts.push(await prepareMessage(text));
  await putInto(
    "Random",
    facts.flatMap((one) => [{ facts: one }, { facts: one, listFields: undefined }]),
  );
  expect(facts.slice(0, 2).map(({ listFields }) => listFields !== undefined)).toEqual([true, false]);
  for (let round = 0; round < 30; round++) {
    const from = round % 2 === 1 ? [...listed, ...others, ...absent] : listed;
    const asked = Array.from({ length: 1 + random.below(7) }, () => inAnyCase(random, random.one(from)));
    const partial = round % 5 === 4 ? `<${random.below(40)}.${1 + random.below(60)}>` : "";
    const found = await fetchFields(`HEADER.FIELDS (${asked.join(" ")})`, partial);
    expect(found).toHaveLength(2 * facts.length);
    for (const [at] of facts.entries()) expect(found[2 * at], asked.join()).toBe(found[2 * at + 1]);
  }
});

const letter = "Subject: of the header\r\nX-Other: one\r\nTo: kim@example.test\r\n\r\nText\r\n";

it("reads no header where the stored fields have all that is asked for", async () => {
  const facts = await prepareMessage(Buffer.from(letter));
  expect(facts.listFields).toBe(storedFields("Subject: of the header\r\nTo: kim@example.test\r\n"));
  const marked = "Subject: of the row\r\n";
  await putInto("Marked", [{ facts, listFields: storedFields(marked) }]);
  expect(await fetchFields("HEADER.FIELDS (subject DATE)")).toEqual([`${marked}\r\n`]);
  expect(await fetchFields("HEADER.FIELDS (Subject X-Other)")).toEqual([
    "Subject: of the header\r\nX-Other: one\r\n\r\n",
  ]);
  expect(await fetchFields("HEADER.FIELDS.NOT (To)")).toEqual([
    "Subject: of the header\r\nX-Other: one\r\n\r\n",
  ]);
  const several = await ask(
    "FETCH 1 (BODY.PEEK[HEADER.FIELDS (Subject)] BODY.PEEK[HEADER.FIELDS (X-Other)])",
  );
  expect(several).toContain(
    "{26}\r\nSubject: of the header\r\n\r\n BODY[HEADER.FIELDS (X-Other)] {16}\r\nX-Other: one",
  );
});

it("reads no header for fields that no header has, and reads it where it may have one", async () => {
  const facts = await prepareMessage(Buffer.from(letter));
  const row = { facts, listFields: storedFields("Subject: of the row\r\n") };
  const folded = await prepareMessage(Buffer.from(` folded\r\n${letter}`));
  expect([folded.listFields, folded.otherFields]).toEqual([undefined, undefined]);
  const many = Array.from({ length: 65 }, (_, number) => `X-${number}: one\r\n`).join("");
  expect((await prepareMessage(Buffer.from(many + letter))).otherFields).toBeUndefined();
  await putInto("Others", [row, { ...row, otherFields: undefined }, { ...row, otherFields: "" }]);
  const ofRow = "Subject: of the row\r\n\r\n";
  const ofHeader = "Subject: of the header\r\n\r\n";
  expect(await fetchFields("HEADER.FIELDS (Subject X-Absent)")).toEqual([ofRow, ofHeader, ofRow]);
  expect(await fetchFields("HEADER.FIELDS (X-ABSENT Subject A B C)")).toEqual([ofRow, ofHeader, ofRow]);
  expect(await fetchFields("HEADER.FIELDS (Subject A B C D E)")).toEqual([ofHeader, ofHeader, ofHeader]);
  const whole = "Subject: of the header\r\nX-Other: one\r\n\r\n";
  expect(await fetchFields("HEADER.FIELDS (X-other Subject)")).toEqual([whole, whole, ofRow]);
  const sections = ["A B C", "D E F"].map((names) => `BODY.PEEK[HEADER.FIELDS (Subject ${names})]`);
  expect((await ask(`FETCH 1 (${sections.join(" ")})`)).split(ofHeader)).toHaveLength(3);
});

it("has the other fields of a trace in their place", async () => {
  const agent = server.store.ids.decode(server.robin.id)!;
  const [account] = await server.store.column<AccountNumber>(
    "select account_id from agent where agent_id = ?",
    agent.agent,
  );
  const { store } = server;
  const facts = await prepareMessage(Buffer.from(letter));
  const at = store.clock.now();
  const traces = ["", "X-Spam: no\r\nReturn-Path: <>\r\n", "X-Spam: no\r\nBcc: kim@example.test\r\nA: b\r\n"];
  const kept = [true, false];
  for (const trace of traces.map((text) => Buffer.from(text)))
    for (const isKept of kept)
      await store.write(nobody, "deliverMessage", {
        facts: {
          ...facts,
          listFields: isKept ? withFieldsOfTrace(trace, facts.listFields) : undefined,
        },
        recipients: [
          {
            ...{ account: account!, agent: agent.agent, mailboxRole: "inbox", trace, flags: 0 },
            ...{ provenance: "{}", isAuthenticated: true, source: "smtp" },
          },
        ],
        ...{ internalDate: at, at },
      });
  await ask("SELECT INBOX");
  for (const names of ["Subject X-Spam", "x-spam A Bcc", "Bcc To", "Return-Path X-Other"]) {
    const found = await fetchFields(`HEADER.FIELDS (${names})`);
    expect(found).toHaveLength(6);
    for (const [at] of traces.entries()) expect(found[2 * at], names).toBe(found[2 * at + 1]);
    expect(found[2]!.startsWith("X-Spam: no\r\n")).toBe(/spam/i.test(names));
  }
});

it("does not store fields that are long, that are not of ASCII, or for which the row has no room", async () => {
  const fieldsOf = async (header: string): Promise<string | undefined> =>
    (await prepareMessage(Buffer.from(`${header}\r\n\r\n`, "latin1"))).listFields;
  expect(await fieldsOf("X-Other: one")).toBe("\n");
  expect(await fieldsOf(`Subject: ${"a".repeat(2037)}`)).toHaveLength(2048 + 4);
  expect(await fieldsOf(`Subject: ${"a".repeat(2038)}`)).toBeUndefined();
  expect(await fieldsOf("Subject: caf\xe9")).toBeUndefined();
  expect(await fieldsOf("Subject: a\0b")).toBeUndefined();
  expect(await fieldsOf(`X-Other: ${"a".repeat(140_000)}\r\nSubject: b`)).toBeUndefined();

  const facts = await prepareMessage(Buffer.from(letter));
  const marked = "Subject: of the row\r\n";
  const rowOf = (octets: number) => ({
    facts,
    listFields: storedFields(marked),
    provenance: `"${"x".repeat(octets)}"`,
  });
  await putInto("Narrow", [rowOf(1000), rowOf(1800)]);
  expect(await fetchFields("HEADER.FIELDS (Subject)")).toEqual([
    `${marked}\r\n`,
    "Subject: of the header\r\n\r\n",
  ]);
});

it("stores the fields of mail that came before, where the row has room, and looks at each message once", async () => {
  const facts: MessageFacts[] = [];
  for (let number = 0; number < 150; number++)
    facts.push(await prepareMessage(Buffer.from(`Subject: ${number}\r\n${letter}`)));
  facts.push(await prepareMessage(Buffer.from(`X-Other: ${"a ".repeat(5000)}\r\n${letter}`)));
  const agent = await putInto(
    "Older",
    facts.map((one, at) => ({
      ...{ facts: one, listFields: undefined, otherFields: undefined },
      ...(at === 3 ? { provenance: `"${"x".repeat(1800)}"` } : {}),
    })),
  );
  const { store } = server;
  await fillListFields(store);
  const stored = await store.column<string | null>(
    `select list_fields || other_fields
    from entry
    join message on message.agent_id = entry.agent_id and message.message_id = entry.message_id
    where entry.agent_id = ? and mailbox_id =
      (select mailbox_id from mailbox where mailbox.agent_id = entry.agent_id and name = 'Older')
    order by uid`,
    agent,
  );
  const expected = facts.map(({ blob }, at) => {
    const { listFields, otherFields } = pickListFields(blob.header);
    return at === 3 ? null : `${listFields}${otherFields}`;
  });
  expect(stored).toEqual(expected);
  const before = await store.get("select value from deployment where name like 'list fields%'");
  await fillListFields(store);
  expect(await store.get("select value from deployment where name like 'list fields%'")).toEqual(before);
  const found = await fetchFields("HEADER.FIELDS (Subject)");
  expect(found[149]).toBe("Subject: 149\r\nSubject: of the header\r\n\r\n");
});

it("has the fields of a trace: a copy of what was sent has Bcc there, mail that comes in has none of them", () => {
  const bcc = Buffer.from("Bcc: kim@example.test,\r\n mel@example.test\r\n");
  const fields = "Subject: one\r\n";
  expect(withFieldsOfTrace(bcc, storedFields(fields))).toBe(storedFields(bcc.toString() + fields));
  expect(withFieldsOfTrace(bcc, undefined)).toBeUndefined();
  expect(withFieldsOfTrace(Buffer.alloc(2049, "a"), storedFields(fields))).toBeUndefined();
  const arrived = formatTrace({
    reversePath: "eve@example.net",
    deliveredTo: ["robin@example.test"],
    hostname: "mx.example.test",
    transport: {
      ...{
        source: "smtp",
        id: "a1",
        remoteAddress: "192.0.2.1",
        heloName: "mx.example.net",
        principal: undefined,
      },
      ...{ isEsmtp: true, isTls: true, isUtf8: false },
    },
    authenticationResults: "Authentication-Results: mx.example.test; spf=pass\r\n",
    at: 0,
  });
  expect(pickListFields(arrived).listFields).toBe("\n");
  expect(pickListFields(formatDeliveryTrace("", ["robin@example.test"])).listFields).toBe("\n");
});
