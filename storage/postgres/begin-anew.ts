/** A database that was put back from a backup goes on from an earlier time, and nothing in it says so: whoever put it back does. A copy
 *  of the file is marked when it is made (storage/sqlite/restore.ts), and needs nobody. */
import { WaypostError } from "#/src/model/errors.ts";
import { findMark, removeMark } from "../moving/move-mark.ts";
import type { DatabasePlace } from "../store.ts";
import { renewPositions } from "../writing/mail/renew-positions.ts";
import { dropCapture } from "./capture.ts";
import { openPostgresSide } from "./moving-side.ts";

/** Refused while a daemon runs on it. Done twice, it is as when done once, for everybody who has not come in between. */
export async function beginAnew(place: DatabasePlace, now: number): Promise<void> {
  await using side = await openPostgresSide(place);
  if (await side.isInUse())
    throw new WaypostError("precondition_failed", `A daemon runs on ${side.name}: stop it first`);
  // The backup may be one of a time when the store was being moved.
  if ((await findMark(side.sql))?.state === "copying") {
    await removeMark(side.sql);
    await dropCapture(side.sql);
  }
  await side.inTransaction(async () => {
    // Daemons that were there at the time of the backup.
    for (const table of ["daemon", "lease", "delivery_claim"]) await side.sql.run(`delete from ${table}`);
    await renewPositions(side.sql, now);
  });
}
