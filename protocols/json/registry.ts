/** Every operation of the interface. */
import { WaypostError } from "#/src/model/errors.ts";
import { hintOfName } from "./describe/unknown-operation.ts";
import type { Operation, OperationRegistry } from "./operation.ts";
import addressbookCreate from "./operations/addressbook/create.ts";
import addressbookDelete from "./operations/addressbook/delete.ts";
import addressbookUpdate from "./operations/addressbook/update.ts";
import blobCreate from "./operations/blob/create.ts";
import blobDelete from "./operations/blob/delete.ts";
import calendarCreate from "./operations/calendar/create.ts";
import calendarDelete from "./operations/calendar/delete.ts";
import calendarUpdate from "./operations/calendar/update.ts";
import calendarMonthList from "./operations/calendarMonth/list.ts";
import catalogDescribe from "./operations/catalog/describe.ts";
import contactCreate from "./operations/contact/create.ts";
import contactDelete from "./operations/contact/delete.ts";
import contactUpdate from "./operations/contact/update.ts";
import draftCreate from "./operations/draft/create.ts";
import draftDelete from "./operations/draft/delete.ts";
import draftUpdate from "./operations/draft/update.ts";
import eventCreate from "./operations/event/create.ts";
import eventDelete from "./operations/event/delete.ts";
import eventUpdate from "./operations/event/update.ts";
import folderCreate from "./operations/folder/create.ts";
import folderDelete from "./operations/folder/delete.ts";
import folderUpdate from "./operations/folder/update.ts";
import health from "./operations/health.ts";
import helpDescribe from "./operations/help/describe.ts";
import holdCreate from "./operations/hold/create.ts";
import holdDelete from "./operations/hold/delete.ts";
import holdUpdate from "./operations/hold/update.ts";
import messageDelete from "./operations/message/delete.ts";
import messageUpdate from "./operations/message/update.ts";
import partDescribe from "./operations/part/describe.ts";
import search from "./operations/search.ts";
import send from "./operations/send.ts";
import wait from "./operations/wait.ts";
import watch from "./operations/watch.ts";

const declared = [
  helpDescribe,
  catalogDescribe,
  health,
  wait,
  watch,
  search,
  partDescribe,
  send,
  messageUpdate,
  messageDelete,
  folderCreate,
  folderUpdate,
  folderDelete,
  draftCreate,
  draftUpdate,
  draftDelete,
  holdCreate,
  holdUpdate,
  holdDelete,
  blobCreate,
  blobDelete,
  calendarMonthList,
  calendarCreate,
  calendarUpdate,
  calendarDelete,
  eventCreate,
  eventUpdate,
  eventDelete,
  addressbookCreate,
  addressbookUpdate,
  addressbookDelete,
  contactCreate,
  contactUpdate,
  contactDelete,
] as const;

/** All operations, in the order of the catalogue. */
export const operations: readonly Operation[] = declared;
export type AnyOperation = (typeof declared)[number];
export type OperationName = AnyOperation["name"];
/** An operation that writes. */
export type Write = Extract<AnyOperation, { readonly effect: "writes" }>;

/** `unservedNames`: operations that the operator has turned off; unknown names are ignored. */
export function createRegistry(unservedNames: readonly string[]): OperationRegistry {
  const isUnserved = new Set(unservedNames);
  const byName = new Map(operations.map((one) => [one.name, one]));
  const served = operations.filter((one) => !isUnserved.has(one.name));
  const unserved = operations.filter((one) => isUnserved.has(one.name)).map((one) => one.name);
  return {
    served,
    unserved,
    find(name) {
      const found = byName.get(name);
      if (found !== undefined && !isUnserved.has(name)) return found;
      if (unserved.includes(name))
        throw new WaypostError("unavailable", "This deployment does not serve the operation.", {
          hint: "Do not retry; catalog.describe lists what is served.",
        });
      throw new WaypostError("not_found", "There is no such operation.", { hint: hintOfName(name, served) });
    },
  };
}
