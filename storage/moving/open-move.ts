/** The two sides of a move, by where they are: a file of the folder, or a database. */
import fs from "node:fs";
import path from "node:path";
import { WaypostError } from "#/src/model/errors.ts";
import { lockStore } from "../folder-lock.ts";
import type { ObjectPlace } from "../objects/objects.ts";
import { openS3Objects } from "../objects/s3-objects.ts";
import { openSqliteSide, putAside } from "../sqlite/moving-side.ts";
import type { DatabasePlace } from "../store.ts";
import { findMark } from "./move-mark.ts";
import { cancelMove, type MoveReport, type MoveSteps, moveStore } from "./move-store.ts";
import type { MovingSide } from "./moving-side.ts";

/** undefined: the file in the folder. */
export type Place = DatabasePlace | undefined;

export interface Move extends Omit<MoveSteps, "objects"> {
  /** Where the bodies are that are in no row: they stay there. */
  readonly objects?: ObjectPlace | undefined;
  readonly folder: string;
  readonly from: Place;
  readonly to: Place;
}

export interface Moved extends MoveReport {
  readonly from: string;
  readonly to: string;
  /** The file to which a former store of the folder was renamed. It is not used any more. */
  readonly aside?: string;
}

export async function runMove({ folder, from, to, objects, ...steps }: Move): Promise<Moved> {
  if (from?.url === to?.url)
    throw new WaypostError("invalid", "The store is there already: --to names another place");
  assertThere(folder, from);
  const lock = lockStore(folder);
  try {
    await using source = await openSide(folder, from);
    const aside = to === undefined ? await putAside(folder, (await findMark(source.sql))?.id) : undefined;
    await using target = await openSide(folder, to);
    const report = await moveStore(source, target, {
      ...steps,
      objects: objects && openS3Objects(objects),
    });
    return { ...report, from: source.name, to: target.name, ...(aside !== undefined && { aside }) };
  } finally {
    lock.release();
  }
}

export async function runCancel(folder: string, place: Place): Promise<void> {
  assertThere(folder, place);
  const lock = lockStore(folder);
  try {
    await using side = await openSide(folder, place);
    await cancelMove(side);
  } finally {
    lock.release();
  }
}

function assertThere(folder: string, place: Place): void {
  if (place === undefined && !fs.existsSync(path.join(folder, "waypost.db")))
    throw new WaypostError("not_found", `There is no store in ${folder}.`, {
      hint: "--data names another folder.",
    });
  if (place !== undefined) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}

async function openSide(folder: string, place: Place): Promise<MovingSide> {
  if (place === undefined) return openSqliteSide(folder);
  // Loaded only where PostgreSQL is used.
  const { openPostgresSide } = await import("../postgres/moving-side.ts");
  return openPostgresSide(place);
}
