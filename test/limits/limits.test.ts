/** Every limit of the tables: handed in with a small number, so many are taken and one more is not. The program reads each from its table. */
import { globSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { hasTest } from "../interface/sections.ts";
import { endConversations } from "./conversation-meetings.ts";
import { type TableName, tables, withLimit } from "./hand-in.ts";
import type { Meeting } from "./meeting.ts";
import { meetings } from "./meetings.ts";

const all = Object.entries(meetings).flatMap(([table, rows]) =>
  Object.entries<Meeting>(rows).map(([name, row]) => ({ table: table as TableName, name, row })),
);
const met = all.flatMap(({ row, ...of }) => ("meet" in row ? [{ ...of, row, least: row.least ?? 3 }] : []));

afterAll(endConversations);

describe("a limit that is handed in as n", () => {
  it.each(met)("$table $name takes $least, and not one more", async ({ table, name, row, least }) => {
    await withLimit(table, name, least, async () => {
      expect(await row.meet(least)).toBe(true);
      expect(await row.meet(least + 1)).toBe(false);
    });
    // It is this limit that refused.
    expect(await withLimit(table, name, least + 1, () => row.meet(least + 1))).toBe(true);
  });

  it("is as it was afterwards", async () => {
    const { mimePartsMax } = tables.model;
    await withLimit("model", "mimePartsMax", 2, () => expect(tables.model.mimePartsMax).toBe(2));
    expect(tables.model.mimePartsMax).toBe(mimePartsMax);
  });
});

describe("the table", () => {
  const top = new URL("../..", import.meta.url).pathname;
  const sources = globSync("{src,protocols,storage,config}/**/*.ts", { cwd: top }).map((file) => ({
    file,
    text: readFileSync(`${top}/${file}`, "utf8"),
  }));

  it("is what the program reads: each value is imported where it is kept, and written once", () => {
    const unused = all.filter(({ name }) => {
      const readers = sources.filter(({ file, text }) => {
        if (file.endsWith("/limits.ts")) return false;
        const imported = [...text.matchAll(/import (?:type )?\{([^}]*)\} from "[^"]*limits\.ts"/g)];
        return imported.some(([, names]) => new RegExp(`\\b${name}\\b`).test(names!));
      });
      const within = sources.filter(
        ({ file, text }) => file.endsWith("/limits.ts") && text.split(new RegExp(`\\b${name}\\b`)).length > 2,
      );
      return readers.length + within.length === 0;
    });
    expect(unused.map(({ table, name }) => `${table} ${name}`)).toEqual([]);
  });

  it("has a test that is there for each that is met elsewhere", () => {
    const wrong = all.flatMap(({ name, row }) => {
      if (!("test" in row)) return [];
      const [file, ...title] = row.test.split(": ");
      return hasTest({ file: file!, title: title.join(": ") }) ? [] : [`${name}: ${row.test}`];
    });
    expect(wrong).toEqual([]);
  });
});
