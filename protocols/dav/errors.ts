/** The status of each error of Waypost in WebDAV, and its precondition if a standard names one. */
import { type ErrorCode, type ErrorReason, isWaypostError } from "#/src/model/errors.ts";
import { DavError } from "./dav-error.ts";
import { caldav, carddav, dav, type XmlName } from "./xml/names.ts";

interface Refusal {
  readonly status: number;
  readonly condition?: XmlName;
}

const needPrivileges = dav("need-privileges");

export const byCode = {
  invalid: { status: 403 },
  unauthorized: { status: 401 },
  not_billable: { status: 402 },
  forbidden_scope: { status: 403, condition: needPrivileges },
  not_found: { status: 404 },
  precondition_failed: { status: 412 },
  policy_refused: { status: 403 },
  rate_limited: { status: 429 },
  paused: { status: 503 },
  upstream_unavailable: { status: 503 },
  unavailable: { status: 501 },
  internal: { status: 500 },
} as const satisfies Record<ErrorCode, Refusal>;

/** Errors whose reason says more than their code; undefined: as for the code. */
const byReason = {
  already_exists: { status: 405 },
  use_taken: undefined,
  no_such_mailbox: undefined,
  mailbox_has_children: undefined,
  mailbox_is_required: undefined,
  // RFC 4331 section 6
  over_quota: { status: 507, condition: dav("quota-not-exceeded") },
  too_large: { status: 413 },
  // RFC 4918 section 11.5; RFC 6578 names the condition for truncated reports
  limit_reached: { status: 507, condition: dav("number-of-matches-within-limits") },
  bad_line_ends: undefined,
  mail_loop: undefined,
  no_such_recipient: undefined,
  relay_refused: undefined,
  sender_refused: undefined,
  busy: { status: 503 },
  store_full: { status: 507, condition: dav("sufficient-disk-space") },
  expired_cursor: { status: 403, condition: dav("valid-sync-token") },
  approval_needed: undefined,
  hold_is_decided: undefined,
  recipient_blocked: undefined,
  recipient_suppressed: undefined,
  policy_changed: undefined,
  already_sent: undefined,
  mark_in_text: undefined,
  mailbox_is_reserved: undefined,
  // RFC 6638 section 4.3
  collection_is_required: { status: 403, condition: caldav("default-calendar-needed") },
  // RFC 4791 section 5.3.2.1
  "valid-calendar-data": { status: 403, condition: caldav("valid-calendar-data") },
  "valid-calendar-object-resource": { status: 403, condition: caldav("valid-calendar-object-resource") },
  "supported-calendar-component": { status: 403, condition: caldav("supported-calendar-component") },
  // RFC 7529 section 6.1
  "supported-rscale": { status: 403, condition: caldav("supported-rscale") },
  // RFC 6352 section 6.3.2.1
  "valid-address-data": { status: 403, condition: carddav("valid-address-data") },
  "supported-address-data": { status: 403, condition: carddav("supported-address-data") },
  // The condition of calendars. `explainRefusal` replaces it by that of addressbooks, which has another namespace.
  "no-uid-conflict": { status: 403, condition: caldav("no-uid-conflict") },
  "max-resource-size": { status: 403, condition: caldav("max-resource-size") },
  "schedule-tag-match": { status: 412 },
  // RFC 6638 section 3.2.4; the first one names where the other object is, as the resource knows
  "unique-scheduling-object-resource": {
    status: 403,
    condition: caldav("unique-scheduling-object-resource"),
  },
  "same-organizer-in-all-components": { status: 403, condition: caldav("same-organizer-in-all-components") },
  "allowed-organizer-scheduling-object-change": {
    status: 403,
    condition: caldav("allowed-organizer-scheduling-object-change"),
  },
  "allowed-attendee-scheduling-object-change": {
    status: 403,
    condition: caldav("allowed-attendee-scheduling-object-change"),
  },
  // RFC 6638 section 5.1
  "valid-scheduling-message": { status: 403, condition: caldav("valid-scheduling-message") },
  "valid-organizer": { status: 403, condition: caldav("valid-organizer") },
  // RFC 4791 section 5.3.2.1
  "max-attendees-per-instance": { status: 403, condition: caldav("max-attendees-per-instance") },
  // RFC 6638 section 9.2
  "valid-schedule-default-calendar-URL": {
    status: 403,
    condition: caldav("valid-schedule-default-calendar-URL"),
  },
  // RFC 8607 section 3.11
  "valid-managed-id": { status: 403, condition: caldav("valid-managed-id") },
  "valid-managed-id-parameter": { status: 403, condition: caldav("valid-managed-id-parameter") },
  "valid-rid-parameter": { status: 403, condition: caldav("valid-rid-parameter") },
  "max-attachment-size": { status: 403, condition: caldav("max-attachment-size") },
  "max-attachments-per-resource": { status: 403, condition: caldav("max-attachments-per-resource") },
  "min-date-time": { status: 403, condition: caldav("min-date-time") },
  "max-date-time": { status: 403, condition: caldav("max-date-time") },
  "max-instances": { status: 403, condition: caldav("max-instances") },
} as const satisfies Record<ErrorReason, Refusal | undefined>;

/** The answer for a thrown error; undefined for an error that no client caused, which the caller logs. */
export function davErrorOf(error: unknown): DavError | undefined {
  if (error instanceof DavError) return error;
  if (!isWaypostError(error) || error.code === "internal") return undefined;
  const { reason, retryAfterMs } = error.details;
  const { status, condition }: Refusal =
    (reason === undefined ? undefined : byReason[reason]) ?? byCode[error.code];
  const headers =
    error.code === "rate_limited"
      ? { "Retry-After": String(Math.max(1, Math.ceil((retryAfterMs ?? 1000) / 1000))) }
      : undefined;
  return new DavError(status, error.message, { condition, headers, cause: error });
}
