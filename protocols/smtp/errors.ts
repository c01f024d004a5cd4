/** SMTP replies for error codes and reasons (RFC 5321 section 4.2.3, RFC 3463, RFC 4954 section 6). A reason that has its own reply
 *  is used before the code. */
import { type ErrorCode, type ErrorReason, isWaypostError, type WaypostError } from "#/src/model/errors.ts";
import { Refusal, type Reply, reply } from "./reply.ts";

type Words = readonly [code: number, status: string];

const byCode = {
  invalid: [554, "5.6.0"],
  unauthorized: [535, "5.7.8"],
  not_billable: [550, "5.7.1"],
  forbidden_scope: [550, "5.7.1"],
  not_found: [550, "5.1.1"],
  precondition_failed: [451, "4.3.0"],
  policy_refused: [550, "5.7.1"],
  // RFC 5321 section 4.2.3 and RFC 3463 section 3.8: a temporary failure.
  rate_limited: [451, "4.7.1"],
  paused: [450, "4.2.1"],
  upstream_unavailable: [451, "4.3.0"],
  unavailable: [502, "5.5.1"],
  internal: [451, "4.3.0"],
} as const satisfies Record<ErrorCode, Words>;

const byReason: Partial<Record<ErrorReason, Words>> = {
  over_quota: [452, "4.2.2"],
  too_large: [552, "5.3.4"],
  limit_reached: [452, "4.5.3"],
  bad_line_ends: [550, "5.6.11"],
  // RFC 3463 section 3.5: routing loop detected.
  mail_loop: [554, "5.4.6"],
  no_such_recipient: [550, "5.1.1"],
  relay_refused: [550, "5.7.1"],
  sender_refused: [553, "5.7.1"],
  busy: [452, "4.3.2"],
  store_full: [452, "4.3.1"],
};

export function replyToError(error: unknown): Reply {
  if (error instanceof Refusal) return error.reply;
  if (!isWaypostError(error)) return internalError;
  const reason = error.details.reason;
  const [code, status] = (reason === undefined ? undefined : byReason[reason]) ?? byCode[error.code];
  return reply(code, status, wordsOf(error));
}

/** Whether the error is the peer's concern; all others are internal faults, which are logged. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Refusal || (isWaypostError(error) && error.code !== "internal");
}

const internalError = reply(...byCode.internal, "Something went wrong here; try again later");

/** The text of a reply. Errors of the store have a general text; their own text is for the log. */
function wordsOf(error: WaypostError): string {
  if (error.code === "internal") return internalError.text;
  if (error.code === "upstream_unavailable") return "Not possible at the moment; try again later";
  return error.details.hint === undefined ? error.message : `${error.message} ${error.details.hint}`;
}
