/** The tools of MCP, each of which refuses as it is asked: every refusal that its operation declares, and those of all operations. The answers
 *  are made by the same parts as the server's. `GET /refusals` names them all. */
import { type ErrorObject, errorObject } from "#/protocols/json/errors.ts";
import { isTool, toolName } from "#/protocols/json/mcp/tool.ts";
import { commonErrors } from "#/protocols/json/operation.ts";
import { operations } from "#/protocols/json/registry.ts";
import { type ErrorCode, type ErrorDetails, WaypostError } from "#/src/model/errors.ts";
import { openToolHost, type ToolHost } from "./tool-host.ts";

export interface Refusal {
  readonly tool: string;
  readonly error: ErrorObject;
}

/** What refusals of a code say beside their message. */
const detailsOf: Partial<Record<ErrorCode, ErrorDetails>> = {
  invalid: { field: "/body/to/0", hint: "Correct the address." },
  precondition_failed: { version: "17", current: { version: "17" } },
  policy_refused: { reason: "recipient_suppressed" },
  rate_limited: { retryAfterMs: 1500 },
};

/** From the declarations of the operations. */
export const refusals: readonly Refusal[] = operations.filter(isTool).flatMap((operation) =>
  [...new Set<ErrorCode>([...commonErrors, ...operation.errors])].map((code) => ({
    tool: toolName(operation.name),
    error: errorObject(
      new WaypostError(code, `${operation.name} says "${code}", ä.`, detailsOf[code] ?? {}),
      "req_1",
    ),
  })),
);

export function openRefusingTools(): Promise<ToolHost> {
  return openToolHost(
    {
      listOperations: async () => operations.filter(isTool),
      async call({ name }, input) {
        const { code } = input as { readonly code: ErrorCode };
        const { error } = refusals.find((one) => one.tool === toolName(name) && one.error.code === code)!;
        return { error };
      },
    },
    JSON.stringify(refusals),
  );
}
