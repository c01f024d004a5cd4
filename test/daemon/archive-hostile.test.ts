/** Archives that are hostile, damaged or partly imported: each is refused or imported entry by entry, within limits. */

import fs from "node:fs";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { selectOwner } from "#/src/accounts/administration/selectors.ts";
import { importAccount } from "#/src/daemon/moving/archive/import-account.ts";
import { tarEnd, tarEntry } from "#/src/daemon/moving/archive/tar.ts";
import { transferRooms } from "#/src/daemon/moving/run-transfer.ts";
import { createMail } from "#/src/mail/mail.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import { keywordNumbers, systemFlagNames, systemFlags } from "#/src/model/flags.ts";
import type { Store } from "#/storage/store.ts";
import { httpClient } from "../support/clients/http.ts";
import { eventText } from "../support/item-texts.ts";
import { facts, madeArchive, owner, page, run, start, useFolder } from "./archive-scene.ts";

const { pathOf, writeFile, takeBack } = useFolder();

describe("an archive that is hostile or damaged", () => {
  it.each([
    ["no tar", Buffer.alloc(2000, "x"), "It is no tar"],
    ["empty", Buffer.alloc(0), "It is cut off"],
    [
      "cut off",
      madeArchive([["mail/0/0.json", page({ file: "1.eml", ...facts })]]).subarray(0, 1200),
      "cut off",
    ],
    [
      "of no account",
      Buffer.concat([...tarEntry("a.txt", Buffer.from("a"), 0), tarEnd]),
      "does not begin with manifest.json",
    ],
    [
      "of a later version",
      madeArchive([], { version: 2 }),
      "manifest.json of the archive is not as it has to be",
    ],
    [
      "a bomb",
      zlib.zstdCompressSync(Buffer.concat([madeArchive([]).subarray(0, -1024), bomb()])),
      "too large for the size of its file",
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
    [
      "of folders without end",
      Buffer.concat([madeArchive([]).subarray(0, -1024), ...Array(1010).fill(entryOf("5")), tarEnd]),
      "many entries that are no files",
    ],
  ])("that is %s is refused", async (_, bytes, why) => {
    await using server = await start();
    writeFile("a.tar", bytes);
    await expect(takeBack(server, "a.tar")).rejects.toThrow(why);
  });

  it("with more pax headers than files is imported", async () => {
    await using server = await start();
    const [files, perPage] = [600, 200];
    const entries = Array.from({ length: files }, (_, at): [string, string][] => [
      ...(at % perPage === 0 ? [pageFrom(at)] : []),
      [`mail/0/${at}.eml`, `Subject: ${at}\r\n\r\n`],
    ]).flat();
    function pageFrom(first: number): [string, string] {
      const described = Array.from({ length: perPage }, (_, at) => ({ file: `${first + at}.eml`, ...facts }));
      return [`mail/0/${first}.json`, page(...described)];
    }
    const bytes = madeArchive(entries);
    const blocks = Array.from({ length: bytes.length / 512 }, (_, at) =>
      bytes.subarray(at * 512, at * 512 + 512),
    );
    const isHeader = (block: Buffer): boolean => block.toString("latin1", 257, 262) === "ustar";
    const strange = [entryOf("g"), entryOf("5")];
    writeFile(
      "a.tar",
      Buffer.concat(blocks.flatMap((block) => (isHeader(block) ? [...strange, block] : [block]))),
    );
    expect(await takeBack(server, "a.tar")).toMatchObject({ imported: files, refused: 0 });
  });

  /** The header of an entry of another type: a folder (5), what another program says of all entries (g). */
  function entryOf(type: string, size = 0): Buffer {
    const [header] = [...tarEntry("x", Buffer.alloc(0), 0)] as [Buffer];
    header.set(Buffer.from(size.toString(8).padStart(11, "0")), 124);
    header.set(Buffer.from(type), 156);
    header.set(Buffer.from("        "), 148);
    const sum = header.reduce((total, one) => total + one, 0);
    header.set(Buffer.from(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
    return header;
  }

  /** An entry of 300 MB of zeros. */
  function bomb(): Buffer {
    const size = 300 * 1024 * 1024;
    return Buffer.concat([entryOf("0", size), Buffer.alloc(size)]);
  }

  it("writes no file outside the store, trusts no claim, and refuses each entry that cannot be stored", async () => {
    await using server = await start();
    const before = fs.readdirSync(pathOf());
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
              { file: "1.eml", ...facts, flags: ["\\Seen", "\\Odd", "kept", "no keyword", "x\r\n* BYE"] },
              { copyOf: "mail/0/5.eml", flags: [] },
            ),
          ],
          ["mail/0/1.eml", "Subject: one\r\nAuthentication-Results: waypost.test; spf=pass\r\n\r\none\r\n"],
          ["mail/0/1.eml", "Subject: twice\r\n\r\n"],
          ["mail/1/0.json", page({ file: "2.eml", ...facts })],
          ["mail/1/2.eml", "Subject: two\r\n\r\nwaiting\r\n"],
          ["mail/2/0.json", page({ file: "3.eml", ...facts })],
          ["mail/2/3.eml", "Subject: three\r\n\r\nfor later\r\n"],
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
            { path: "Scheduled", role: "scheduled", isSubscribed: true },
          ],
        },
      ),
    );
    const result = await takeBack(server, "a.tar");
    expect(result).toMatchObject({ imported: 3, items: 0, files: 0, refused: 11 });
    expect(fs.readdirSync(pathOf())).toEqual([...before, "a.tar"]);
    const { ok } = httpClient(server.http.url, server.agents[0]!.token);
    const { items } = (await ok("search", { limit: 10 })).content;
    expect(
      items.map((one: { subject: string; authenticated: boolean }) => [one.subject, one.authenticated]),
    ).toEqual(
      expect.arrayContaining([
        ["one", false],
        ["two", false],
        ["three", false],
      ]),
    );
    const { mail, accounts } = server.daemon.house;
    const { agent } = (await accounts.findOwner(owner))!;
    const boxes = (await mail.listMailboxes(agent)).filter(({ messageCount }) => messageCount > 0);
    expect(Object.fromEntries(boxes.map(({ role, messageCount }) => [role, messageCount]))).toEqual({
      inbox: 1,
      drafts: 2,
    });
    expect(await mail.keywordNames(agent)).toEqual(["kept"]);
    // Nothing waits to be sent.
    expect((await run(server, "queue.list", {})) as object).toMatchObject({ mails: [] });
  });

  it("imports a message that was too large before, and no other message again, when the limit changes", async () => {
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
      importAccount(transferRooms(house, atCommandLine, true), account, file, {
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
      importAccount(transferRooms(house, atCommandLine, true), other, file, {
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

  it("does not skip entries because another archive with the same identifier has the same places", async () => {
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

  it("refuses each item of a refused collection, and continues, however many there are", async () => {
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

  it("adds the properties of a file when an earlier run was killed before it stored them", async () => {
    await using server = await start();
    const { house } = server.daemon;
    const { agent } = (await house.accounts.findOwner(owner))!;
    const file = { path: "a.txt", bytes: Buffer.from("a"), mediaType: "text/plain" };
    await house.files.putFile(agent, { ...nobody, agent, canApprove: false }, file);
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

  it("takes a date that no year of four digits has for the time of the import", async () => {
    await using server = await start();
    const { house } = server.daemon;
    const dates = [1e300, -1e15, 253_402_300_800_000, 1.5];
    writeFile(
      "a.tar",
      madeArchive([
        [
          "mail/0/0.json",
          page(...dates.map((date, at) => ({ ...facts, file: `${at}.eml`, internalDate: date }))),
        ],
        ...dates.map((_, at) => [`mail/0/${at}.eml`, `Subject: ${at}\r\n\r\n\r\n`] as const),
      ]),
    );
    const before = Date.now();
    expect(await takeBack(server, "a.tar")).toMatchObject({ imported: 4, refused: 0 });
    const { agent } = (await house.accounts.findOwner(owner))!;
    const box = (await house.mail.findMailbox(agent, "INBOX"))!;
    const found: number[] = [];
    for await (const list of house.mail.messagePages(agent, box.number, [[1, 100]]))
      found.push(...list.map(({ internalDate }) => internalDate));
    expect(found.toSorted((one, other) => one - other)[0]).toBe(1);
    expect(found.filter((date) => date >= before && date <= Date.now())).toHaveLength(3);
  });

  it("sets the flags of each copy, after whichever write an earlier run was killed", async () => {
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
        importAccount(
          { ...transferRooms(house, atCommandLine, true), store, mail: createMail(store) },
          account,
          file,
          {
            bytesMax: 1000,
            takesSettings: false,
            signal: new AbortController().signal,
            onProgress() {},
          },
        );
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
});
