/** Shapes are declared once: what another room gives to the store, or gets from it, is the store's own type. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const top = path.join(import.meta.dirname, "../..");

interface Shape {
  readonly name: string;
  readonly members: readonly string[];
}

/** Types of objects with the members that they declare themselves. */
function shapesIn(...folders: readonly string[]): Shape[] {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(path.join(top, folder, name), "utf8")),
    )
    .flatMap((text) => [
      ...text.matchAll(
        /^(?:export )?(?:interface (\w+)[^\n]*|type (\w+)[^\n]*= (?:[^\n]* )?)\{\n([\s\S]*?)^\}/gm,
      ),
    ])
    .map(([, named, alias, body]) => ({
      name: (named ?? alias)!,
      members: [...body!.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((member) => member[1]!),
    }));
}

/** Shapes whose members are all in one of the store, but not the same values. */
const others: Readonly<Record<string, string>> = {
  MessagePlace: "its flags are decoded",
  Entry: "its flags are decoded",
  Candidate: "a truth is a number in a row",
  SigningKey: "its key is an object",
  ReceivedReport: "a format, below the store",
};

test("no room declares a shape of the store a second time", () => {
  const own = shapesIn("storage");
  const again = shapesIn("src", "protocols")
    .filter(({ members }) => members.length >= 4)
    .filter(({ members }) => own.some((shape) => members.every((member) => shape.members.includes(member))));
  expect([...new Set(again.map(({ name }) => name))].sort()).toEqual(Object.keys(others).sort());
});

test("no room casts the arguments of a write", () => {
  const cast = ["src", "protocols"].flatMap((folder) =>
    readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => {
        const text = readFileSync(path.join(top, folder, name), "utf8");
        return (
          /as ArgumentsOf</.test(text) ||
          [...text.matchAll(/\b(?:write|writeOnce)\([^;]*?\);/g)].some(([call]) =>
            /\bas (?:never|unknown|any)\b/.test(call),
          )
        );
      }),
  );
  expect(cast).toEqual([]);
});

/** A spread into a value of a named type may bring members that the type does not have: what is given to a write is compared by its own type
 *  (`ExactArguments`), and so has no other. */
test("no value is spread into the arguments of a write before it is given to the write", () => {
  const names = typesIn("storage/transactions", "storage/writing");
  const annotated = new RegExp(
    String.raw`\bconst \w+: (?:readonly )?(?:${names.join("|")})(?:\[\])? = [^;]*?\.\.\.`,
  );
  expect(names).toEqual(expect.arrayContaining(["EditHold", "SubmitMessage", "UpdateMessages"]));
  expect(filesIn("src", "protocols").filter((name) => annotated.test(textOf(name)))).toEqual([]);
});

test("no row is cast to what a select list does not give", () => {
  const cast = /\bas (?:unknown as |never\b|any\b|(?:readonly )?\w+Row\b(?!\["))/;
  const files = filesIn("storage").filter((name) => !engines.test(name) && cast.test(textOf(name)));
  expect(files.sort()).toEqual(Object.keys(otherCasts));
});

const otherCasts: Readonly<Record<string, string>> = {
  "storage/queries/access-changes.ts": "the columns of an author are null together",
  "storage/queries/mail/entries.ts": "a truth is decoded in its row, in thousands of them",
  "storage/queries/mail/uid-pages.ts": "rows that nothing becomes of are shown as they are",
  "storage/sql.ts": "the results of several statements, in their order",
};

function filesIn(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
      .map((name) => path.posix.join(folder, name))
      .filter((name) => name.endsWith(".ts")),
  );
}

const textOf = (name: string): string => readFileSync(path.join(top, name), "utf8");

function typesIn(...folders: readonly string[]): string[] {
  return filesIn(...folders).flatMap((name) =>
    [...textOf(name).matchAll(/^export interface (\w+)/gm)].map(([, type]) => type!),
  );
}

/** Rows that are made from other rows in one statement, and what is not of the schema. */
const otherInserts: Readonly<Record<string, string>> = {
  "storage/transactions/accounts/keep-familiar-network.ts": "only if the agent is there",
  "storage/transactions/feed/create-webhook.ts": "it begins at the position of its agent",
  "storage/transactions/mail/transfer-messages.ts": "the columns that a transfer carries",
  "storage/writing/blob-rows.ts": "the objects of the blobs that are deleted",
  "storage/writing/collections/dead-properties.ts": "one of three tables",
  "storage/writing/collections/file-rows.ts": "a copy of a file",
};
const engines = /^storage\/(migrations|postgres|sqlite|moving|search|schema)\//;

test("a row is inserted with a value for each of its columns", () => {
  const found = readdirSync(path.join(top, "storage"), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join("storage", name))
    .filter((name) => name.endsWith(".ts") && !engines.test(name))
    .filter((name) => /["`]insert /.test(readFileSync(path.join(top, name), "utf8")));
  expect(found.sort()).toEqual(Object.keys(otherInserts).sort());
});
