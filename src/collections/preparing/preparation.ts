/** Parses items and derives their facts before they are written.
 *
 *  Most are read in a fraction of a millisecond, which is less than giving them to a thread takes. What is large, repeats, or brings
 *  time zones of its own may be much work: threads do that, within limits of processor time and memory (`src/threads`). */

import { findProperty, listComponents, parameterValue } from "#/src/formats/content-lines/content-line.ts";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { type ErrorReason, WaypostError } from "#/src/model/errors.ts";
import { itemBytesMax, mainBytesMax } from "#/src/model/limits.ts";
import type { Reading } from "#/src/threads/reading.ts";
import type { ItemFacts } from "#/storage/items.ts";
import { type DerivedItem, dataReasons, deriveItem, type ReadItem, readItem } from "./derive-item.ts";

export interface ItemPreparation {
  /** What is derived of an item's octets. Throws `invalid` with the name of the precondition that they break. */
  prepare(bytes: Uint8Array, item: DerivedItem): Promise<ItemFacts>;
}

export interface ItemJob {
  readonly bytes: Uint8Array;
  readonly item: DerivedItem;
}

/** A refusal is returned, not thrown: an error that a thread throws is a fault of the thread. */
export type ItemAnswer =
  | { readonly facts: ItemFacts }
  | { readonly refusal: { readonly message: string; readonly reason: ErrorReason | undefined } };

/** From this size on one takes long, and those below it do not wait for it. */
const slowBytesMin = 256 * 1024;
/** Bounds on the processor time. */
const itemLimits = { jobMs: 2000, jobMsPerMiB: 100 };

/** On the thread of the caller. */
export function createDirectPreparation(): ItemPreparation {
  return {
    prepare: async (bytes, item) => deriveItem(bytes, readItem(bytes, item), item.at),
  };
}

export function createItemPreparation(
  reading: Reading,
  { jobMs, jobMsPerMiB } = itemLimits,
): ItemPreparation {
  return {
    async prepare(bytes, item) {
      if (bytes.length <= mainBytesMax || bytes.length > itemBytesMax) {
        const read = readItem(bytes, item);
        if (isLittleWork(read)) return deriveItem(bytes, read, item.at);
      }
      const answer = await reading.read<ItemAnswer>(
        "items",
        { bytes: new Uint8Array(bytes), item } satisfies ItemJob,
        {
          bytes: bytes.length,
          isSlow: bytes.length >= slowBytesMin,
          limitMs: jobMs + (bytes.length / (1024 * 1024)) * jobMsPerMiB,
        },
      );
      if (answer === undefined)
        throw new WaypostError("invalid", "The object takes too much work to be understood.", {
          reason: dataReasons[item.kind],
        });
      if ("facts" in answer) return answer.facts;
      const { message, reason } = answer.refusal;
      throw new WaypostError("invalid", message, reason === undefined ? {} : { reason });
    },
  };
}

const repeating = ["RRULE", "RDATE", "EXRULE"];
const timed = ["DTSTART", "DTEND", "DUE", "RECURRENCE-ID"];

function isLittleWork(read: ReadItem): boolean {
  if (read.kind === "addressbook") return true;
  const { calendar, components } = read.object;
  const isKnown = (name: string, component: (typeof components)[number]): boolean => {
    const property = findProperty(component, name);
    const tzid = property && parameterValue(property, "TZID");
    return tzid === undefined || findNamedZone(tzid) !== undefined;
  };
  const hasZones = listComponents(calendar, "VTIMEZONE").length > 0;
  return components.every(
    (component) =>
      repeating.every((name) => findProperty(component, name) === undefined) &&
      (!hasZones || timed.every((name) => isKnown(name, component))),
  );
}
