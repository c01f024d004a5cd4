/** catalog.describe: what this deployment serves to this credential: operations, limits, reach. */
import { z } from "zod";
import {
  jsonBlobBodyBytesMax,
  jsonBodyBytesMax,
  jsonDepthMax,
  watchKeepaliveSecondsMax,
} from "#/src/model/limits.ts";
import { scopes } from "#/src/model/roles.ts";
import { sendKeyMemoryMs } from "#/src/outbound/limits.ts";
import { shownReach } from "../../describe/agent.ts";
import { keyMemoryMs } from "../../idempotency.ts";
import { type Operation, operation } from "../../operation.ts";
import { readResult } from "../../schemas.ts";

export const interfaceVersion = "0.1.0";

export default operation({
  name: "catalog.describe",
  verb: "read",
  summary: "Lists the operations, limits and reach of this deployment.",
  scope: "any",
  effect: "reads",
  reaches: "own",
  example: {},
  isFree: true,
  input: z.strictObject({}),
  output: readResult,
  errors: [],
  async run(context) {
    const { registry, principal, rooms } = context;
    const { limits } = rooms.settings;
    return {
      ref: "catalog",
      kind: "catalog" as const,
      content: {
        interface: interfaceVersion,
        operations: registry.served.map(shownOperation),
        unserved: [...registry.unserved],
        scopes: { all: [...scopes], credential: [...principal.scopes] },
        reach: await shownReach(context),
        limits: {
          body_bytes: jsonBodyBytesMax,
          blob_body_bytes: jsonBlobBodyBytesMax,
          json_depth: jsonDepthMax,
          watch_timeout_s: watchKeepaliveSecondsMax,
          requests_per_second: limits.requestsPerSecond,
          requests_burst: limits.requestsBurst,
          agent_requests_per_second: limits.agentRequestsPerSecond,
          agent_requests_burst: limits.agentRequestsBurst,
          sends_per_hour: limits.sendsPerHour,
          sends_per_day: limits.sendsPerDay,
          streams_per_token: limits.streamsPerToken,
          detail: { default: context.detail, over_mcp: "short" },
          marks: { default: context.marks, over_mcp: "fence" },
          max_chars: { default: 20_000, min: 200, max: 200_000 },
        },
        retention: {
          event_days: limits.eventRetentionDays,
          idempotency_key_s: keyMemoryMs / 1000,
          send_idempotency_key_s: sendKeyMemoryMs / 1000,
        },
      },
    };
  },
});

function shownOperation({ name, verb, summary, scope, effect }: Operation) {
  return { name, verb, summary, scope, effect };
}
