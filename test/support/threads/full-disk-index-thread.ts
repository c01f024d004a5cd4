/** The indexing thread with an index that cannot grow while the file `full` stands in the folder of the store. While `brimful` does, the first
 *  time that a life of the thread takes an attempt back fails too. While `narrow` does, the index has no room for what it is asked, and says
 *  in the file `met` that it was. */
import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { SearchDatabase } from "#/storage/search/search-database.ts";
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
let hasRefused = false;
const { takeBack } = SearchTrials.prototype;
SearchTrials.prototype.takeBack = function (this: SearchTrials, ...args: Parameters<typeof takeBack>) {
  if (!hasRefused && fs.existsSync(path.join(folder, "brimful"))) {
    hasRefused = true;
    throw new Database.SqliteError("database or disk is full", "SQLITE_FULL");
  }
  takeBack.apply(this, args);
};

function refuseIfNarrow(): void {
  if (!fs.existsSync(path.join(folder, "narrow"))) return;
  fs.writeFileSync(path.join(folder, "met"), "");
  throw new Database.SqliteError("database or disk is full", "SQLITE_FULL");
}

const { agents, readPreviews } = SearchDatabase.prototype;
SearchDatabase.prototype.agents = function (this: SearchDatabase) {
  refuseIfNarrow();
  return agents.call(this);
};
SearchDatabase.prototype.readPreviews = function (
  this: SearchDatabase,
  ...args: Parameters<typeof readPreviews>
) {
  refuseIfNarrow();
  return readPreviews.apply(this, args);
};

await import("#/src/render/indexing/index-thread.ts");
