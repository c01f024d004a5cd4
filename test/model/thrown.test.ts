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

test("nobody takes a thrown value for an Error before it is known to be one", () => {
  const files = ["src", "protocols", "storage"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes("assets/"))
      .map((name) => `${folder}/${name}`),
  );
  const casts =
    /\b(?:error|cause|reason|failure|thrown)(?: \?\? \{\}\))? as (?:Error\b|NodeJS\.|Readonly<|\{)/;
  const declared = /\.(?:catch|then)\(\s*(?:async )?\(\w+: (?!unknown\b)[^)]*(?:Error|Exception|\})/;
  const found = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    return casts.test(text) || declared.test(text);
  });
  expect(found.sort()).toEqual(Object.keys(taken).sort());
});
