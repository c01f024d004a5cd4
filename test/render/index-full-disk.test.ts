import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { isEngineFault } from "#/src/render/indexing/faults.ts";
import { isOfMachine } from "#/storage/sqlite/result-codes.ts";

test("that a disk is full is no fault of the search index or of a message", () => {
  const database = new Database(":memory:");
  try {
    database.exec("create table piece (text); pragma max_page_count = 10");
    const insert = database.prepare("insert into piece values (randomblob(100000))");
    expect(() => insert.run()).toThrow(expect.toSatisfy(isOfMachine));
    expect(() => database.exec("select no")).toThrow(
      expect.toSatisfy((error) => isEngineFault(error) && !isOfMachine(error)),
    );
  } finally {
    database.close();
  }
});
