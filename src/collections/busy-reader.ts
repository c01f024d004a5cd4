/** The busy time of single objects. A small object that does not repeat is read at once, all others on a thread with a time limit,
 *  because a recurrence rule may cost seconds. */
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { needsRules } from "#/src/formats/icalendar/needs-rules.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import type { Reading } from "#/src/threads/reading.ts";
import { type BusyAnswer, type BusyItem, busyOfItem, type ItemBusy } from "./busy-item.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface BusyReader {
  /** undefined: it needs more work than one object may cost. */
  busyOf(meter: WorkMeter, item: BusyItem): Promise<ItemBusy | undefined>;
}

const timeLimitMs = 5000;

export function createBusyReader(reading: Reading): BusyReader {
  return {
    async busyOf(meter, item) {
      if (isQuick(item)) return meter.measure(() => busyOfItem(item));
      // The bytes are part of a larger page of the store: only their copy is sent.
      const job = { ...item, bytes: new Uint8Array(item.bytes) };
      const size = { bytes: item.bytes.length, limitMs: timeLimitMs };
      const answer = await reading.read<BusyAnswer>("busy", job, size);
      meter.count(answer?.spentMs ?? timeLimitMs);
      return answer?.found;
    },
  };
}

/** A time zone that its calendar brings has rules too. */
function isQuick({ bytes, timeZone }: BusyItem): boolean {
  const isKnown = timeZone === undefined || findNamedZone(timeZone) !== undefined;
  return bytes.length <= mainBytesMax && isKnown && !needsRules(bytes);
}
