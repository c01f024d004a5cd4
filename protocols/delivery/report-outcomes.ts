/** Stores what became of a delivery, with the notices to its sender. */
import type { LocalDelivery } from "#/src/arrival/deliver-locally.ts";
import { type NoticedOutcome, noticesOf } from "#/src/arrival/notify-sender.ts";
import { pause } from "#/src/model/background.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import { nameDelivery } from "./attempt-log.ts";
import type { DeliveryRooms } from "./delivery-rooms.ts";

const firstWaitMs = 1000;
const longestWaitMs = 30_000;

export interface Report {
  readonly delivery: DueDelivery;
  readonly outcomes: readonly NoticedOutcome[];
  /** For mailboxes here. */
  readonly copies: LocalDelivery["letters"];
  /** Aborts when the runner stops. */
  readonly signal: AbortSignal;
}

/** Repeats until the outcomes are durable: a lost outcome means a message sent twice. False when the delivery has to be read again,
 *  or the runner stops. */
export async function reportOutcomes(rooms: DeliveryRooms, report: Report): Promise<boolean> {
  const { delivery, outcomes, copies, signal } = report;
  const { log, outbound } = rooms;
  let letters = [...copies, ...(await listNotices(rooms, delivery, outcomes))];
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      const { hasPaused } = await outbound.report(delivery, outcomes, letters);
      if (hasPaused)
        log.warn(
          { agent: rooms.store.ids.encode("agent", delivery.agent) },
          "too many of its mails failed: the agent is paused until it is resumed (waypost agent resume)",
        );
      return true;
    } catch (error) {
      const code = isWaypostError(error) ? error.code : undefined;
      if (code === "precondition_failed" && letters.length > 0 && copies.length === 0) {
        // The mail was cancelled meanwhile: the outcome is recorded, but no notice is sent.
        letters = [];
        continue;
      }
      log.error({ err: error, ...nameDelivery(rooms, delivery) }, "an outcome could not be stored");
      const isAnother = code === "precondition_failed" || code === "not_found";
      if (isAnother || signal.aborted) return false;
      // A stop ends the wait early.
      await pause(waitMs, { signal }).catch(() => {});
    }
  }
}

/** If a notice cannot be made, the outcome is stored without it. */
async function listNotices(
  rooms: DeliveryRooms,
  delivery: DueDelivery,
  outcomes: readonly NoticedOutcome[],
): Promise<LocalDelivery["letters"]> {
  try {
    return await noticesOf(rooms, delivery, outcomes, rooms.store.clock.now());
  } catch (error) {
    rooms.log.error({ err: error, ...nameDelivery(rooms, delivery) }, "a notice could not be made");
    return [];
  }
}
