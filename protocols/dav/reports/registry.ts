import type { Report } from "../report.ts";
import { aclPrincipalPropSet } from "./acl-principal-prop-set.ts";
import { addressbookQuery } from "./addressbook-query.ts";
import { calendarQuery } from "./calendar-query.ts";
import { calendarserverPrincipalSearch } from "./calendarserver-principal-search.ts";
import { expandProperty } from "./expand-property.ts";
import { freeBusyQuery } from "./free-busy-query.ts";
import { addressbookMultiget, calendarMultiget } from "./multiget.ts";
import { principalMatch } from "./principal-match.ts";
import { principalPropertySearch } from "./principal-property-search.ts";
import { principalSearchPropertySet } from "./principal-search-property-set.ts";
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
  principalPropertySearch,
  principalSearchPropertySet,
  principalMatch,
  aclPrincipalPropSet,
  calendarserverPrincipalSearch,
];
