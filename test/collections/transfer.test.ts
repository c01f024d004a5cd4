/** What is exported and imported again is the same, whatever it is. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exportItems } from "#/src/collections/transfer/export-items.ts";
import { importItems } from "#/src/collections/transfer/import-items.ts";
import type { ReadableFile } from "#/src/collections/transfer/imported-objects.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { corpusFolder, corpusNote, hasCorpus } from "../support/corpus.ts";
import { byDav, cardText, eventText, gather, type ItemHouse, openItemHouse } from "../support/items.ts";

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
  const pages = await gather(exportItems(collections, { agent: ada.agent, number }));
  return Buffer.concat(pages);
}

/** Into a new collection; answers it. */
async function imported(house: ItemHouse, kind: "calendar" | "addressbook", bytes: Buffer) {
  const { collections, ada, actor } = house;
  const { collection: number } = await collections.createCollection(ada.agent, actor, {
    kind,
    properties: { displayName: "Imported" },
  });
  const place = { agent: ada.agent, number, kind };
  return { number, result: await importItems(collections, place, actor, fileOf(bytes), watcher) };
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
  it("replaces what has changed, leaves what has not, and can be run again", async () => {
    await using house = await openItemHouse();
    const { collections, ada, actor, calendar } = house;
    const place = { agent: ada.agent, number: calendar, kind: "calendar" } as const;
    const run = (...events: Buffer[]) =>
      importItems(collections, place, actor, fileOf(Buffer.concat(events)), watcher);
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

  it("puts an event in no addressbook, and names it", async () => {
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

  it("tells how far it is, up to the end", async () => {
    await using house = await openItemHouse();
    const { collections, ada, actor, calendar } = house;
    const bytes = Buffer.concat(Array.from({ length: 40 }, (_, at) => eventText(String(at))));
    const told: number[] = [];
    await importItems(
      collections,
      { agent: ada.agent, number: calendar, kind: "calendar" },
      actor,
      fileOf(bytes),
      {
        ...watcher,
        onProgress: (done) => told.push(done),
      },
    );
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(bytes.length);
    expect(told.length).toBeGreaterThan(10);
  });

  it("ends when nobody waits for it any more", async () => {
    await using house = await openItemHouse();
    const { collections, ada, actor, calendar } = house;
    const gone = AbortSignal.abort(new Error("gone"));
    const place = { agent: ada.agent, number: calendar, kind: "calendar" } as const;
    await expect(
      importItems(collections, place, actor, fileOf(eventText("1")), { ...watcher, signal: gone }),
    ).rejects.toThrow("gone");
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
