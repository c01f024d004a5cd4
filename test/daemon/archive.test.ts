/** An account as one file: what comes out of it again is what went in, through every door, ids and times of writing aside. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { selectOwner } from "#/src/accounts/administration/selectors.ts";
import { importAccount } from "#/src/daemon/moving/archive/import-account.ts";
import { tarEnd, tarEntry } from "#/src/daemon/moving/archive/tar.ts";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { createMail } from "#/src/mail/mail.ts";
import { keywordNumbers, systemFlagNames, systemFlags } from "#/src/model/flags.ts";
import type { Store } from "#/storage/store.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { basic, davClient } from "../support/dav-client.ts";
import { httpClient } from "../support/http.ts";
import { cardText, eventText } from "../support/item-texts.ts";
import { connectRawImap } from "../support/raw-imap.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-archive-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const start = () =>
  startInProcessDaemon({ agents: 2, people: 1, set: ["dns.servers=none", "log.level=silent"] });

function run(server: InProcessDaemon, operation: string, input: object, signal?: AbortSignal) {
  return runPrivateOperation(server.daemon.house, {
    operation,
    input: input as Record<string, unknown>,
    signal: signal ?? new AbortController().signal,
    onProgress() {},
    onFrame() {},
  });
}

const owner = "agent1@waypost.test";
const archiveOf = (server: InProcessDaemon, file: string) =>
  run(server, "mail.export", { owner, file: path.join(folder, file) });
const takeBack = (server: InProcessDaemon, file: string, more: object = {}) =>
  run(server, "mail.import", { owner, file: path.join(folder, file), ...more }) as Promise<
    Record<string, unknown>
  >;

/** Mail, events, contacts, files and settings, written as clients write them. */
async function fill(server: InProcessDaemon): Promise<void> {
  const { address, password } = server.agents[0]!;
  await using client = await connectRawImap(server.imap);
  const command = async (text: string, literal?: Buffer): Promise<string> => {
    const { status, untagged } = await client.command(text, literal);
    expect(status, text).toMatch(/^OK/);
    return status + untagged.map((one) => one.text).join("");
  };
  await command(`LOGIN ${address} ${password}`);
  await command('CREATE "Projects/2020 &ANw-"');
  await command('SUBSCRIBE "Projects/2020 &ANw-"');
  await command("UNSUBSCRIBE Junk");
  await command('SETMETADATA "Projects/2020 &ANw-" (/private/comment "of last year")');
  const append = (box: string, flags: string, text: string): Promise<string> =>
    command(
      `APPEND ${box} (${flags}) "05-Jan-2020 10:00:0${text.length % 10} +0000" {${Buffer.byteLength(text)}+}\r\n${text}`,
    );
  const mail = (subject: string, more = ""): string =>
    `Message-ID: <${subject}@far.example>\r\nFrom: a@far.example\r\nSubject: ${subject}\r\n${more}\r\nLine of ${subject}\r\n`;
  await append("INBOX", "\\Seen $label1", mail("first"));
  await append("INBOX", "\\Flagged", mail("second", "References: <first@far.example>\r\n"));
  await append('"Projects/2020 &ANw-"', "Custom", mail("third"));
  await append("Drafts", "\\Draft", mail("fourth"));
  await command("SELECT INBOX");
  await command('COPY 1 "Projects/2020 &ANw-"');
  await command("COPY 1 INBOX");
  await append("INBOX", "", mail("fifth"));
  await command("STORE 3 FLAGS (\\Answered)");

  const dav = davClient(server.http.url, basic(address, password));
  const home = `/dav/calendars/${server.agents[0]!.id}`;
  const done = async (method: string, at: string, body?: string | Buffer, fields = {}): Promise<void> => {
    const { status, text } = await dav.request(method, at, body, fields);
    expect(status, `${method} ${at} ${text}`).toBeLessThan(300);
  };
  await done(
    "MKCALENDAR",
    `${home}/work/`,
    '<c:mkcalendar xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:a="http://apple.com/ns/ical/"><set><prop><displayname>Work</displayname><a:calendar-color>#ff0000</a:calendar-color><x:note xmlns:x="urn:x">kept</x:note></prop></set></c:mkcalendar>',
  );
  await done("PUT", `${home}/work/one.ics`, eventText("one", "SUMMARY:One", "X-ODD:kept"));
  await done("PUT", `${home}/work/two.ics`, eventText("two", "SUMMARY:Two"));
  await done("POST", `${home}/work/two.ics?action=attachment-add`, Buffer.from("attached"), {
    "Content-Type": "text/plain",
    "Content-Disposition": 'attachment; filename="a.txt"',
  });
  await done(
    "PROPPATCH",
    `${home}/work/one.ics`,
    '<propertyupdate xmlns="DAV:"><set><prop><x:mark xmlns:x="urn:x">m</x:mark></prop></set></propertyupdate>',
  );
  await run(server, "collection.import", {
    owner: address,
    file: writeFile("c.vcf", Buffer.concat([cardText("ada", "Ada"), cardText("eve", "Eve")])),
  });
  await done("MKCOL", `/dav/files/${server.agents[0]!.id}/notes/`);
  await done("PUT", `/dav/files/${server.agents[0]!.id}/notes/a.txt`, "a note", {
    "Content-Type": "text/plain",
  });

  await run(server, "agent.update", { owner, name: "Kim", holdPolicy: "external", allow: ["far.example"] });
  await run(server, "agent.alias", { owner, address: "kim@waypost.test" });
  await run(server, "grant.create", {
    holder: "person1@waypost.test",
    target: owner,
    scopes: ["mail:read", "calendar:read"],
    mailboxes: ["INBOX"],
    calendars: ["Work"],
  });
}

function writeFile(name: string, bytes: Buffer): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, bytes);
  return file;
}

/** What every door shows, without ids, and times at which something was written here. */
async function shown(server: InProcessDaemon): Promise<string[]> {
  const { address, password, token, id } = server.agents[0]!;
  const lines: string[] = [];
  await using client = await connectRawImap(server.imap);
  await client.command(`LOGIN ${address} ${password}`);
  for (const text of [
    'LIST "" * RETURN (SUBSCRIBED SPECIAL-USE)',
    'GETMETADATA "Projects/2020 &ANw-" /private/comment',
  ])
    for (const one of (await client.command(text)).untagged)
      lines.push([one.text, ...one.literals].join(" "));
  for (const box of ["INBOX", '"Projects/2020 &ANw-"', "Drafts", "Sent", "Trash"]) {
    await client.command(`EXAMINE ${box}`);
    for (const one of (
      await client.command("FETCH 1:* (FLAGS INTERNALDATE ENVELOPE BODYSTRUCTURE BODY.PEEK[])")
    ).untagged)
      lines.push([box, one.text, ...one.literals].join(" "));
  }
  const dav = davClient(server.http.url, basic(address, password));
  for (const home of [`/dav/calendars/${id}/`, `/dav/addressbooks/${id}/`, `/dav/files/${id}/`]) {
    const { text } = await dav.request("PROPFIND", home, undefined, { Depth: "infinity" });
    const body = text.includes("propfind-finite-depth")
      ? (await dav.request("PROPFIND", home, undefined, { Depth: "1" })).text
      : text;
    const hrefs = [...body.matchAll(/<(?:\w+:)?href>([^<]+)</g)].map(([, href]) => href!);
    for (const href of new Set(hrefs.filter((one) => one.startsWith(home)))) {
      lines.push(`${href} ${(await dav.request("PROPFIND", href, undefined, { Depth: "0" })).text}`);
      const inside = await dav.request("PROPFIND", href, undefined, { Depth: "1" });
      for (const [, item] of inside.text.matchAll(/<(?:\w+:)?href>([^<]+\.(?:ics|vcf|txt))</g)) {
        lines.push(`${item} ${(await dav.request("PROPFIND", item!, undefined, { Depth: "0" })).text}`);
        lines.push(`${item} ${(await dav.request("GET", item!)).text}`);
      }
    }
  }
  const { ok } = httpClient(server.http.url, token);
  const { items } = (await ok("search", { limit: 100 })).content;
  for (const { id: message } of items) {
    const { content } = await ok("part.describe", { id: message });
    lines.push(JSON.stringify(content));
  }
  lines.push(`${items.length} found`);
  return lines.map(withoutIds).sort();
}

function withoutIds(line: string): string {
  return line
    .replaceAll(/\r?\n[ \t]/g, "")
    .replace(/\\Recent ?/g, "")
    .replace(/\b(ag|message|thread|folder|calendar|event|addressbook|contact|draft)_[0-9a-z]{26}/g, "$1_")
    .replace(/https?:\/\/(?:127\.0\.0\.1|localhost):\d+/g, "http://here")
    .replace(
      /<(?:\w+:)?(getetag|getctag|getcontentlength|sync-token|creationdate|getlastmodified|schedule-tag)\b[^>]*>[^<]*</g,
      "<$1><",
    )
    .replace(/"(received_at|version|modified_at|created_at|updated_at|cursor)":"?[^",}]*"?/g, '"$1":""');
}

describe("an account as an archive", () => {
  it.each(["all.tar", "all.tar.gz", "all.tar.zst"])("%s brings back what was in it, once", async (file) => {
    await using there = await start();
    await fill(there);
    expect(await archiveOf(there, file)).toMatchObject({ messages: 7, items: 4, files: 2 });
    expect(fs.statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
    await using server = await start();
    const first = await takeBack(server, file, { takesSettings: true });
    expect(first).toMatchObject({ imported: 7, known: 0, items: 4, files: 2, refused: 0, refusals: [] });
    expect(await shown(server)).toEqual(await shown(there));
    const { ok } = httpClient(server.http.url, server.agents[0]!.token);
    for (const { id } of (await ok("search", { limit: 100 })).content.items)
      expect((await ok("part.describe", { id })).content.received_at).toMatch(/^2020-01-05T/);
    const settings = async (one: InProcessDaemon) => [
      await run(one, "agent.show", { owner }),
      await run(one, "grant.list", { holder: "person1@waypost.test" }),
    ];
    const told = (value: unknown): string =>
      withoutIds(JSON.stringify(value)).replace(/"(createdAt|bytes)":"?[^",}]*"?/g, "");
    expect(told(await settings(server))).toBe(told(await settings(there)));
    const again = await takeBack(server, file, { takesSettings: true });
    expect(again).toMatchObject({ imported: 0, known: 13, items: 0, files: 0, refused: 0 });
    expect(await shown(server)).toEqual(await shown(there));
    await expect(archiveOf(there, file)).rejects.toThrow("exists");
  });

  it("changes no settings that the operator did not ask for, and tells them", async () => {
    await using there = await start();
    await fill(there);
    await archiveOf(there, "all.tar");
    await using server = await start();
    const before = await run(server, "agent.show", { owner });
    const { settings } = await takeBack(server, "all.tar");
    expect(settings).toMatchObject({ name: "Kim", holdPolicy: "external", aliases: ["kim@waypost.test"] });
    expect(settings).toMatchObject({ grants: [{ holder: "person1@waypost.test", calendars: ["Work"] }] });
    expect(await run(server, "agent.show", { owner })).toMatchObject({
      name: (before as { name: string }).name,
      holdPolicy: "first_contact",
      aliases: [],
    });
  });
});

/** A tar of these entries behind a manifest with one folder. */
function madeArchive(
  entries: readonly (readonly [string, string | Buffer])[],
  manifest: object = {},
): Buffer {
  const head = {
    format: "waypost-account",
    version: 1,
    id: "0".repeat(32),
    madeAt: "2026-01-01T00:00:00.000Z",
    address: owner,
    kind: "agent",
    counts: { messages: 1, items: 0 },
    settings: { aliases: [], grants: [] },
    folders: [{ path: "INBOX", role: "inbox", isSubscribed: true }],
    ...manifest,
  };
  return Buffer.concat([
    ...[["manifest.json", JSON.stringify(head)] as const, ...entries].flatMap(([name, content]) => [
      ...tarEntry(name, Buffer.from(content), 0),
    ]),
    tarEnd,
  ]);
}

const page = (...messages: readonly object[]): string => JSON.stringify({ messages });
const facts = { flags: [], internalDate: 0 };

describe("an archive that is hostile or damaged", () => {
  it.each([
    ["no tar", Buffer.alloc(2000, "x"), "It is no tar"],
    ["empty", Buffer.alloc(0), "It is cut off"],
    [
      "cut off",
      madeArchive([["mail/0/0.json", page({ file: "1.eml", ...facts })]]).subarray(0, 1200),
      "cut off",
    ],
    ["of no account", Buffer.concat([...tarEntry("a.txt", Buffer.from("a"), 0), tarEnd]), "no manifest.json"],
    [
      "of a later version",
      madeArchive([], { version: 2 }),
      "manifest.json of the archive is not as it has to be",
    ],
    [
      "a bomb",
      zlib.zstdCompressSync(Buffer.concat([madeArchive([]).subarray(0, -1024), bomb()])),
      "far larger",
    ],
    [
      "damaged inside",
      Buffer.concat([zlib.gzipSync(madeArchive([])).subarray(0, 60), Buffer.alloc(9)]),
      "damaged",
    ],
    [
      "a page of very many values",
      madeArchive([
        [
          "mail/0/0.json",
          page(...Array(250).fill({ file: "1.eml", internalDate: 0, flags: Array(1000).fill("k") })),
        ],
      ]),
      "0.json of the archive is not as it has to be",
    ],
    [
      "a manifest of very many members",
      madeArchive([], Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`more${at}`, ""]))),
      "manifest.json of the archive is not as it has to be",
    ],
    [
      "of strange entries",
      madeArchive(Array.from({ length: 1002 }, (_, at) => [`x/${at}`, ""])),
      "many entries",
    ],
  ])("that is %s is refused", async (_, bytes, why) => {
    await using server = await start();
    writeFile("a.tar", bytes);
    await expect(takeBack(server, "a.tar")).rejects.toThrow(why);
  });

  /** An entry of 300 MB of zeros. */
  function bomb(): Buffer {
    const size = 300 * 1024 * 1024;
    const [header] = [...tarEntry("x", Buffer.alloc(0), 0)];
    header!.set(Buffer.from(size.toString(8).padStart(11, "0")), 124);
    header!.set(Buffer.from("        "), 148);
    const sum = header!.reduce((total, one) => total + one, 0);
    header!.set(Buffer.from(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
    return Buffer.concat([header!, Buffer.alloc(size)]);
  }

  it("writes no file, believes no claim, and refuses what cannot be stored, entry by entry", async () => {
    await using server = await start();
    const before = fs.readdirSync(folder);
    writeFile(
      "a.tar",
      madeArchive(
        [
          ["../../escaped", "x"],
          ["/etc/escaped", "x"],
          ["mail/7/0.json", page()],
          ["mail/0/9.eml", "Subject: on no page\r\n\r\n"],
          [
            "mail/0/0.json",
            page(
              { file: "1.eml", ...facts, flags: ["\\Seen", "\\Odd"] },
              { copyOf: "mail/0/5.eml", flags: [] },
            ),
          ],
          ["mail/0/1.eml", "Subject: one\r\nAuthentication-Results: waypost.test; spf=pass\r\n\r\none\r\n"],
          ["mail/0/1.eml", "Subject: twice\r\n\r\n"],
          ["mail/1/0.json", page({ file: "2.eml", ...facts })],
          ["mail/1/2.eml", "Subject: two\r\n\r\nwaiting\r\n"],
          [
            "collections/0.json",
            JSON.stringify({
              kind: "calendar",
              role: "default",
              displayName: "Calendar",
              isTransparent: false,
            }),
          ],
          [
            "collections/0/0.json",
            JSON.stringify({ items: [{ file: "1.ics", segment: "../x" }, { file: "2.ics" }] }),
          ],
          ["collections/0.json", "{}"],
          ["collections/0/1.ics", eventText("one")],
          ["collections/0/2.ics", "no calendar"],
          [
            "files/0.json",
            JSON.stringify({ files: [{ path: "../x" }, { path: "a/../../b", file: "1.bin" }] }),
          ],
          ["files/1.bin", "x"],
        ],
        {
          folders: [
            { path: "INBOX", role: "inbox", isSubscribed: true },
            { path: "Holds/Approved", role: "holds_approved", isSubscribed: true },
          ],
        },
      ),
    );
    const result = await takeBack(server, "a.tar");
    expect(result).toMatchObject({ imported: 2, items: 0, files: 0, refused: 8 });
    expect(fs.readdirSync(folder)).toEqual([...before, "a.tar"]);
    const { ok } = httpClient(server.http.url, server.agents[0]!.token);
    const { items } = (await ok("search", { limit: 10 })).content;
    expect(
      items.map((one: { subject: string; authenticated: boolean }) => [one.subject, one.authenticated]),
    ).toEqual(
      expect.arrayContaining([
        ["one", false],
        ["two", false],
      ]),
    );
    // Nothing waits to be sent.
    expect((await run(server, "queue.list", {})) as object).toMatchObject({ mails: [] });
  });

  it("brings what was too large before and no other message again, when more is allowed, or less", async () => {
    await using server = await start();
    const { house } = server.daemon;
    const account = await selectOwner(house.store, owner);
    const mail = (name: string, more = ""): string => `Subject: ${name}\r\n\r\n${more}\r\n`;
    const names = Array.from({ length: 40 }, (_, at) => `m${at}`);
    const file = writeFile(
      "a.tar",
      madeArchive([
        ["mail/0/0.json", page(...names.map((_, at) => ({ file: `${at}.eml`, ...facts })))],
        ...names.map(
          (name, at) => [`mail/0/${at}.eml`, mail(name, at === 5 ? "x".repeat(2000) : "")] as const,
        ),
      ]),
    );
    const take = (bytesMax: number) =>
      importAccount(house, account, file, {
        bytesMax,
        takesSettings: false,
        signal: new AbortController().signal,
        onProgress() {},
      });
    expect(await take(1000)).toMatchObject({ imported: 39, known: 0, refused: 1 });
    expect(await take(10_000)).toMatchObject({ imported: 1, known: 39, refused: 0 });
    expect(await take(1000)).toMatchObject({ imported: 0, known: 39, refused: 1 });
    const other = await selectOwner(house.store, "agent2@waypost.test");
    const takeThere = (bytesMax: number) =>
      importAccount(house, other, file, {
        bytesMax,
        takesSettings: false,
        signal: new AbortController().signal,
        onProgress() {},
      });
    expect(await takeThere(10_000)).toMatchObject({ imported: 40 });
    expect(await takeThere(1000)).toMatchObject({ imported: 0, known: 39, refused: 1 });
    const box = (await house.mail.findMailbox(account.agent, "INBOX"))!;
    expect(box.messageCount).toBe(40);
  });

  it("takes nothing for known that another archive with the same identifier has at the same place", async () => {
    await using server = await start();
    const made = (word: string, isShort: boolean) => {
      const names = isShort ? [1] : [1, 2, 3];
      return madeArchive(
        [
          [
            "mail/0/0.json",
            page(
              ...names.map((at) => ({
                file: `${at}.eml`,
                ...facts,
                ...(at === 1 ? { isShared: true } : {}),
              })),
            ),
          ],
          ...names.map((at) => [`mail/0/${at}.eml`, `Subject: ${word} ${at}\r\n\r\n\r\n`] as const),
          ["mail/1/0.json", page({ copyOf: "mail/0/1.eml", flags: [] })],
          [
            "collections/0.json",
            JSON.stringify({ kind: "calendar", displayName: word, isTransparent: false }),
          ],
          ["collections/0/0.json", JSON.stringify({ items: [{ file: "1.ics" }] })],
          ["collections/0/1.ics", eventText(word)],
        ],
        {
          folders: [
            { path: "INBOX", role: "inbox", isSubscribed: true },
            { path: "Copies", isSubscribed: true },
          ],
        },
      );
    };
    for (const [word, isShort, imported] of [
      ["one", false, 4],
      ["two", false, 4],
      ["three", true, 2],
      ["four", true, 2],
    ] as const) {
      writeFile("a.tar", made(word, isShort));
      expect(await takeBack(server, "a.tar"), word).toMatchObject({
        imported,
        known: 0,
        items: 1,
        refused: 0,
      });
      const known = imported + 1;
      expect(await takeBack(server, "a.tar"), word).toMatchObject({
        imported: 0,
        known,
        items: 0,
        refused: 0,
      });
    }
    const { house } = server.daemon;
    const { agent } = (await house.accounts.findOwner(owner))!;
    const names = (await house.collections.listCollections(agent)).map(({ displayName }) => displayName);
    expect(names).toEqual(expect.arrayContaining(["one", "two", "three", "four"]));
  });

  it("refuses each item of a collection that is refused, and goes on, however many there are", async () => {
    await using server = await start();
    const items = Array.from({ length: 1100 }, (_, at) => [`collections/0/${at}.ics`, "x"] as const);
    writeFile(
      "a.tar",
      madeArchive([
        [
          "collections/0.json",
          JSON.stringify({ kind: "calendar", segment: "a/b", displayName: "a", isTransparent: false }),
        ],
        ["collections/0/0.json", JSON.stringify({ items: [{ file: "1.ics" }] })],
        ...items,
        ["files/0.json", JSON.stringify({ files: [{ path: "behind" }] })],
      ]),
    );
    expect(await takeBack(server, "a.tar")).toMatchObject({ items: 0, files: 1, refused: 1101 });
  });

  it("gives a file its properties that an earlier run was killed before", async () => {
    await using server = await start();
    const { house } = server.daemon;
    const { agent } = (await house.accounts.findOwner(owner))!;
    const file = { path: "a.txt", bytes: Buffer.from("a"), mediaType: "text/plain" };
    await house.files.putFile(agent, { agent, canApprove: false }, file);
    const deadProperties = [{ namespace: "urn:x", name: "p", xml: '<p xmlns="urn:x">1</p>' }];
    const described = { path: "a.txt", file: "1.bin", mediaType: "text/plain", deadProperties };
    writeFile(
      "a.tar",
      madeArchive([
        ["files/0.json", JSON.stringify({ files: [described] })],
        ["files/1.bin", "a"],
      ]),
    );
    expect(await takeBack(server, "a.tar")).toMatchObject({ files: 0, known: 1, refused: 0 });
    const found = (await house.files.findFile(agent, "a.txt"))!;
    expect(await house.files.listDeadProperties(found)).toMatchObject([{ name: "p" }]);
  });

  it("gives a copy its own flags, behind whichever write an earlier run was killed", async () => {
    await using server = await start();
    const { house } = server.daemon;
    const account = await selectOwner(house.store, owner);
    const { agent } = account;
    let kills = 0;
    for (let writes = 0, isKilled = true; isKilled; writes++) {
      const name = `Copies ${writes}`;
      const file = writeFile(
        "a.tar",
        madeArchive(
          [
            [
              "mail/0/0.json",
              page({ file: "1.eml", flags: ["\\Seen", "one"], internalDate: 0, isShared: true }),
            ],
            ["mail/0/1.eml", "Subject: shared\r\n\r\n\r\n"],
            ["mail/1/0.json", page({ copyOf: "mail/0/1.eml", flags: ["\\Flagged", "two"] })],
          ],
          {
            id: String(writes).padStart(32, "0"),
            folders: [
              { path: "INBOX", role: "inbox", isSubscribed: true },
              { path: name, isSubscribed: true },
            ],
          },
        ),
      );
      const take = (store: Store) =>
        importAccount({ ...house, store, mail: createMail(store) }, account, file, {
          bytesMax: 1000,
          takesSettings: false,
          signal: new AbortController().signal,
          onProgress() {},
        });
      isKilled = await take(killedBehind(house.store, writes)).then(
        () => false,
        (error: unknown) => {
          expect(error).toMatchObject({ message: "killed" });
          return true;
        },
      );
      if (isKilled) kills++;
      expect(await take(house.store)).toMatchObject({ refused: 0 });
      const box = (await house.mail.findMailbox(agent, name))!;
      const keywords = await house.mail.keywordNames(agent);
      const found: string[][] = [];
      for await (const list of house.mail.messagePages(agent, box.number, [[1, 9]]))
        for (const { flags } of list)
          found.push([
            ...systemFlagNames.filter((one) => flags.mask & systemFlags[one]),
            ...keywordNumbers(flags).map((number) => keywords[number]!),
          ]);
      expect(found, `killed behind ${writes} writes`).toEqual([["\\Flagged", "two"]]);
    }
    expect(kills).toBeGreaterThan(2);
  });

  /** A store that fails behind so many writes, as a process that is killed there. */
  function killedBehind(store: Store, writes: number): Store {
    let done = 0;
    return new Proxy(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function") return value;
        const isWrite = key === "write" || key === "writeOnce";
        return (...args: readonly unknown[]): unknown => {
          if (isWrite && done++ >= writes) return Promise.reject(new Error("killed"));
          return Reflect.apply(value, target, args);
        };
      },
    });
  }

  it("goes on where it was cut off, with nothing twice", async () => {
    await using there = await start();
    await fill(there);
    await archiveOf(there, "all.tar");
    const whole = fs.readFileSync(path.join(folder, "all.tar"));
    await using server = await start();
    for (let end = 20_000; end < whole.length; end += 7_000) {
      writeFile("part.tar", whole.subarray(0, end));
      await expect(takeBack(server, "part.tar")).rejects.toThrow("cut off");
    }
    await takeBack(server, "all.tar", { takesSettings: true });
    expect(await shown(server)).toEqual(await shown(there));
  });
});

it("exports mbox files that come in again as they were", async () => {
  await using server = await start();
  await fill(server);
  const out = path.join(folder, "out");
  expect(await run(server, "mail.export", { owner, file: out, isMbox: true })).toEqual({
    folder: out,
    messages: 7,
  });
  const at = "agent2@waypost.test";
  expect(await run(server, "mail.import", { owner: at, file: path.join(out, "INBOX.mbox") })).toMatchObject({
    imported: 4,
    refused: 0,
  });
  const bodies = async (address: string): Promise<string[]> => {
    const { house } = server.daemon;
    const { agent } = (await house.accounts.findOwner(address))!;
    const box = (await house.mail.findMailbox(agent, "INBOX"))!;
    const found: string[] = [];
    for await (const list of house.mail.messagePages(agent, box.number, [[1, 100]]))
      for (const one of list)
        found.push(`${one.flags.mask & 31} ${one.internalDate} ${await house.mail.readBytes(one)}`);
    return found.sort();
  };
  expect(await bodies(at)).toEqual(await bodies(owner));
});
