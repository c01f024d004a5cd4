/** Files and folders of an agent. */
import { expect, it } from "vitest";
import { createFiles, type FileEntry, type Files } from "#/src/files/files.ts";
import { type Actor, nobody } from "#/src/model/author.ts";
import { fileBytesMax, filePathBytesMax, itemChangesMax } from "#/src/model/limits.ts";
import { openTestStore, type Seed, seedAgent, type TestStore } from "../support/store.ts";

interface FileHouse extends AsyncDisposable {
  readonly test: TestStore;
  readonly files: Files;
  readonly ada: Seed;
  readonly actor: Actor;
  put(
    path: string,
    text: string,
    expected?: string,
  ): Promise<{ readonly modseq: number; readonly isCreated: boolean }>;
  list(folder: string): Promise<string[]>;
  read(path: string): Promise<string | undefined>;
}

async function openFileHouse(): Promise<FileHouse> {
  const test = await openTestStore();
  const files = createFiles(test.store);
  const ada = await seedAgent(test.store);
  const actor = { ...nobody, agent: ada.agent, canApprove: false };
  return {
    test,
    files,
    ada,
    actor,
    put: (path, text, expected) =>
      files.putFile(ada.agent, actor, { path, bytes: Buffer.from(text), mediaType: "text/plain", expected }),
    async list(folder) {
      const pages = await Array.fromAsync(files.listFolder(ada.agent, folder));
      return pages.flat().map(({ path }) => path);
    },
    async read(path) {
      const entry = await files.findFile(ada.agent, path);
      const bytes = entry && (await files.readFile(entry));
      return bytes && Buffer.from(bytes).toString();
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

it("reads the octets that were written, whatever their size", async () => {
  await using house = await openFileHouse();
  for (const text of ["", "short", "long ".repeat(100_000)]) {
    await house.put("a.txt", text);
    expect(await house.read("a.txt")).toBe(text);
  }
  const { files, ada } = house;
  expect(await files.findFile(ada.agent, "a.txt")).toMatchObject({ mediaType: "text/plain", size: 500_000 });
});

it("creates files only in existing folders", async () => {
  await using house = await openFileHouse();
  const { files, ada, actor } = house;
  await expect(house.put("a/b.txt", "x")).rejects.toMatchObject({ code: "not_found" });
  await house.put("a", "a file");
  await expect(house.put("a/b.txt", "x")).rejects.toMatchObject({ code: "not_found" });
  await expect(files.makeFolder(ada.agent, actor, "a", [])).rejects.toMatchObject({
    code: "precondition_failed",
  });
  await files.makeFolder(ada.agent, actor, "b", []);
  await expect(house.put("b", "x")).rejects.toMatchObject({ code: "precondition_failed" });
  await files.makeFolder(ada.agent, actor, "b/c", []);
  await house.put("b/d", "x");
  await house.put("b/c/e", "x");
  expect(await house.list("")).toEqual(["a", "b"]);
  expect(await house.list("b")).toEqual(["b/c", "b/d"]);
});

it("checks the preconditions of the writer in the transaction", async () => {
  await using house = await openFileHouse();
  const first = await house.put("a", "1", "absent");
  expect(first.isCreated).toBe(true);
  const stale = { code: "precondition_failed", details: { version: String(first.modseq) } };
  await expect(house.put("a", "2", "absent")).rejects.toMatchObject(stale);
  await expect(house.put("a", "2", "1")).rejects.toMatchObject(stale);
  await expect(house.put("b", "2", "1")).rejects.toMatchObject({ code: "precondition_failed" });
  const second = await house.put("a", "2", String(first.modseq));
  expect(second.isCreated).toBe(false);
  const { files, ada, actor } = house;
  await expect(files.remove(ada.agent, actor, "a", "1")).rejects.toMatchObject({
    code: "precondition_failed",
  });
  await files.remove(ada.agent, actor, "a", String(second.modseq));
  expect(await house.list("")).toEqual([]);
});

const property = { namespace: "urn:x", name: "colour", xml: "<colour xmlns='urn:x'>red</colour>" };

async function fillTree({ files, ada, actor, put }: FileHouse): Promise<void> {
  await files.makeFolder(ada.agent, actor, "one", [property]);
  await files.makeFolder(ada.agent, actor, "one/deep", []);
  await put("one/a", "first");
  await put("one/deep/b", "second");
  // Its name sorts behind what is in the folder, and is not in it.
  await put("one0", "beside");
}

it.each([
  { kind: "copy", isDeep: true, after: ["one", "one0", "two"], inside: ["two/a", "two/deep"] },
  { kind: "copy", isDeep: false, after: ["one", "one0", "two"], inside: [] },
  { kind: "move", isDeep: true, after: ["one0", "two"], inside: ["two/a", "two/deep"] },
] as const)(
  "copies or moves a folder with its properties: $kind, deep $isDeep",
  async ({ kind, isDeep, after, inside }) => {
    await using house = await openFileHouse();
    await fillTree(house);
    const { files, ada, actor } = house;
    const action = { kind, path: "one", to: "two", isDeep, isOverwriting: false };
    expect(await files.transfer(ada.agent, actor, action)).toMatchObject({ isCreated: true });
    expect(await house.list("")).toEqual(after);
    expect(await house.list("two")).toEqual(inside);
    if (isDeep) expect(await house.read("two/deep/b")).toBe("second");
    const two = (await files.findFile(ada.agent, "two")) as FileEntry;
    expect(await files.listDeadProperties(two)).toEqual([property]);
  },
);

it("replaces the file at the destination when overwriting is set", async () => {
  await using house = await openFileHouse();
  await fillTree(house);
  const { files, ada, actor } = house;
  const action = { kind: "move", path: "one0", to: "one", isDeep: true, isOverwriting: false } as const;
  await expect(files.transfer(ada.agent, actor, action)).rejects.toMatchObject({
    code: "precondition_failed",
  });
  expect(await files.transfer(ada.agent, actor, { ...action, isOverwriting: true })).toMatchObject({
    isCreated: false,
  });
  expect(await house.list("")).toEqual(["one"]);
  expect(await house.read("one")).toBe("beside");
});

it("refuses to make the path of what is in a folder too long", async () => {
  await using house = await openFileHouse();
  await fillTree(house);
  const { files, ada, actor } = house;
  const to = "x".repeat(filePathBytesMax - "/deep/b".length + 1);
  for (const kind of ["copy", "move"] as const) {
    const action = { kind, path: "one", isDeep: true, isOverwriting: false };
    await expect(files.transfer(ada.agent, actor, { ...action, to })).rejects.toMatchObject({
      code: "invalid",
    });
  }
  expect(await house.read("one/deep/b")).toBe("second");
  const fitting = { kind: "move", path: "one", to: to.slice(1), isDeep: true, isOverwriting: false } as const;
  await files.transfer(ada.agent, actor, fitting);
  expect(await house.read(`${to.slice(1)}/deep/b`)).toBe("second");
});

it.each(["one", "one/deep/c"])("refuses to put a folder into itself, at %s", async (to) => {
  await using house = await openFileHouse();
  await fillTree(house);
  const { files, ada, actor } = house;
  for (const kind of ["copy", "move"] as const)
    await expect(
      files.transfer(ada.agent, actor, { kind, path: "one", to, isDeep: true, isOverwriting: true }),
    ).rejects.toMatchObject({ code: "invalid" });
});

it("removes a folder with its content, and its size from the quota", async () => {
  await using house = await openFileHouse();
  await fillTree(house);
  const { files, ada, actor } = house;
  await files.remove(ada.agent, actor, "one");
  expect(await house.list("")).toEqual(["one0"]);
  expect(await house.read("one/deep/b")).toBeUndefined();
});

it("sets and removes properties of files", async () => {
  await using house = await openFileHouse();
  await house.put("a", "x");
  const { files, ada, actor } = house;
  const read = async () => files.listDeadProperties((await files.findFile(ada.agent, "a"))!);
  await files.changeProperties(ada.agent, actor, "a", { set: [property], remove: [] });
  expect(await read()).toEqual([property]);
  await files.changeProperties(ada.agent, actor, "a", { set: [], remove: [property] });
  expect(await read()).toEqual([]);
});

it.each(["", "a//b", "a/../b", "./a", "a/", "a\0b", "x".repeat(1025)])(
  "refuses the path %j",
  async (path) => {
    await using house = await openFileHouse();
    await expect(house.put(path, "x")).rejects.toMatchObject({ code: "invalid" });
  },
);

it("refuses a file that is too large", async () => {
  await using house = await openFileHouse();
  const { files, ada, actor } = house;
  const bytes = Buffer.alloc(fileBytesMax + 1);
  await expect(
    files.putFile(ada.agent, actor, { path: "a", bytes, mediaType: "text/plain" }),
  ).rejects.toMatchObject({ details: { reason: "too_large" } });
});

it("copies, moves, replaces and removes a folder with more files than one write changes", async () => {
  await using house = await openFileHouse();
  const { files, ada, actor } = house;
  const count = itemChangesMax + 50;
  await files.makeFolder(ada.agent, actor, "many", [property]);
  await files.makeFolder(ada.agent, actor, "many/deep", [property]);
  const put = (number: number) => house.put(`many/${number % 2 ? "deep/" : ""}${number}`, String(number));
  await Promise.all(Array.from({ length: count }, (_, number) => put(number)));
  const transfer = (kind: "copy" | "move", path: string, to: string, isOverwriting = false) =>
    files.transfer(ada.agent, actor, { kind, path, to, isDeep: true, isOverwriting });
  const countIn = async (folder: string): Promise<number> =>
    (await house.list(folder)).length + (await house.list(`${folder}/deep`)).length;
  const before = await files.findFile(ada.agent, "many/deep/1");

  await transfer("copy", "many", "copy");
  expect([await countIn("many"), await countIn("copy")]).toEqual([count + 1, count + 1]);
  await transfer("move", "many", "moved");
  expect(await house.list("")).toEqual(["copy", "moved"]);
  expect(await countIn("moved")).toBe(count + 1);
  expect(await house.read("moved/deep/1")).toBe("1");
  expect((await files.findFile(ada.agent, "moved/deep/1"))?.file).toBe(before?.file);
  const deep = (await files.findFile(ada.agent, "moved/deep")) as FileEntry;
  expect(await files.listDeadProperties(deep)).toEqual([property]);

  await expect(transfer("move", "moved", "copy")).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await transfer("move", "moved", "copy", true)).toMatchObject({ isCreated: false });
  expect([await house.list(""), await countIn("copy")]).toEqual([["copy"], count + 1]);
  const { modseq } = (await files.findFile(ada.agent, "copy")) as FileEntry;
  const remove = (expected: number) => files.remove(ada.agent, actor, "copy", String(expected));
  await expect(remove(modseq - 1)).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await countIn("copy")).toBe(count + 1);
  await remove(modseq);
  expect(await house.list("")).toEqual([]);
});
