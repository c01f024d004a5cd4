/** A house with a person, mia, into whose calendar ada, an agent, writes by a grant; and what tests of it share. */
import { afterEach, beforeEach } from "vitest";
import { isWaypostError } from "#/src/model/errors.ts";
import { type CalendarOwner, openSchedulingHouse, plain, type SchedulingHouse } from "./scheduling-house.ts";

export let house: SchedulingHouse;
export let mia: CalendarOwner;
/** ada, an agent, in mia's calendar. */
export let inMias: CalendarOwner;

/** Opens a house for each test of the file that calls this. */
export function eachInMiasHouse(): void {
  beforeEach(async () => {
    house = await openSchedulingHouse();
    await house.openPolicies();
    mia = await house.person("mia");
    inMias = await house.granted(house.ada, mia, ["calendar"]);
  });
  afterEach(async () => {
    await house[Symbol.asyncDispose]();
  });
}

export const later = (text: string) =>
  text.replaceAll(/^(DTSTART|DTEND)(.*?):2026(\d\d)(\d\d)T1/gm, "$1$2:2026$3$4T2");

export const held = async (uid = "meeting-1") => (await mia.items()).find((one) => one.uid === uid);
export const textOf = async (uid?: string) => plain((await held(uid))!.bytes);

/** A write that may be refused. */
export async function attempt(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isWaypostError(error)) throw error;
  });
}

/** All that is in the queue for others, and in bob's calendar. */
export async function everything(): Promise<string> {
  await house.server.deliverQueued();
  return [
    ...(await house.leaving()).map(({ text, calendar }) => text + calendar),
    ...(await house.bob.texts()),
  ].join("\n");
}
