/** The compiler is the list: small changes of a copy of the tree do not compile before what they need stands there too. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const top = path.join(import.meta.dirname, "../..");
let copy: string;
/** Lines of the compiler by their file. */
const errors = new Map<string, string[]>();

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(path.join(copy, file), "utf8");
  expect(text, file).toContain(from);
  writeFileSync(
    path.join(copy, file),
    text.replace(from, () => to),
  );
}

/** Where a change is made, and where the compiler must then say something. */
const author = { made: "src/mail/mailboxes.ts", seen: ["src/mail/mailboxes.ts"] } as const;
const column = {
  made: "storage/schema/mail.ts",
  seen: ["storage/schema/mail.ts", "storage/writing/mail/message-rows.ts"],
} as const;
const member = { made: "protocols/json/contents.ts", seen: ["test/interface/members.ts"] } as const;
const operation = {
  made: "protocols/json/operations/folder/pin.ts",
  seen: [
    "test/interface/authorization-table.ts",
    "test/interface/base.test.ts",
    "test/interface/caller-gone.test.ts",
    "test/holds/ways-to-approve.test.ts",
  ],
} as const;

beforeAll(async () => {
  copy = mkdtempSync(path.join(os.tmpdir(), "waypost-small-changes-"));
  for (const name of ["src", "protocols", "storage", "config", "test", "package.json", "tsconfig.json"])
    cpSync(path.join(top, name), path.join(copy, name), {
      recursive: true,
      filter: (source) => !source.endsWith("node_modules"),
    });
  symlinkSync(path.join(top, "node_modules"), path.join(copy, "node_modules"));

  edit(author.made, 'store.write(by, "setSubscription"', 'store.write("setSubscription"');
  edit(column.made, "    subject: text(ofOctets),", "    subject: text(ofOctets),\n    pinned: integer(),");
  edit(member.made, "  flagged: z.boolean(),", "  flagged: z.boolean(),\n  pinned: z.boolean(),");
  cpSync(path.join(copy, "protocols/json/operations/folder/delete.ts"), path.join(copy, operation.made));
  edit(operation.made, 'name: "folder.delete"', 'name: "folder.pin"');
  edit(operation.made, "putsMail: false", "putsMail: true");
  edit("protocols/json/registry.ts", "  folderDelete,\n", "  folderDelete,\n  folderPin,\n");
  edit(
    "protocols/json/registry.ts",
    "import folderDelete",
    'import folderPin from "./operations/folder/pin.ts";\nimport folderDelete',
  );

  const settings = {
    extends: "./tsconfig.json",
    compilerOptions: { incremental: false, tsBuildInfoFile: null },
    // What declares types of packages, and of the tests themselves.
    include: ["src/**/*.d.ts", "protocols/**/*.d.ts", "test/**/*.d.ts"],
    files: ["test/support/seed.ts", ...author.seen, ...column.seen, ...member.seen, ...operation.seen],
  };
  writeFileSync(path.join(copy, "tsconfig.small.json"), JSON.stringify(settings));
  const compiler = path.join(top, "node_modules/typescript/bin/tsc");
  const said = await new Promise<string>((resolve) =>
    execFile(
      process.execPath,
      [compiler, "-p", "tsconfig.small.json", "--pretty", "false"],
      { cwd: copy, maxBuffer: 16 * 1024 * 1024 },
      (_, output) => resolve(output),
    ),
  );
  for (const line of said.split("\n")) {
    const file = /^([^\s(]+)\(\d+,\d+\): error /.exec(line)?.[1];
    if (file !== undefined) errors.set(file, [...(errors.get(file) ?? []), line]);
  }
}, 600_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it("a write without an author does not compile", () => {
  expect(errors.get(author.made)?.join()).toMatch(/Expected 3-4 arguments/);
});

it("a column does not compile before it says what becomes of it, and each insert what a new row has", () => {
  expect(errors.get("storage/schema/mail.ts")?.join()).toMatch(/Expected 1 arguments/);
  expect(errors.get("storage/writing/mail/message-rows.ts")?.join()).toMatch(/NewRow<"message">/);
});

it("a member of a message does not compile before it says where it comes from", () => {
  expect(errors.get("test/interface/members.ts")?.join()).toMatch(/'pinned' is missing/);
});

it("an operation does not compile before each table has its row", () => {
  const silent = operation.seen.filter((file) => errors.get(file) === undefined);
  expect(silent).toEqual([]);
});

it("nothing else is wrong", () => {
  const expected: readonly string[] = [...author.seen, ...column.seen, ...member.seen, ...operation.seen];
  const others = [...errors].filter(([file]) => !expected.includes(file));
  expect(others).toEqual([]);
});
