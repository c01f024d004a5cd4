/** Errors as IMAP answers: NO or BAD with a response code (RFC 9051 section 7.1, RFC 5530, RFC 7889). */
import { type ErrorCode, type ErrorReason, isWaypostError } from "#/src/model/errors.ts";

/** An answer that ends a command without success. */
export class Refusal extends Error {
  readonly status: "NO" | "BAD" | "BYE";
  readonly responseCode: string | undefined;

  constructor(status: "NO" | "BAD" | "BYE", text: string, responseCode?: string, options?: ErrorOptions) {
    super(text, options);
    this.name = "Refusal";
    this.status = status;
    this.responseCode = responseCode;
  }
}

/** BAD: a syntax error, or something that the state of the session or its sequence numbers do not allow. */
export function bad(text: string, responseCode?: string): Refusal {
  return new Refusal("BAD", text, responseCode);
}

export function no(responseCode: string | undefined, text: string): Refusal {
  return new Refusal("NO", text, responseCode);
}

const byCode = {
  invalid: "CANNOT",
  unauthorized: "AUTHENTICATIONFAILED",
  not_billable: "NOPERM",
  forbidden_scope: "NOPERM",
  not_found: "NONEXISTENT",
  precondition_failed: "EXPUNGEISSUED",
  policy_refused: "NOPERM",
  rate_limited: "LIMIT",
  paused: "NOPERM",
  upstream_unavailable: "UNAVAILABLE",
  unavailable: "CANNOT",
  internal: "SERVERBUG",
} satisfies Record<ErrorCode, string>;

/** Response codes by the reason of an error; undefined: the response code of its error code is used. */
const byReason = {
  already_exists: "ALREADYEXISTS",
  use_taken: "USEATTR",
  no_such_mailbox: "NONEXISTENT",
  mailbox_has_children: "HASCHILDREN",
  mailbox_is_required: "CANNOT",
  over_quota: "OVERQUOTA",
  too_large: "TOOBIG",
  limit_reached: "LIMIT",
  bad_line_ends: undefined,
  mail_loop: undefined,
  no_such_recipient: undefined,
  relay_refused: undefined,
  sender_refused: undefined,
  busy: "UNAVAILABLE",
  store_full: "UNAVAILABLE",
  expired_cursor: undefined,
  approval_needed: "NOPERM",
  hold_is_decided: "CANNOT",
  recipient_blocked: undefined,
  recipient_suppressed: undefined,
  policy_changed: undefined,
  already_sent: "EXPUNGEISSUED",
  mark_in_text: undefined,
  mailbox_is_reserved: "CANNOT",
  collection_is_required: undefined,
  "valid-calendar-data": undefined,
  "valid-calendar-object-resource": undefined,
  "supported-calendar-component": undefined,
  "supported-rscale": undefined,
  "valid-address-data": undefined,
  "supported-address-data": undefined,
  "no-uid-conflict": undefined,
  "max-resource-size": undefined,
  "schedule-tag-match": undefined,
  "unique-scheduling-object-resource": undefined,
  "same-organizer-in-all-components": undefined,
  "allowed-organizer-scheduling-object-change": undefined,
  "allowed-attendee-scheduling-object-change": undefined,
  "valid-scheduling-message": undefined,
  "valid-organizer": undefined,
  "max-attendees-per-instance": undefined,
  "max-instances": undefined,
  "valid-schedule-default-calendar-URL": undefined,
  "min-date-time": undefined,
  "max-date-time": undefined,
  "valid-managed-id": undefined,
  "valid-managed-id-parameter": undefined,
  "valid-rid-parameter": undefined,
  "max-attachment-size": undefined,
  "max-attachments-per-resource": undefined,
} satisfies Record<ErrorReason, string | undefined>;

/** The answer for an error that a command threw; undefined for an error that no client caused, which the caller logs. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!isWaypostError(error) || error.code === "internal") return undefined;
  const { reason, hint } = error.details;
  const code = (reason === undefined ? undefined : byReason[reason]) ?? byCode[error.code];
  return no(code, hint === undefined ? error.message : `${error.message} (${hint})`);
}

/** The store is away or too busy: what was not read is read later. */
export function isTemporary(error: unknown): boolean {
  return isWaypostError(error) && error.code === "upstream_unavailable";
}

/** After which a session that waits for changes reads again what it could not. */
export const readAgainMs = 1000;
