/** The interface as an OpenAPI 3.1 document, made only from the declarations. */
import { z } from "zod";
import { type ErrorCode, errorCodes } from "#/src/model/errors.ts";
import { describedResult } from "../contents.ts";
import { statusOfCode } from "../errors.ts";
import { commonErrors, type Operation, type OperationRegistry } from "../operation.ts";
import { interfaceVersion } from "../operations/catalog/describe.ts";
import { errorSchema, eventSchema } from "../schemas.ts";

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument(registry: OperationRegistry): Json {
  const schemas: Record<string, unknown> = {};
  const schemaOf = (schema: z.ZodType, io: "input" | "output"): unknown => {
    const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Record<
      string,
      unknown
    >;
    for (const [name, definition] of Object.entries(($defs as Json | undefined) ?? {}))
      schemas[name] = relinked(definition);
    return relinked(rest);
  };
  schemas.Error = schemaOf(errorSchema, "output");
  schemas.Refusal = {
    type: "object",
    properties: { error: { $ref: "#/components/schemas/Error" } },
    required: ["error"],
  };
  const paths: Record<string, unknown> = {};
  for (const operation of registry.served)
    paths[`/v1/${operation.name}`] = { post: operationObject(operation, schemaOf) };
  for (const name of registry.unserved) paths[`/v1/${name}`] = { post: unservedObject(name) };
  // Tools and the typed client do not type `content`; here it is a union by kind.
  schemas.ReadResult = undefined;
  schemaOf(describedResult, "output");
  paths["/health"] = { get: healthObject };
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent Mail, Calendar and Addressbook Service Interface",
      version: interfaceVersion,
    },
    security: [{ bearer: [] }],
    paths,
    webhooks: { "mail.events": { post: webhookObject(schemaOf(z.array(eventSchema), "output")) } },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      headers: {
        RequestId: { schema: { type: "string" }, description: "Names the request; on every response." },
      },
      responses: refusalResponses(),
      schemas: sorted(schemas),
    },
  };
}

function operationObject(
  operation: Operation,
  schemaOf: (schema: z.ZodType, io: "input" | "output") => unknown,
): Json {
  const isStream = operation.effect === "streams";
  const outputs = [operation.output, ...(operation.dryOutput === undefined ? [] : [operation.dryOutput])];
  const schemas = outputs.map((one) => schemaOf(one, "output"));
  const output = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [operation.verb],
    "x-scope": operation.scope,
    requestBody: {
      required: false,
      content: { "application/json": { schema: schemaOf(operation.input, "input") } },
    },
    responses: {
      200: {
        description: isStream
          ? "Frames: open {cursor} first, then batch as described here; comments in between keep the connection alive."
          : "Done.",
        headers: requestIdHeader,
        content: { [isStream ? "text/event-stream" : "application/json"]: { schema: output } },
      },
      ...refusals([...commonErrors, ...operation.errors]),
    },
  };
}

function unservedObject(name: string): Json {
  const summary = "Not served by this deployment.";
  return { operationId: name, summary, responses: refusals(["unauthorized", "unavailable"]) };
}

/** The webhook: events that the operator lets the server send to a program (Standard Webhooks). */
function webhookObject(events: unknown): Json {
  const header = (name: string, description: string): Json => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  });
  return {
    operationId: "mail.events",
    summary: "Events of a mailbox, in order, at least once, signed by the Standard Webhooks scheme.",
    security: [],
    parameters: [
      header("webhook-id", "The same when the request is made again."),
      header("webhook-timestamp", "Seconds since 1970, of this attempt."),
      header("webhook-signature", "v1, and the base64 of an HMAC-SHA256 over id, timestamp and body."),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              type: { const: "mail.events" },
              timestamp: { type: "string" },
              data: {
                type: "object",
                properties: {
                  cursor: { type: "string", description: "wait and watch go on from it." },
                  events,
                },
                required: ["cursor", "events"],
              },
            },
            required: ["type", "timestamp", "data"],
          },
        },
      },
    },
    responses: { "2XX": { description: "Taken." }, 410: { description: "No more of it." } },
  };
}

const requestIdHeader = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

const healthObject = {
  operationId: "GET /health",
  summary: "Says whether the service takes mail.",
  security: [],
  responses: {
    200: { description: "It does.", headers: requestIdHeader },
    503: { description: "It does not now: `problems` says why.", headers: requestIdHeader },
  },
};

/** One response for each HTTP status, with all error codes that have it. */
function refusals(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(
    [...new Set(codes)].map((code) => [
      statusOfCode[code],
      { $ref: `#/components/responses/${statusOfCode[code]}` },
    ]),
  );
}

function refusalResponses(): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodes)
    byStatus.set(statusOfCode[code], [...(byStatus.get(statusOfCode[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.join(" or "),
        headers:
          status === 401
            ? { ...requestIdHeader, "WWW-Authenticate": { schema: { type: "string" } } }
            : requestIdHeader,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } },
      },
    ]),
  );
}

/** References into `$defs` point to the components instead. */
function relinked(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function sorted(record: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
