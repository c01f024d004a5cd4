/** How often a message is tried that cannot be indexed. A full disk is no fault of a message, and takes none of its attempts. */
import { isOfFullDisk } from "./faults.ts";
import type { Pace } from "./pace.ts";

/** A message that cannot be read is tried so often, once in each life of the thread: what was wrong may have been mended. */
export const attemptsMax = 3;
/** A message with which the thread ended is tried so often, alone. */
export const deathsMax = 2;
export const beyond = "The thread ended while it read this message: too much memory or time.";

/** Between attempts to take one back. */
const roomMs = 1000;

/** Takes an attempt back that the full disk ended, which the disk may be too full for as well. */
export async function writeWhenRoom(
  takeBack: () => void,
  pace: Pick<Pace, "rest">,
  isClosing: () => boolean,
): Promise<void> {
  for (;;) {
    try {
      takeBack();
      return;
    } catch (error) {
      if (!isOfFullDisk(error) || isClosing()) throw error;
    }
    await pace.rest(roomMs);
  }
}
