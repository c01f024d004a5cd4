/** POST to the scheduling outbox (RFC 6638 section 5): the busy time of each attendee of a VFREEBUSY request. */
import { itemBytesMax } from "#/src/model/limits.ts";
import { answerFreeBusyRequest } from "#/src/scheduling/free-busy-request.ts";
import { type DavAnswer, xmlAnswer } from "./answer.ts";
import { DavError, unmet } from "./dav-error.ts";
import { mediaTypeOf, readOctets } from "./read-body.ts";
import type { DavRequest } from "./request.ts";
import type { OutboxResource } from "./resource.ts";
import { caldav, dav } from "./xml/names.ts";
import { element, textElement } from "./xml/write-xml.ts";

export async function answerOutbox(request: DavRequest, { principal }: OutboxResource): Promise<DavAnswer> {
  const { rooms, reach, login, context } = request;
  if (principal.agent !== login.agent) throw new DavError(403, "An outbox is its owner's alone.");
  const { type } = mediaTypeOf(context.koa.get("Content-Type"));
  if (type !== "" && type !== "text/calendar")
    throw unmet(403, caldav("supported-calendar-data"), "What is posted here is text/calendar.");
  const bytes = await readOctets(request, itemBytesMax, () =>
    unmet(403, caldav("max-resource-size"), `A request has at most ${itemBytesMax} octets.`),
  );
  const { accounts, collections, busyTimes, schedulers } = rooms;
  const answers = await answerFreeBusyRequest(
    { accounts, collections, busyTimes, schedulers, ids: collections.ids },
    { agent: login.agent, reach, bytes },
  );
  return xmlAnswer(
    200,
    caldav("schedule-response"),
    ...answers.map(({ recipient, status, calendar }) =>
      element(
        caldav("response"),
        element(caldav("recipient"), textElement(dav("href"), recipient)),
        textElement(caldav("request-status"), status),
        ...(calendar === undefined
          ? []
          : [textElement(caldav("calendar-data"), Buffer.from(calendar).toString())]),
      ),
    ),
  );
}
