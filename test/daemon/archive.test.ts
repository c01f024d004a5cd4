/** An account as one file: after an import every protocol gives what was exported, apart from ids and times of writing. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { exportAccount } from "#/src/daemon/moving/archive/export-account.ts";
import { transferRooms } from "#/src/daemon/moving/run-transfer.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { findAgentByAddress } from "#/storage/queries/accounts/agents.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import type { InProcessDaemon } from "../support/daemon.ts";
import { cardText, eventText } from "../support/item-texts.ts";
import { madeArchive, owner, run, start, useFolder } from "./archive-scene.ts";

const { pathOf, writeFile, archiveOf, takeBack } = useFolder();

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
  it.each(["all.tar", "all.tar.gz", "all.tar.zst"])("%s restores its content, once", async (file) => {
    await using there = await start();
    await fill(there);
    expect(await archiveOf(there, file)).toMatchObject({ messages: 7, items: 4, files: 2 });
    expect(fs.statSync(pathOf(file)).mode & 0o777).toBe(0o600);
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

  it("is read with grants from before there was a kind that grants name, and they reach none of that kind", async () => {
    const grant = {
      holder: "person1@waypost.test",
      scopes: ["mail:read", "contacts:read"],
      ...{ mailboxes: "all", calendars: [], expiresAt: null },
    };
    writeFile("before.tar", madeArchive([], { settings: { aliases: [], grants: [grant] } }));
    await using server = await start();
    const { refusals } = await takeBack(server, "before.tar", { takesSettings: true });
    expect(refusals).toEqual([]);
    const { grants } = (await run(server, "grant.list", { holder: grant.holder })) as { grants: object[] };
    expect(grants).toMatchObject([{ target: owner, mailboxes: "all", calendars: [], addressbooks: [] }]);
  });

  it("asks as much of the store with many owners as with few, and has each grant on its owner's data", async () => {
    await using server = await start();
    const { house } = server.daemon;
    const asked: string[] = [];
    const rooms = transferRooms(house, atCommandLine, false);
    const counting = {
      ...rooms,
      operator: {
        administer(operation: string, input: Readonly<Record<string, unknown>>) {
          asked.push(operation);
          return rooms.operator.administer(operation, input);
        },
      },
    };
    const exportTo = async (file: string) => {
      asked.length = 0;
      const row = (await findAgentByAddress(house.store, "waypost.test", "agent1"))!;
      await exportAccount(counting, row, pathOf(file), {
        signal: new AbortController().signal,
        onProgress() {},
      });
      return [...asked];
    };
    const few = await exportTo("few.tar");
    for (let at = 0; at < 12; at++) {
      const address = `more${at}@waypost.test`;
      await run(server, "agent.create", { address });
      if (at % 4 === 0)
        await run(server, "grant.create", { holder: address, target: owner, scopes: ["mail:read"] });
      // Of the others' data it has nothing.
      else await run(server, "grant.create", { holder: owner, target: address, scopes: ["mail:read"] });
    }
    expect(await exportTo("many.tar")).toEqual(few);
    const text = fs.readFileSync(pathOf("many.tar"), "latin1");
    expect([...new Set(text.match(/more\d+@waypost\.test/g))]).toEqual([
      "more0@waypost.test",
      "more4@waypost.test",
      "more8@waypost.test",
    ]);
  });

  it("does not change settings unless the operator requests it, and lists them", async () => {
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

  it("continues after an interrupted run, without duplicates", async () => {
    await using there = await start();
    await fill(there);
    await archiveOf(there, "all.tar");
    const whole = fs.readFileSync(pathOf("all.tar"));
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
  const out = pathOf("out");
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
