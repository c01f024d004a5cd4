import type { Report } from "../report.ts";
import { addressbookQuery } from "./addressbook-query.ts";
import { calendarQuery } from "./calendar-query.ts";
import { expandProperty } from "./expand-property.ts";
import { freeBusyQuery } from "./free-busy-query.ts";
import { addressbookMultiget, calendarMultiget } from "./multiget.ts";
import { syncCollection } from "./sync-collection.ts";

/** Every report that is served. */
export const reports: readonly Report[] = [
  calendarQuery,
  calendarMultiget,
  freeBusyQuery,
  addressbookQuery,
  addressbookMultiget,
  syncCollection,
  expandProperty,
];
