/** Failures of SQLite. After a failed sync nobody knows what is on the disk: the writer answers nothing more, and says why it ends. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { engineFailure } from "#/storage/sqlite/failures.ts";
import { openWriter } from "#/storage/sqlite/open-writer.ts";
import { isOfMachine, kindOfCode } from "#/storage/sqlite/result-codes.ts";
import { WriterLoop } from "#/storage/sqlite/writer-loop.ts";
import type { Answer, Job } from "#/storage/threads/messages.ts";

it.each([
  ["SQLITE_FULL", "upstream_unavailable", "store_full"],
  ["SQLITE_IOERR_SHMSIZE", "upstream_unavailable", "store_full"],
  ["SQLITE_BUSY_SNAPSHOT", "upstream_unavailable", "busy"],
  // Rights, or too many open files: no room would help.
  ["SQLITE_CANTOPEN", "upstream_unavailable", "busy"],
  ["SQLITE_CANTOPEN_ISDIR", "upstream_unavailable", "busy"],
  ["SQLITE_IOERR_READ", "upstream_unavailable", "busy"],
  ["SQLITE_IOERR_FSYNC", "upstream_unavailable", "busy"],
  ["SQLITE_CORRUPT", "internal", undefined],
  ["SQLITE_UNHEARD_OF", "internal", undefined],
])("answers %s of SQLite as %s, %s", (code, answer, reason) => {
  const failure = engineFailure(new Database.SqliteError("", code));
  expect([failure.code, failure.details.reason]).toEqual([answer, reason]);
});

it("knows of each code that the engine has what it is about", () => {
  const source = fs.readFileSync("node_modules/better-sqlite3/src/util/constants.cpp", "utf8");
  const codes = new Set(source.match(/\bSQLITE_(?!ERROR_\b)\w+/g));
  expect(codes.size).toBeGreaterThan(100);
  expect([...kindOfCode.keys()].sort()).toEqual([...codes].sort());
});

it.each([
  ["SQLITE_FULL", true],
  ["SQLITE_IOERR_SHMSIZE", true],
  ["SQLITE_NOMEM", true],
  ["SQLITE_IOERR_READ", false],
  ["SQLITE_CORRUPT", false],
  ["SQLITE_ERROR", false],
])("that of %s the machine is to blame, and not the file, is %s", (code, is) => {
  expect(isOfMachine(new Database.SqliteError("", code))).toBe(is);
});

/** A loop whose commits fail with this code of SQLite, once the store is open. */
async function openFailing(code: string) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-failures-"));
  const database = await openWriter(folder);
  let isFailing = false;
  const engine = new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
      return (text: string) => {
        const statement = target.prepare(text);
        if (text !== "commit") return statement;
        const run = () => {
          if (isFailing) throw new Database.SqliteError("the disk failed", code);
          return statement.run();
        };
        return { run };
      };
    },
  });
  const answers: Answer[] = [];
  const ended = Promise.withResolvers<unknown>();
  const loop = new WriterLoop(engine, {
    say(message) {
      if (message.kind === "answers") answers.push(...message.answers);
    },
    fail: ended.resolve,
    drain() {},
    close: () => ended.resolve(undefined),
  });
  const write = (id: number) => {
    const args = { name: `account ${id}`, at: 1 };
    const job = { id, name: "createAccount", args, bytes: 0, at: 1, lane: "quick", owner: "anybody" };
    loop.take({ kind: "jobs", jobs: [job as unknown as Job] });
  };
  return {
    answers,
    ended: ended.promise,
    write,
    close: () => loop.take({ kind: "close" }),
    beginFailing: () => (isFailing = true),
    [Symbol.dispose]() {
      database.close();
      fs.rmSync(folder, { recursive: true });
    },
  };
}

it.each(["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_TRUNCATE"])(
  "answers no job whose commit ended with %s, and ends",
  async (code) => {
    using writer = await openFailing(code);
    writer.write(1);
    await expect.poll(() => writer.answers.length).toBe(1);
    writer.beginFailing();
    writer.write(2);
    expect(await writer.ended).toMatchObject({ code });
    writer.write(3);
    expect(writer.answers).toMatchObject([{ id: 1, result: expect.anything() }]);
  },
);

it("refuses for a while what a full disk did not take, and goes on", async () => {
  using writer = await openFailing("SQLITE_FULL");
  writer.beginFailing();
  writer.write(1);
  await expect.poll(() => writer.answers.length).toBe(1);
  expect(writer.answers).toMatchObject([{ id: 1, error: { code: "upstream_unavailable" } }]);
  writer.close();
  expect(await writer.ended).toBeUndefined();
});
