/** The indexing thread with an index that cannot grow while the file `full` stands in the folder of the store, and in which no attempt can be
 *  taken back either while the file `brimful` does. */
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { SearchTrials } from "#/storage/search/search-trials.ts";

const { exec } = Database.prototype;
Database.prototype.exec = function (this: Database.Database, statement: string) {
  const answer = exec.call(this, statement);
  if (path.basename(this.name) === "search.db" && statement.startsWith("begin")) {
    const isFull = fs.existsSync(path.join(path.dirname(this.name), "full"));
    // One page is less than there are: as many as there are.
    this.pragma(`max_page_count = ${isFull ? 1 : 1_000_000}`);
    folder = path.dirname(this.name);
  }
  return answer;
};

let folder = "";
const { takeBack } = SearchTrials.prototype;
SearchTrials.prototype.takeBack = function (this: SearchTrials, ...args: Parameters<typeof takeBack>) {
  const file = path.join(folder, "brimful");
  if (fs.existsSync(file)) {
    // There is room at the second attempt.
    fs.rmSync(file);
    throw new Database.SqliteError("database or disk is full", "SQLITE_FULL");
  }
  takeBack.apply(this, args);
};

await import("#/src/render/indexing/index-thread.ts");
