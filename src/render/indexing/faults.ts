/** What the indexing thread says of its errors. */

/** What went wrong, by its kind and place; its words could hold text of the message. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const ends = (error.stack ?? "").split("\n").map((line) => line.slice(line.lastIndexOf("/") + 1));
  const place = ends
    .map((end) => /^([\w-]+\.[a-z]+:\d+):\d+\)?$/.exec(end)?.[1])
    .find((one) => one !== undefined);
  return place === undefined ? error.name : `${error.name} at ${place}`;
}

/** An error of SQLite, not of the program. */
export function isEngineFault(error: unknown): boolean {
  return error instanceof Error && error.name === "SqliteError";
}
