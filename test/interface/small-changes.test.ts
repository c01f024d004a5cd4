/** The compiler is the list: small changes of a copy of the tree do not compile before what they need stands there too. */
import { cpSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CopiedTree, copyTree } from "../support/copied-tree.ts";
import { layColumns } from "../support/sample-property/column.ts";
import { layProperty } from "../support/sample-property/mark.ts";

let copy: CopiedTree;
/** Lines of the compiler by their file. */
const errors = new Map<string, string[]>();

/** Where a change is made, and where the compiler must then say something. */
const author = { made: "src/mail/mailboxes.ts", seen: ["src/mail/mailboxes.ts"] } as const;
const column = {
  made: "storage/schema/mail.ts",
  seen: [
    "storage/schema/mail.ts",
    "storage/writing/mail/message-rows.ts",
    "storage/queries/mail/messages.ts",
  ],
} as const;
const member = { made: "protocols/json/contents.ts", seen: ["test/interface/members.ts"] } as const;
const operation = {
  made: "protocols/json/operations/folder/pin.ts",
  seen: [
    "test/interface/authorization-table.ts",
    "test/interface/base.test.ts",
    "test/interface/caller-gone.test.ts",
    "test/interface/write-order.test.ts",
    "test/acceptance/authors.test.ts",
    "test/support/every-verb.ts",
    "test/holds/ways-to-approve.test.ts",
  ],
} as const;

beforeAll(async () => {
  copy = copyTree();
  const { edit, pathOf } = copy;
  layProperty(copy);
  layColumns(copy);
  edit(author.made, 'store.write(by, "setSubscription"', 'store.write("setSubscription"');
  edit(column.made, "    subject: text(ofOctets),", "    subject: text(ofOctets),\n    pinned: integer(),");
  edit(
    member.made,
    "  labels: z.array(z.string()),",
    "  labels: z.array(z.string()),\n  colour: z.string(),",
  );
  cpSync(pathOf("protocols/json/operations/folder/delete.ts"), pathOf(operation.made));
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
  writeFileSync(pathOf("tsconfig.small.json"), JSON.stringify(settings));
  const { said } = await copy.run("typescript/bin/tsc", ["-p", "tsconfig.small.json", "--pretty", "false"]);
  for (const line of said.split("\n")) {
    const file = /^([^\s(]+)\(\d+,\d+\): error /.exec(line)?.[1];
    if (file !== undefined) errors.set(file, [...(errors.get(file) ?? []), line]);
  }
}, 600_000);
afterAll(() => copy[Symbol.dispose]());

it("a write without an author does not compile", () => {
  expect(errors.get(author.made)?.join()).toMatch(/Expected 3-4 arguments/);
});

it("a column does not compile before it says what becomes of it, each insert what a new row has, and it is read or not", () => {
  expect(errors.get("storage/schema/mail.ts")?.join()).toMatch(/Expected 1 arguments/);
  expect(errors.get("storage/writing/mail/message-rows.ts")?.join()).toMatch(/NewRow<"message">/);
  expect(errors.get("storage/queries/mail/messages.ts")?.join()).toMatch(/'pinned' is missing/);
});

it("a member of a message does not compile before it says where it comes from", () => {
  expect(errors.get("test/interface/members.ts")?.join()).toMatch(/'colour' is missing/);
});

it("an operation does not compile before each table has its row", () => {
  const silent = operation.seen.filter((file) => errors.get(file) === undefined);
  expect(silent).toEqual([]);
});

it("nothing else is wrong: a property of a message, of a folder, of a calendar needs no more than its line", () => {
  const expected: readonly string[] = [...author.seen, ...column.seen, ...member.seen, ...operation.seen];
  const others = [...errors].filter(([file]) => !expected.includes(file));
  expect(others).toEqual([]);
});
