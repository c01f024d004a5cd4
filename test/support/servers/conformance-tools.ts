/** The tools that the conformance tool of MCP asks a test server for, as far as the parts of `/mcp` have what they are about: text, refusals,
 *  fields, and answers without requests, logging and changes of the list. */
import { z } from "zod";
import { errorObject } from "#/protocols/json/errors.ts";
import { type Operation, operation } from "#/protocols/json/operation.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { openToolHost, type ToolHost } from "./tool-host.ts";

function toolOf(name: string, summary: string, input: z.ZodObject = z.strictObject({})): Operation {
  return operation({
    name,
    summary,
    verb: "read",
    scope: "any",
    effect: "reads",
    reaches: "own",
    example: {},
    input,
    output: z.strictObject({ text: z.string() }),
    errors: [],
    run: async () => ({ text: `${summary} For testing.` }),
  });
}

const refusing = toolOf("test.error.handling", "Refuses.");
const tools: readonly Operation[] = [
  toolOf("test.simple.text", "This is a simple text response."),
  refusing,
  toolOf("test.logging.tool", "Logs nothing."),
  toolOf("test.streaming.elicitation", "Asks its client for nothing."),
  toolOf("test.trigger.tool.change", "Changes no list."),
  toolOf(
    "json.schema.2020.12.tool",
    "Has fields.",
    z.strictObject({
      name: z.string().optional(),
      address: z.strictObject({ street: z.string().optional(), city: z.string().optional() }).optional(),
      contactMethod: z.enum(["phone", "email"]).optional(),
    }),
  ),
];

export function openConformanceTools(): Promise<ToolHost> {
  return openToolHost({
    listOperations: async () => tools,
    async call(called) {
      if (called === refusing)
        return {
          error: errorObject(new WaypostError("invalid", "This tool refuses.", { field: "" }), "req_1"),
        };
      return { result: await called.run({ detail: "full", marks: "none" } as never, {}) };
    },
  });
}
