/** Refusals of `/v1` ("Errors" of the interface): `{ "error": { code, message, … } }` with the HTTP status of the code. */
import { type ErrorCode, isWaypostError, WaypostError } from "#/src/model/errors.ts";

export const statusOfCode = {
  invalid: 400,
  unauthorized: 401,
  not_billable: 402,
  forbidden_scope: 403,
  not_found: 404,
  precondition_failed: 409,
  policy_refused: 422,
  rate_limited: 429,
  paused: 503,
  upstream_unavailable: 503,
  unavailable: 501,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

export interface ErrorObject {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly field?: string;
  readonly reason?: string;
  readonly request_id?: string;
  readonly retry_after_ms?: number;
  readonly version?: string;
  readonly current?: Readonly<Record<string, unknown>>;
}

/** The same answer for a credential that is missing, unknown, revoked or expired, so that it does not tell which. */
const badCredential = new WaypostError("unauthorized", "The credential is missing or not accepted.");

const fault = new WaypostError("internal", "The server failed; the request is not the reason.");

export function notBillable(): WaypostError {
  return new WaypostError("not_billable", "The account of this credential cannot incur usage.");
}

/** The same answer for an unknown id, an id of another account and a deleted object, so that it does not tell which. */
export const noSuchObject = new WaypostError("not_found", "There is no such object.", {
  hint: 'search, and part.describe {id: "ag_…"}, give the ids of what there is.',
});

export function unknownObject(): never {
  throw noSuchObject;
}

/** Anything thrown, as the error that a caller may see. An internal fault is answered without details. */
export function asRefusal(error: unknown): WaypostError {
  if (!isWaypostError(error) || error.code === "internal") return fault;
  if (error.code === "unauthorized") return badCredential;
  // If an operation or a part is missing instead of an object, the refusal has its own hint.
  return error.code === "not_found" && error.details.hint === undefined ? noSuchObject : error;
}

/** Hints for refusals that have none of their own. */
export const hintOfCode = {
  invalid: "help.describe explains the form of requests.",
  unauthorized: "Send the header Authorization: Bearer <token> with a valid token.",
  not_billable: "The credential itself is fine; the operator has to put the account in order.",
  forbidden_scope: "The credential itself is fine; the operator can give it more reach.",
  not_found: "Look for it with search or part.describe; catalog.describe names the operations.",
  precondition_failed: "Read the object again and decide anew; version is the one to retry with.",
  policy_refused: "Do not repeat it unchanged: the message gives the reason.",
  rate_limited: "Repeat it after retry_after_ms.",
  paused: "Reading goes on; sending does again when the operator resumes the mailbox.",
  upstream_unavailable: "Nothing was done; repeat it with growing pauses.",
  unavailable: "Do not retry; catalog.describe says what is served.",
  internal: "Tell the operator the request_id.",
} as const satisfies Record<ErrorCode, string>;

/** Of a refusal that says its reason, where something can be done. */
const hintOfReason: Readonly<Record<string, string>> = {
  __proto__: null as never,
  over_quota:
    'Deleting makes room: message.delete moves to Trash, and of what is in Trash removes for good. part.describe {id: "ag_…"} says quota and the sizes of folders; the operator can give more.',
};

export function errorObject(refusal: WaypostError, requestId?: string): ErrorObject {
  const { field, reason, retryAfterMs, version, current } = refusal.details;
  const hint = refusal.details.hint ?? hintOfReason[reason ?? ""] ?? hintOfCode[refusal.code];
  return {
    code: refusal.code,
    message: refusal.message,
    hint,
    ...(field === undefined || refusal.code !== "invalid" ? {} : { field }),
    ...(isToldReason(refusal.code, reason) ? { reason } : {}),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(refusal.code !== "rate_limited"
      ? {}
      : { retry_after_ms: Math.max(1, Math.ceil(retryAfterMs ?? 1000)) }),
    ...(version === undefined ? {} : { version }),
    ...(current === undefined ? {} : { current }),
  };
}

/** A reason of another refusal is what the message says. */
function isToldReason(code: ErrorCode, reason: string | undefined): reason is string {
  return reason !== undefined && (code === "policy_refused" || reason === "mark_in_text");
}

/** Header fields of a refusal. Only 401 has `WWW-Authenticate`. */
export function refusalHeaders(refusal: WaypostError): Record<string, string> {
  if (refusal.code === "unauthorized") return { "WWW-Authenticate": 'Bearer realm="waypost"' };
  if (refusal.code === "rate_limited")
    return { "Retry-After": String(Math.max(1, Math.ceil((refusal.details.retryAfterMs ?? 1000) / 1000))) };
  return {};
}
