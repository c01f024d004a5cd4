/** Times of a contact as callers write them, in UTC as a Card has them: without a zone those of the clock of the default calendar. */
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { readWrittenTime, utcOfWritten } from "#/src/formats/icalendar/written-time.ts";
import { formatUtc } from "#/src/formats/jscalendar/local-time.ts";
import { cardTimes } from "#/src/formats/jscontact/contact-schema.ts";
import { type JsonObject, parsePointer } from "#/src/formats/jscontact/json.ts";
import { type ConvertTime, timePlacesAt, withTimes } from "#/src/formats/jscontact/time-places.ts";
import { defaultZone } from "../given-time.ts";
import type { OperationContext } from "../operation.ts";

export async function cardInUtc(context: OperationContext, body: JsonObject): Promise<JsonObject> {
  return inUtc(context, (convert) => withTimes(body, cardTimes, convert) as JsonObject);
}

export async function cardPatchInUtc(context: OperationContext, patch: JsonObject): Promise<JsonObject> {
  return inUtc(context, (convert) =>
    Object.fromEntries(
      Object.entries(patch).map(([pointer, value]) => {
        const places = timePlacesAt(cardTimes, parsePointer(pointer));
        return [pointer, places === undefined ? value : withTimes(value, places, convert)];
      }),
    ),
  );
}

/** The default calendar is read for times without a zone alone. */
async function inUtc(
  context: OperationContext,
  convertAll: (convert: ConvertTime) => JsonObject,
): Promise<JsonObject> {
  let needsClock = false;
  const convertBy =
    (clock: TimeZone): ConvertTime =>
    (written) => {
      const time = readWrittenTime(written);
      if (time === undefined) return written;
      needsClock ||= time.offsetMs === undefined;
      return formatUtc(utcOfWritten(time, clock));
    };
  const converted = convertAll(convertBy(utcZone));
  return needsClock ? convertAll(convertBy(await defaultZone(context))) : converted;
}
