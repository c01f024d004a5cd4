import { newRequestDigits } from "#/src/model/author.ts";

/** `req_…`: names one request in the answer, the log, the change log and a conversation with the operator. */
export function newRequestId(): string {
  return `req_${newRequestDigits()}`;
}
