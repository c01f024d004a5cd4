/** Refusals as `/v1` says them ("Errors" of the interface): `{ "error": { code, message, … } }` at the status of the code. */
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
  readonly request_id?: string;
  readonly retry_after_ms?: number;
  readonly version?: string;
  readonly current?: Readonly<Record<string, unknown>>;
}

/** One answer for a credential that is missing, unknown, revoked or expired: which of them is not said. */
const badCredential = new WaypostError("unauthorized", "The credential is missing or not accepted.", {
  hint: "Send the header Authorization: Bearer <token> with a valid token.",
});

const fault = new WaypostError("internal", "Something went wrong here that is not about the request.", {
  hint: "Tell the operator the request_id.",
});

/** Anything thrown, as what a caller may see of it: a fault of ours says nothing about itself. */
export function asRefusal(error: unknown): WaypostError {
  if (!isWaypostError(error) || error.code === "internal") return fault;
  return error.code === "unauthorized" ? badCredential : error;
}

export function errorObject(refusal: WaypostError, requestId?: string): ErrorObject {
  const { hint, field, retryAfterMs, version, current } = refusal.details;
  return {
    code: refusal.code,
    message: refusal.message,
    ...(hint === undefined ? {} : { hint }),
    ...(field === undefined || refusal.code !== "invalid" ? {} : { field }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(refusal.code !== "rate_limited"
      ? {}
      : { retry_after_ms: Math.max(1, Math.ceil(retryAfterMs ?? 1000)) }),
    ...(version === undefined ? {} : { version }),
    ...(current === undefined ? {} : { current }),
  };
}

/** Header fields that belong to a refusal. `WWW-Authenticate` stands with 401 and with nothing else. */
export function refusalHeaders(refusal: WaypostError): Record<string, string> {
  if (refusal.code === "unauthorized") return { "WWW-Authenticate": 'Bearer realm="waypost"' };
  if (refusal.code === "rate_limited")
    return { "Retry-After": String(Math.max(1, Math.ceil((refusal.details.retryAfterMs ?? 1000) / 1000))) };
  return {};
}
