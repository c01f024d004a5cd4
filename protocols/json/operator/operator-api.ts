/** The operator's interface as an OpenAPI 3.1 document, made only from the declarations. */
import { z } from "zod";
import type { AdministrationOperation } from "#/src/accounts/administration/operation.ts";
import { scopeOf } from "#/src/accounts/operator-scopes.ts";
import { type ErrorCode, errorCodes } from "#/src/model/errors.ts";
import { statusOfCode } from "../errors.ts";
import { interfaceVersion } from "../operations/catalog/describe.ts";
import { errorSchema, idempotencyKey } from "../schemas.ts";

type Json = Readonly<Record<string, unknown>>;

export function operatorApiDocument(operations: readonly AdministrationOperation[]): Json {
  return {
    openapi: "3.1.0",
    info: { title: "Waypost: interface of the operator", version: interfaceVersion },
    security: [{ bearer: [] }],
    paths: Object.fromEntries(
      operations.map((operation) => [`/operator/v1/${operation.name}`, { post: operationObject(operation) }]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token of waypost operator create." },
      },
      headers: {
        RequestId: { schema: { type: "string" }, description: "Names the request; on every response." },
      },
      responses: refusalResponses(),
      schemas: {
        Error: schemaOf(errorSchema, "output"),
        Refusal: {
          type: "object",
          properties: { error: { $ref: "#/components/schemas/Error" } },
          required: ["error"],
        },
      },
    },
  };
}

const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

function operationObject({ name, summary, input, kind, access }: AdministrationOperation): Json {
  const schema = z.strictObject({ ...input.shape, idempotency_key: idempotencyKey.optional() });
  return {
    operationId: name,
    summary,
    tags: [name.split(".")[0]],
    "x-scope": scopeOf({ kind, access }),
    requestBody: {
      required: false,
      content: { "application/json": { schema: schemaOf(schema, "input") } },
    },
    responses: {
      200: {
        description: "Done. The answer is what the command prints with --json.",
        headers: requestId,
        content: { "application/json": { schema: { type: "object" } } },
      },
      ...Object.fromEntries(
        [...new Set(errorCodes.map((code) => statusOfCode[code]))].map((status) => [
          status,
          { $ref: `#/components/responses/${status}` },
        ]),
      ),
    },
  };
}

/** One response for each HTTP status, with all error codes that have it. */
function refusalResponses(): Json {
  const byStatus = Map.groupBy(errorCodes, (code: ErrorCode) => statusOfCode[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.join(" or "),
        headers: requestId,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } },
      },
    ]),
  );
}

/** The error shape has a name in the definitions; inputs have none. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): unknown {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Record<
    string,
    unknown
  >;
  return $defs === undefined ? rest : ($defs as Json).Error;
}
