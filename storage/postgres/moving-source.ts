/** A store on PostgreSQL that is copied while daemons use it. */
import { writeMark } from "../moving/move-mark.ts";
import type { MovingSource } from "../moving/moving-side.ts";
import type { DatabasePlace } from "../store.ts";
import { captureChanges, dropCapture, forgetChanges, refuseChanges } from "./capture.ts";
import { openPostgresSide, type PostgresSide } from "./moving-side.ts";
import { openPostgresSnapshots } from "./snapshots.ts";

export async function openPostgresSource(place: DatabasePlace, waitMs?: number): Promise<MovingSource> {
  const side: PostgresSide = await openPostgresSide(place, waitMs);
  const { sql } = side;
  const snapshots = await openPostgresSnapshots(place);
  return {
    ...side,
    read: (run) => snapshots.read(run),
    capture: (tables) => captureChanges(sql, tables),
    release: () => dropCapture(sql),
    forget: (table, changes) => forgetChanges(sql, table, changes),
    async keepOut(mark) {
      if (await side.isInUse()) return false;
      await writeMark(sql, mark);
      // A daemon that was about to start may have looked for the mark before, or one was taken for dead.
      await refuseChanges(sql);
      return true;
    },
    async [Symbol.asyncDispose]() {
      await snapshots.close();
      await side[Symbol.asyncDispose]();
    },
  };
}
