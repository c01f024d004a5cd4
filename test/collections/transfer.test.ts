/** Calendars and contacts are the same after export and import. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newManagedId } from "#/src/collections/attachments.ts";
import { exportItems } from "#/src/collections/transfer/export-items.ts";
import { importItems } from "#/src/collections/transfer/import-items.ts";
import type { ReadableFile } from "#/src/collections/transfer/imported-objects.ts";
import type { AttachmentsHere } from "#/src/collections/transfer/place-attachments.ts";
import { makeProperty } from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { carryAttachment } from "#/src/formats/icalendar/carried-attachments.ts";
import { nobody } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { corpusFolder, corpusNote, hasCorpus } from "../support/corpus.ts";
import { byDav, cardText, eventText, gather, type ItemHouse, openItemHouse } from "../support/items.ts";
import { seedAgent } from "../support/store.ts";

function fileOf(bytes: Buffer): ReadableFile {
  return {
    size: bytes.length,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += 60_000) yield bytes.subarray(at, at + 60_000);
    },
    read: async ({ start, end }) => bytes.subarray(start, end),
  };
}

const watcher = { signal: new AbortController().signal, onProgress() {} };

async function exported({ collections, ada }: ItemHouse, number: CollectionNumber): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of exportItems(collections, ada.account, { agent: ada.agent, number }))
    pieces.push(bytes);
  return Buffer.concat(pieces);
}

/** As a host of its own gives URLs. */
function here({ ada }: Pick<ItemHouse, "ada">): AttachmentsHere {
  return { account: ada.account, urlOf: (id, name) => `https://new.example/dav/attachments/${id}/${name}` };
}

/** Into a new collection; answers it. */
async function imported(house: ItemHouse, kind: "calendar" | "addressbook", bytes: Buffer) {
  const { collections, ada, actor } = house;
  const { collection: number } = await collections.createCollection(nobody, ada.agent, {
    kind,
    properties: { displayName: "Imported" },
  });
  const place = { agent: ada.agent, number, kind };
  return {
    number,
    result: await importItems(collections, place, actor, fileOf(bytes), here(house), watcher),
  };
}

async function octetsOf({ collections, ada }: ItemHouse, number: CollectionNumber): Promise<string[]> {
  const items = await gather(collections.listItems(ada.agent, number));
  const stored = await collections.readItems(
    ada.agent,
    items.map((item) => item.number),
  );
  return stored.map((item) => Buffer.from(item!.bytes).toString("latin1"));
}

describe("an import", () => {
  it("replaces changed items, leaves unchanged ones, and can be run again", async () => {
    await using house = await openItemHouse();
    const { collections, ada, actor, calendar } = house;
    const place = { agent: ada.agent, number: calendar, kind: "calendar" } as const;
    const run = (...events: Buffer[]) =>
      importItems(collections, place, actor, fileOf(Buffer.concat(events)), here(house), watcher);
    const none = { created: 0, updated: 0, unchanged: 0, refused: 0, refusals: [] };
    expect(await run(eventText("1"), eventText("2"))).toEqual({ ...none, created: 2 });
    expect(await run(eventText("1"), eventText("2", "SUMMARY:New"), eventText("3"))).toEqual({
      ...none,
      created: 1,
      updated: 1,
      unchanged: 1,
    });
    const [first] = await collections.findItemsByUid(ada.agent, "1", { collection: calendar });
    expect([first!.provenance.source, first!.isAuthenticated]).toEqual(["import", true]);
  });

  it("refuses an event in an import to an addressbook, and names it", async () => {
    await using house = await openItemHouse();
    const { result } = await imported(
      house,
      "addressbook",
      Buffer.concat([eventText("1"), cardText("2", "Ada")]),
    );
    expect(result).toMatchObject({
      created: 1,
      refused: 1,
      refusals: [{ line: 1, why: expect.any(String) }],
    });
  });

  it("stores valid items beside refused ones of the same transaction", async () => {
    await using house = await openItemHouse();
    const noEnd = eventText("2", "DTEND:20260101T090000Z", "RECURRENCE-ID:nonsense");
    const { number, result } = await imported(
      house,
      "calendar",
      Buffer.concat([eventText("1"), noEnd, eventText("3")]),
    );
    expect(result).toMatchObject({ created: 2, refused: 1, refusals: [{ line: expect.any(Number) }] });
    expect(await octetsOf(house, number)).toHaveLength(2);
  });

  it("reports its progress, up to the end", async () => {
    await using house = await openItemHouse();
    const { collections, ada, actor, calendar } = house;
    const bytes = Buffer.concat(Array.from({ length: 40 }, (_, at) => eventText(String(at))));
    const told: number[] = [];
    await importItems(
      collections,
      { agent: ada.agent, number: calendar, kind: "calendar" },
      actor,
      fileOf(bytes),
      here(house),
      {
        ...watcher,
        onProgress: (done) => told.push(done),
      },
    );
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(bytes.length);
    expect(told.length).toBeGreaterThan(10);
  });

  it("ends when its caller has gone", async () => {
    await using house = await openItemHouse();
    const { collections, ada, actor, calendar } = house;
    const gone = AbortSignal.abort(new Error("gone"));
    const place = { agent: ada.agent, number: calendar, kind: "calendar" } as const;
    await expect(
      importItems(collections, place, actor, fileOf(eventText("1")), here(house), {
        ...watcher,
        signal: gone,
      }),
    ).rejects.toThrow("gone");
  });
});

describe("managed attachments", () => {
  const content = Buffer.from(Array.from({ length: 1000 }, (_, at) => (at * 7) % 256));
  const managedId = newManagedId();
  const name = "Plan; an über-long name of a file that is folded somewhere in its middle.pdf";
  /** As it is written where one is added. */
  const attachLine = (host: string): string =>
    writeContentLines({
      items: [
        makeProperty("ATTACH", `https://${host}/dav/attachments/${managedId}/${name}`, [
          { name: "FMTTYPE", values: ["application/pdf"] },
          { name: "FILENAME", values: [name] },
          { name: "SIZE", values: ["1000"] },
          { name: "MANAGED-ID", values: [managedId] },
        ]),
      ],
    }).toString();
  const eventWith = (host: string): Buffer =>
    eventText("1", attachLine(host).trimEnd(), "SUMMARY:With a plan");

  async function houseWithOne() {
    const house = await openItemHouse();
    const { collections, ada, actor, calendar } = house;
    await collections.putItem(ada.agent, actor, {
      collection: calendar,
      bytes: eventWith("new.example"),
      provenance: byDav,
      isAuthenticated: true,
      attachments: { added: [{ managedId, name, type: "application/pdf", bytes: content }] },
    });
    return house;
  }
  async function read(
    { collections, ada }: Pick<ItemHouse, "collections" | "ada">,
    id: string,
  ): Promise<Buffer | undefined> {
    const [place] = await collections.listAttachmentPlaces(ada.account, id, ada.agent);
    return place && Buffer.from(await collections.readAttachment(place));
  }

  it("are exported inline with the event, and imported again as managed attachments", async () => {
    await using house = await houseWithOne();
    const file = await exported(house, house.calendar);
    const text = file.toString().replaceAll(/\r\n /g, "");
    expect(text).toMatch(/^ATTACH;[^\r\n]*;ENCODING=BASE64;VALUE=BINARY:/m);
    expect(text).toContain(`:${content.toString("base64")}\r\n`);
    for (const line of file.toString("latin1").split("\r\n")) expect(line.length).toBeLessThanOrEqual(75);

    await using other = await openItemHouse();
    const { number, result } = await imported(other, "calendar", file);
    expect(result).toMatchObject({ created: 1, refused: 0 });
    expect(await octetsOf(other, number)).toEqual([eventWith("new.example").toString("latin1")]);
    expect(await read(other, managedId)).toEqual(content);
  });

  it("are not stored again where they already are", async () => {
    await using house = await houseWithOne();
    const { collections, ada, actor, calendar } = house;
    const file = fileOf(await exported(house, calendar));
    const place = { agent: ada.agent, number: calendar, kind: "calendar" } as const;
    expect(await importItems(collections, place, actor, file, here(house), watcher)).toMatchObject({
      unchanged: 1,
    });
  });

  it("never replace the bytes of a MANAGED-ID of another agent", async () => {
    await using house = await houseWithOne();
    const { collections, test } = house;
    const bob = await seedAgent(test.store, "bob");
    const own = await collections.findCollectionOfRole(bob.agent, "calendar", "default");
    const forged = carryAttachment(Buffer.from(attachLine("elsewhere.example")), Buffer.from("forged"));
    const file = fileOf(eventText("1", forged.toString("latin1").trimEnd()));
    const place = { agent: bob.agent, number: own!.number, kind: "calendar" } as const;
    const actor = { ...nobody, agent: bob.agent, canApprove: false };
    const run = () => importItems(collections, place, actor, file, here({ ada: bob }), watcher);
    expect(await run()).toMatchObject({ created: 1 });
    expect(await read(house, managedId)).toEqual(content);
    const [event] = await octetsOf({ ...house, ada: bob }, own!.number);
    const [, id] = /MANAGED-ID=([^;:]+)/.exec(event!.replaceAll("\r\n ", ""))!;
    expect(id).not.toBe(managedId);
    expect((await read({ collections, ada: bob }, id!))!.toString()).toBe("forged");
    expect(await run()).toMatchObject({ unchanged: 1 });
  });
});

describe.skipIf(!hasCorpus)(`every valid object of the corpus${corpusNote}`, () => {
  it.each(["calendar", "contact"] as const)(
    "is the same after it was exported and imported: %s",
    async (folder) => {
      await using house = await openItemHouse();
      const { collections, ada, actor } = house;
      const kind = folder === "calendar" ? "calendar" : "addressbook";
      const number = kind === "calendar" ? house.calendar : house.addressbook;
      const index = readFileSync(`${corpusFolder}/${folder}/index.jsonl`, "utf8").trim().split("\n");
      for (const { file } of index.map((line) => JSON.parse(line) as { file: string })) {
        if (!/\.(?:ics|vcf)$/.test(file)) continue;
        const bytes = readFileSync(`${corpusFolder}/${folder}/${file}`);
        try {
          await collections.putItem(ada.agent, actor, {
            collection: number,
            bytes,
            provenance: byDav,
            isAuthenticated: true,
          });
        } catch (error) {
          if (!isWaypostError(error)) throw error;
        }
      }
      const before = await octetsOf(house, number);
      expect(before.length).toBeGreaterThan(20);
      const { number: copy, result } = await imported(house, kind, await exported(house, number));
      expect(result).toMatchObject({ created: before.length, refusals: [] });
      // Line ends behind the last line divide objects in a file.
      const shown = (texts: readonly string[]): string[] => texts.map((text) => text.trimEnd());
      expect(shown(await octetsOf(house, copy))).toEqual(shown(before));
    },
    120_000,
  );
});
