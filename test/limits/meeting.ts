/** How a limit is met. */
import type { TableName, Tables } from "./hand-in.ts";

/** With so many: whether all of it was taken. `least`: the smallest number for which that can be tried; 3 as a rule. */
export interface Met {
  readonly least?: number;
  meet(count: number): boolean | Promise<boolean>;
}

/** A limit that refuses nothing, and what it does. */
export interface Does {
  readonly does: string;
}

/** Met in a conversation with a value of its own, or the one of the table: `file: title`. */
export interface Told {
  readonly test: string;
}

export type Meeting = Met | Does | Told;
/** `handIn` comes with the way in which tests load a table. */
export type MeetingsOf<T extends TableName> = Readonly<Record<Exclude<keyof Tables[T], "handIn">, Meeting>>;

/** Whether it is done: a refusal is a thrown error, or false. */
export async function isTaken(run: () => unknown): Promise<boolean> {
  try {
    return (await run()) !== false;
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    return false;
  }
}

/** The same of a limit that is kept in several places, each of which has to keep it. */
export async function allTake(...places: readonly (() => unknown)[]): Promise<boolean> {
  const taken = new Set(await Promise.all(places.map(isTaken)));
  if (taken.size > 1) throw new Error("Not every place keeps the limit");
  return taken.has(true);
}

export const does = (what: string): Does => ({ does: what });
export const told = (test: string): Told => ({ test });
