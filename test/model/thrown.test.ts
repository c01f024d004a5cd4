/** Values that are thrown may be anything: null, a text, an object without a message. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readThrown } from "#/src/model/thrown.ts";

test.each([
  ["an error", new TypeError("no"), { code: undefined, name: "TypeError", message: "no" }],
  [
    "one of the system",
    Object.assign(new Error("no file"), { code: "ENOENT" }),
    { code: "ENOENT", name: "Error", message: "no file" },
  ],
  ["one whose code is a number", Object.assign(new Error("x"), { code: 20 }), { code: undefined }],
  ["one that another inherits", Object.create(new Error("x")), { name: "Error", message: "x" }],
  ["a text", "why", { code: undefined, name: "string", message: "why" }],
  ["null", null, { code: undefined, name: "object", message: "what is no error was thrown (object)" }],
  ["undefined", undefined, { code: undefined, name: "undefined" }],
  ["an object without anything", Object.create(null), { code: undefined, name: "object" }],
])("%s is read", (_, thrown, facts) => {
  expect(readThrown(thrown)).toMatchObject(facts);
});

test("what else it says is read, and of null nothing", () => {
  expect(readThrown(Object.assign(new Error("x"), { port: 25 })).further.port).toBe(25);
  expect(readThrown(null).further).toEqual({});
});

/** Where a thrown value is taken for an Error, and why it is one. */
const taken: Readonly<Record<string, string>> = {
  "protocols/http/body.ts": "it is handed on as it is",
  "src/daemon/log.ts": "after `instanceof Error`",
  "src/model/thrown.ts": "it reads what may be there",
};

const files = ["src", "protocols", "storage"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("assets/"))
    .map((name) => `${folder}/${name}`),
);

test("nobody takes a thrown value for an Error before it is known to be one", () => {
  const casts =
    /\b(?:error|cause|reason|failure|thrown)(?: \?\? \{\}\))? as (?:Error\b|NodeJS\.|Readonly<|\{)/;
  const declared = /\.(?:catch|then)\(\s*(?:async )?\(\w+: (?!unknown\b)[^)]*(?:Error|Exception|\})/;
  const found = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    return casts.test(text) || declared.test(text);
  });
  expect(found.sort()).toEqual(Object.keys(taken).sort());
});

/** Where work goes on after any refusal, and why not only where the store cannot answer now (`ifAvailable`). */
const wholly: Readonly<Record<string, string>> = {
  "protocols/dav/filters/item-questions.ts": "the text is beyond a limit of its reader, which asks no store",
  "protocols/dav/properties/scheduling.ts": "the text is beyond a limit of its reader, which asks no store",
  "protocols/json/describe/excerpt.ts": "a listing goes on without the excerpt of one body",
  "src/accounts/administration/operator-door.ts": "the refusal is logged and thrown",
  "src/collections/calendar-zone.ts": "the text is beyond a limit of its reader, which asks no store",
  "src/collections/projected-jobs.ts": "the refusal is handed to the main thread, which throws it",
  "src/collections/transfer/imported-objects.ts": "the object is told as refused",
  "src/daemon/moving/archive/import-mail.ts": "the annotations are told as refused",
  "src/daemon/moving/archive/import-settings.ts": "the setting is told as refused",
  "src/outbound/claims.ts": "what could not be given back is given back with the next ones",
  "src/render/indexing/index-thread.ts": "a search in the message itself says it again",
  "src/scheduling/arriving/arriving-calendar.ts":
    "the text is beyond a limit of its reader, which asks no store",
  "src/sign-in/own-export.ts": "the export is shown as failed",
  "src/sign-in/tell-of-sign-in.ts": "a notice that can't be delivered keeps nobody out",
};

/** What stands between the brace at `start` and its partner. */
function blockAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return text.slice(start, at);
  }
  return text.slice(start);
}

test("who goes on after any refusal is known", () => {
  const clause = /catch \(\w+\) \{|\.catch\(\s*(?:async )?\(\w+: unknown\) => \{/g;
  const found = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(clause)].some(({ index, 0: { length } }) => {
      const block = blockAt(text, index + length - 1);
      const asks = /isWaypostError\(\w+\)|instanceof WaypostError/.test(block);
      return (
        asks &&
        !/\.(?:code|details)\b|isOfServer\(|(?<!!)(?:isWaypostError\(\w+\)|WaypostError)\) throw/.test(block)
      );
    });
  });
  expect(found.sort()).toEqual(Object.keys(wholly).sort());
});
