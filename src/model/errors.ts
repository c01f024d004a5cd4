/** The closed union of all refusals, in the words of the `/v1` interface ("Errors"). All rooms below the protocols throw
 *  `WaypostError`. Each protocol maps the code, and the reason if it has a more exact answer for it, in one table. */

export const errorCodes = [
  "invalid",
  "unauthorized",
  "not_billable",
  "forbidden_scope",
  "not_found",
  "precondition_failed",
  "policy_refused",
  "rate_limited",
  "paused",
  "upstream_unavailable",
  "unavailable",
  "internal",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** The exact reason of a refusal, for protocols that have a code for it (IMAP response codes, SMTP enhanced status codes). */
export const errorReasons = [
  "already_exists",
  "use_taken",
  "no_such_mailbox",
  "mailbox_has_children",
  "mailbox_is_required",
  "over_quota",
  "too_large",
  "limit_reached",
  "bad_line_ends",
  "mail_loop",
  "no_such_recipient",
  "relay_refused",
  "sender_refused",
  "busy",
  "store_full",
  "expired_cursor",
  "approval_needed",
  "hold_is_decided",
  "recipient_blocked",
  "recipient_suppressed",
  "policy_changed",
  "already_sent",
  "mark_in_text",
  "mailbox_is_reserved",
  "collection_is_required",
  // Preconditions of RFC 4791 section 5.3.2.1, RFC 6352 section 6.3.2.1, RFC 6638 section 3.2.10 and RFC 7529, in their words.
  "valid-calendar-data",
  "valid-calendar-object-resource",
  "supported-calendar-component",
  "supported-rscale",
  "valid-address-data",
  "supported-address-data",
  "no-uid-conflict",
  "max-resource-size",
  "schedule-tag-match",
  // Preconditions of RFC 6638 section 3.2.4, and those of RFC 4791 section 5.3.2.1 that only scheduling has.
  "unique-scheduling-object-resource",
  "same-organizer-in-all-components",
  "allowed-organizer-scheduling-object-change",
  "allowed-attendee-scheduling-object-change",
  "valid-scheduling-message",
  "valid-organizer",
  "max-attendees-per-instance",
  "max-instances",
  "min-date-time",
  "max-date-time",
  "valid-schedule-default-calendar-URL",
  // RFC 8607 section 3.11
  "valid-managed-id",
  "valid-managed-id-parameter",
  "valid-rid-parameter",
  "max-attachment-size",
  "max-attachments-per-resource",
] as const;
export type ErrorReason = (typeof errorReasons)[number];

export interface ErrorDetails {
  readonly reason?: ErrorReason;
  /** What to do about it, one sentence. */
  readonly hint?: string;
  /** JSON pointer (RFC 6901) of the field that is wrong. */
  readonly field?: string;
  /** Number of the object that the refusal is about, where a request is about several. */
  readonly object?: number;
  readonly retryAfterMs?: number;
  /** The version to retry with, on `precondition_failed`. */
  readonly version?: string;
  readonly current?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Characters of a refusal. It may name what a caller or a peer has sent, of which the beginning is enough. */
const messageCharactersMax = 2000;
const hintCharactersMax = 10_000;
const fieldCharactersMax = 402;

export class WaypostError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(
      beginningOf(message, messageCharactersMax),
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    const { hint, field } = details;
    this.name = "WaypostError";
    this.code = code;
    this.details = {
      ...details,
      ...(hint === undefined ? {} : { hint: beginningOf(hint, hintCharactersMax) }),
      ...(field === undefined ? {} : { field: beginningOf(field, fieldCharactersMax) }),
    };
  }
}

function beginningOf(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1).toWellFormed()}…` : text;
}

export function isWaypostError(error: unknown): error is WaypostError {
  return error instanceof WaypostError;
}

/** Whether it says nothing of who asks: the server can't do it, or not now. */
export function isOfServer(error: unknown): boolean {
  return !isWaypostError(error) || error.code === "internal" || error.code === "upstream_unavailable";
}

/** The result of work that what it belongs to can go without; undefined where nothing can be stored now, as with a full disk. */
export async function ifAvailable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isWaypostError(error) && error.code === "upstream_unavailable") return undefined;
    throw error;
  }
}

/** The same refusal with the number of the object that it is about, if a request is about several. Other errors stay as they are. */
export function aboutObject(error: unknown, object: number): unknown {
  if (!isWaypostError(error) || error.details.object !== undefined) return error;
  return new WaypostError(error.code, error.message, { ...error.details, object });
}
