/** What the members of stored objects say about journeys (`members.ts`), seen over `/v1`: those that are kept are the same at the end. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { forEachMark, marksOf } from "#/src/model/marks.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import type { Journey } from "#/storage/schema/column.ts";
import { owner, run, start, useFolder } from "../daemon/archive-scene.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import type { InProcessDaemon } from "../support/daemon.ts";
import { ownOfFolder, ownOfMessage } from "../support/own-properties.ts";
import { itOnSqlite } from "../support/store.ts";
import { keptMembers, type members } from "./members.ts";

const { pathOf, archiveOf, takeBack } = useFolder();

type Content = Readonly<Record<string, unknown>>;
type Seen = Partial<Record<keyof typeof members, Content>>;

const mail = [
  "From: Own <own@far.example>",
  "To: Two <two@far.example>",
  "Reply-To: three@far.example",
  "Date: Sun, 05 Jan 2020 10:00:00 +0000",
  "Subject: Own",
  "Message-ID: <own@far.example>",
  "In-Reply-To: <first@far.example>",
  "References: <first@far.example>",
  "List-Id: <list.far.example>",
  "",
  "Own",
  "",
].join("\r\n");

const clientOf = (server: InProcessDaemon, at = 0): HttpClient =>
  httpClient(server.http.url, server.agents[at]!.token);

async function fill(server: InProcessDaemon): Promise<void> {
  const { address, password } = server.agents[0]!;
  await using client = await connectRawImap(server.imap);
  for (const command of [
    `LOGIN ${address} ${password}`,
    "CREATE Own/Box",
    `APPEND Own/Box (\\Seen \\Flagged \\Answered Own) {${mail.length}+}\r\n${mail}`,
  ])
    expect((await client.command(command)).status, command).toMatch(/^OK/);
  const { ok } = clientOf(server);
  const listed = await ok("search", { folder: "Own/Box" });
  const { id: message, folder: id } = listed.content.items[0];
  await ok("message.update", { id: message, ...ownMarks, ...ownOfMessage });
  const { version } = await ok("part.describe", { id });
  if (Object.keys(ownOfFolder).length > 0) await ok("folder.update", { id, version, ...ownOfFolder });
  const calendar = await ok("calendar.create", {
    ...{ name: "Own", description: "Its own", color: "#ff0000", time_zone: "Europe/Berlin", order: 7 },
  });
  await ok("event.create", {
    in: calendar.ref,
    body: { title: "Own", start: "2030-03-02T10:00:00", timeZone: "Europe/Berlin", duration: "PT1H" },
  });
  const book = await ok("addressbook.create", { name: "Own", description: "Its own" });
  await ok("contact.create", { in: book.ref, body: { name: "Own", emails: ["own@far.example"] } });
  await run(server, "agent.update", { owner, name: "Own" });
}

/** Of each mark the value that mail does not have when it arrives. */
const ownMarks = forEachMark((name) => !marksOf(0, [])[name]);

/** What is found of one owner, the message in a folder. */
async function lookAt(server: InProcessDaemon, folder: string, at = 0): Promise<Seen> {
  const { ok } = clientOf(server, at);
  const agent = (await ok("part.describe", { id: server.agents[at]!.id })).content;
  const describe = async (id: string): Promise<Content> => (await ok("part.describe", { id })).content;
  const listed = await ok("search", { folder });
  const own = ({ name }: { readonly name: string }): boolean => name === "Own";
  const [calendar, addressbook] = [agent.calendars.find(own), agent.addressbooks.find(own)];
  const itemOf = async (place: { readonly id: string } | undefined): Promise<Content | undefined> =>
    place && describe((await ok("search", { in: place.id })).content.items[0].id);
  const [event, contact] = [await itemOf(calendar), await itemOf(addressbook)];
  return {
    agent,
    folder: agent.folders.find((one: { readonly path: string }) => one.path === folder),
    message: await describe(listed.content.items[0].id),
    ...(calendar && { calendar, addressbook, event, contact }),
  };
}

const keptOf = (seen: Seen, kinds: readonly (keyof typeof members)[], ...journeys: readonly Journey[]) =>
  Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Object.fromEntries(
        keptMembers(kind, ...journeys).map((member) => {
          const value = seen[kind]![member];
          // A set: its order is that in which the owner's labels were first used.
          return [member, member === "labels" ? (value as string[]).toSorted() : value];
        }),
      ),
    ]),
  );

let there: InProcessDaemon;
let before: Seen;
beforeAll(async () => {
  there = await start();
  await fill(there);
  before = await lookAt(there, "Own/Box");
}, 300_000);
afterAll(() => there[Symbol.asyncDispose]());

it("each mark is set and read", async () => {
  const { ok } = clientOf(there);
  const { message: id } = await ok("draft.create", { body: { subject: "Own", text: "Own" } });
  for (const value of [true, false, true]) {
    const change = forEachMark(() => value);
    await ok("message.update", { id, ...change });
    expect((await ok("part.describe", { id })).content).toMatchObject(change);
  }
});

it("an account as an archive", async () => {
  await archiveOf(there, "all.tar");
  await using here = await start();
  await takeBack(here, "all.tar", { takesSettings: true });
  const after = await lookAt(here, "Own/Box");
  const kinds = ["agent", "folder", "message", "calendar", "event", "addressbook", "contact"] as const;
  const kept = keptOf(before, kinds, "export", "import");
  expect(kept).toMatchObject({
    message: { labels: expect.arrayContaining(["Own"]), ...ownMarks, ...ownOfMessage },
    folder: ownOfFolder,
    calendar: { color: "#ff0000" },
  });
  expect(keptOf(after, kinds, "export", "import")).toEqual(kept);
});

itOnSqlite("a backup that is put back", async () => {
  const data = pathOf("data");
  fs.mkdirSync(data);
  await there.daemon.house.store.backup(path.join(data, "waypost.db"));
  await using here = await start({ data });
  const after = await lookAt({ ...here, agents: there.agents }, "Own/Box");
  const kinds = ["agent", "folder", "message", "calendar", "event", "addressbook", "contact"] as const;
  expect(keptOf(after, kinds, "restore")).toEqual(keptOf(before, kinds, "restore"));
});

it.each(["Maildir", "mbox"])("mail as %s", async (form) => {
  const file = pathOf("mail");
  await run(there, "mail.export", { owner, file, isMbox: form === "mbox" });
  await using here = await start();
  await run(here, "mail.import", {
    owner,
    file: form === "mbox" ? path.join(file, "Own", "Box.mbox") : file,
  });
  const after = await lookAt(here, form === "mbox" ? "Box" : "Own/Box");
  expect(keptOf(after, ["message"], "mailboxFile")).toEqual(keptOf(before, ["message"], "mailboxFile"));
});

it("a message that is copied, and one that is transferred to another owner", async () => {
  const { store } = there.daemon.house;
  const [ada, bob] = there.agents.map(({ id }) => store.ids.decode(id)!.agent) as [AgentNumber, AgentNumber];
  const [box, archive] = [
    await findMailboxByName(store, ada, "Own/Box"),
    await findMailboxByName(store, ada, "Archive"),
  ];
  const inbox = (await findMailboxByName(store, bob, "INBOX"))!.mailbox;
  const uids = [[1, 1]] as const;
  const at = store.clock.now();
  await store.write(nobody, "copyMessages", {
    ...{ agent: ada, source: box!.mailbox, target: archive!.mailbox, uids, actor: nobody, at },
  });
  await store.write(nobody, "transferMessages", {
    source: { agent: ada, mailbox: box!.mailbox, actor: nobody },
    target: { agent: bob, mailbox: inbox, actor: nobody },
    ...{ uids, isMove: false, threadKeys: [], at },
  });
  const copied = await lookAt(there, "Archive");
  expect(keptOf(copied, ["message"], "copy")).toEqual(keptOf(before, ["message"], "copy"));
  const transferred = await lookAt(there, "INBOX", 1);
  expect(keptOf(transferred, ["message"], "transfer")).toEqual(keptOf(before, ["message"], "transfer"));
});

it("a draft in a new version", async () => {
  const { ok } = clientOf(there);
  const made = await ok("draft.create", { body: { to: ["own@far.example"], subject: "Own", text: "Own" } });
  const read = async (): Promise<Seen> => ({
    draft: (await ok("part.describe", { id: made.ref })).content,
  });
  const { message } = (await read()).draft as { readonly message: string };
  await ok("message.update", {
    id: message,
    version: made.version,
    ...ownMarks,
    ...ownOfMessage,
    add_labels: ["Own"],
  });
  const first = await read();
  const { version } = await ok("part.describe", { id: made.ref });
  await ok("draft.update", { id: made.ref, version, body: { subject: "Another" } });
  const after = await read();
  expect(after.draft).toMatchObject({
    subject: "Another",
    labels: expect.arrayContaining(["Own"]),
    ...ownMarks,
    ...ownOfMessage,
  });
  expect(keptOf(after, ["draft"], "draftVersion")).toEqual(keptOf(first, ["draft"], "draftVersion"));
});

it("each declared property is set, read and taken away", async () => {
  const { ok } = clientOf(there);
  const { message: id } = await ok("draft.create", { body: { subject: "Own", text: "Own" } });
  const { ref: folder } = await ok("folder.create", { path: "Own/Made", ...ownOfFolder });
  const describe = async (one: string) => ok("part.describe", { id: one });
  await ok("message.update", { id, ...ownOfMessage });
  const { content, version } = await describe(id);
  expect(content).toMatchObject(ownOfMessage);
  // The same again changes nothing.
  await ok("message.update", { id, ...ownOfMessage });
  expect((await describe(id)).version).toBe(version);
  const made = await describe(folder);
  expect(made.content).toMatchObject(ownOfFolder);
  const gone = <D extends object>(own: D) =>
    Object.fromEntries(Object.entries(own).map(([name, value]) => [name, value === true ? false : null]));
  await ok("message.update", { id, ...gone(ownOfMessage), add_labels: ["Own"] });
  const left = (await describe(id)).content;
  for (const name of Object.keys(ownOfMessage)) expect(left[name] ?? false, name).toBe(false);
  if (Object.keys(ownOfFolder).length === 0) return;
  await ok("folder.update", { id: folder, version: made.version, ...gone(ownOfFolder) });
  const { content: bare } = await describe(folder);
  expect(bare.path).toBe("Own/Made");
  for (const name of Object.keys(ownOfFolder)) expect(bare[name] ?? false, name).toBe(false);
});

it("a draft that is sent", async () => {
  const { ok } = clientOf(there);
  const body = { to: [there.agents[1]!.address], subject: "Own", text: "Own" };
  const describe = async (id: string): Promise<Content> => (await ok("part.describe", { id })).content;
  const places = {
    sent: {},
    scheduled: { send_at: new Date(Date.now() + 3_600_000).toISOString() },
    holds: { hold: "always" },
  };
  for (const [role, how] of Object.entries(places)) {
    const made = await ok("draft.create", { body });
    const { message: id } = await describe(made.ref);
    await ok("message.update", { id, ...ownMarks, ...ownOfMessage, add_labels: ["Own", "$Approved"] });
    const message = await describe(id as string);
    const { version } = await ok("part.describe", { id: made.ref });
    const { ref } = await ok("send", { draft: made.ref, version, ...how });
    const copy = await describe(ref);
    expect(copy).toMatchObject({ labels: expect.arrayContaining(["Own"]), ...ownOfMessage });
    expect(copy).toMatchObject({ ...ownMarks, unread: role === "holds" });
    // A mail is not approved because its draft had the word.
    expect(copy.labels).not.toContain("$Approved");
    const labels = (message.labels as string[]).filter((one) => one !== "$Approved");
    const [was, is] = [{ ...message, labels }, copy].map((one) =>
      keptOf({ message: one }, ["message"], "sending"),
    );
    expect(is).toEqual(was);
  }
});

/** A mail that waits, with what was set on it, and its message as it is shown. */
async function waiting(): Promise<{ readonly hold: string; readonly message: Content }> {
  const { ok } = clientOf(there);
  const body = { to: [there.agents[1]!.address], subject: "Own", text: "Own" };
  const { hold } = await ok("send", { body, hold: "always" });
  const { message } = (await ok("part.describe", { id: hold })).content;
  await ok("message.update", { id: message, ...ownMarks, ...ownOfMessage, add_labels: ["Own"] });
  return { hold, message: (await ok("part.describe", { id: message })).content };
}

it("a mail that waits for approval in a new version", async () => {
  const { ok } = clientOf(there);
  const { hold } = await waiting();
  const { version } = await ok("part.describe", { id: hold });
  const body = { to: [there.agents[1]!.address], subject: "Another", text: "Own" };
  await ok("hold.update", { id: hold, version, body });
  const { content } = await ok("part.describe", { id: hold });
  expect(content).toMatchObject({ subject: "Another", ...ownMarks, unread: true, ...ownOfMessage });
  expect(content.labels).toContain("Own");
});

it("a mail that waits for approval, in an archive", async () => {
  await waiting();
  await archiveOf(there, "waiting.tar");
  await using here = await start();
  await takeBack(here, "waiting.tar", { takesSettings: true });
  const { items } = (await clientOf(here).ok("search", { folder: "holds" })).content;
  const waits = [];
  for (const { id } of items) waits.push((await clientOf(here).ok("part.describe", { id })).content);
  const own = waits.filter(({ labels }) => labels.includes("Own"));
  expect(own.length).toBeGreaterThan(0);
  for (const one of own) expect(one).toMatchObject({ ...ownMarks, unread: true, ...ownOfMessage });
});
