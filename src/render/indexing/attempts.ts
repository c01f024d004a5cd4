/** How often a message is tried that cannot be indexed. A full disk is no fault of a message, and takes none of its attempts, nor
 *  does what else the machine has no room, memory or rights for. */
import { isOfMachine } from "#/storage/sqlite/result-codes.ts";
import type { Pace } from "./pace.ts";

/** A message that cannot be read is tried so often, once in each life of the thread: what was wrong may have been mended. */
export const attemptsMax = 3;
/** A message with which the thread ended is tried so often, alone. */
export const deathsMax = 2;
export const beyond = "The thread ended while it read this message: too much memory or time.";

/** Between two tries. */
const roomMs = 1000;

/** Does again what the machine has no room for, as taking an attempt back that a full disk ended, until it has. */
export async function whenRoom(
  work: () => void | Promise<void>,
  pace: Pick<Pace, "rest">,
  isClosing: () => boolean,
): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOfMachine(error) || isClosing()) throw error;
    }
    await pace.rest(roomMs);
  }
}
