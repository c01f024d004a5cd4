import { randomUUID } from "node:crypto";

/** `req_…`: names one request in the answer, the log and a conversation with the operator. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}
