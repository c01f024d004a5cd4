/** The operator's interface: what the command line administers, for programs with an operator token.
 *
 *  POST /operator/v1/<operation>   Authorization: Bearer wpo_…, application/json
 *  GET  /operator/openapi.json     the interface, for programs; no credential
 *
 *  Carriage, errors and idempotency keys are those of `/v1`. No credential of an agent or a person is accepted here. */
import { z } from "zod";
import { logNoLogin } from "#/protocols/connection/stranger-lines.ts";
import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { bearerToken } from "#/protocols/http/bearer.ts";
import type { AdministrationOperation } from "#/src/accounts/administration/operation.ts";
import type { OperatorDoor, ParsedInput } from "#/src/accounts/administration/operator-door.ts";
import type { Operator } from "#/src/accounts/operators.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { jsonBodyBytesMax } from "#/src/model/limits.ts";
import { giveBackMemory } from "#/src/model/octet-memory.ts";
import { assertJson, refuse, sendJson } from "../carriage/answers.ts";
import { parseInput } from "../carriage/input.ts";
import { copiesOf, readJson } from "../carriage/json-text.ts";
import type { JsonRooms } from "../rooms.ts";
import { idempotencyKey } from "../schemas.ts";
import { operatorApiDocument } from "./operator-api.ts";

export type OperatorRooms = Pick<JsonRooms, "log"> & { readonly operatorDoor: OperatorDoor };

const prefix = "/operator/v1/";

export function createOperatorRoute({ log, operatorDoor }: OperatorRooms): HttpRoute {
  let document: Buffer | undefined;

  async function authenticate({ koa, requestId, remoteAddress }: HttpContext): Promise<Operator> {
    const token = bearerToken(koa.get("Authorization"));
    if (token === undefined) throw new WaypostError("unauthorized", "No credential was sent.");
    try {
      return await operatorDoor.authenticate(token, remoteAddress);
    } catch (error) {
      if (error instanceof CallerGone) throw error;
      logNoLogin(log, remoteAddress, { protocol: "operator", requestId }, error);
      throw error;
    }
  }

  async function answerOperation(context: HttpContext): Promise<void> {
    const { koa, requestId } = context;
    const operator = await authenticate(context);
    if (koa.method !== "POST") {
      koa.set("Allow", "POST");
      throw new WaypostError("invalid", "Every operation is a POST, also one that only reads.", {
        field: "",
        hint: `Send POST ${prefix}<operation> with a JSON object.`,
      });
    }
    using memory = new DisposableStack();
    const result = await operatorDoor.call({
      operator,
      operation: koa.path.slice(prefix.length),
      requestId,
      readInput: () => readBody(context, memory),
      parse: parseOperatorInput,
    });
    sendJson(context, 200, JSON.stringify(result));
  }

  async function answer(context: HttpContext): Promise<void> {
    const { koa } = context;
    if (koa.path.startsWith(prefix)) return answerOperation(context);
    if ((koa.method === "GET" || koa.method === "HEAD") && koa.path === "/operator/openapi.json") {
      document ??= Buffer.from(JSON.stringify(operatorApiDocument(operatorDoor.operations)));
      return sendJson(context, 200, document);
    }
    throw new WaypostError("not_found", "There is nothing at this address.", {
      hint: "Operations are at POST /operator/v1/<operation>; GET /operator/openapi.json describes them.",
    });
  }

  return {
    accepts: (path) => path.startsWith("/operator/"),
    async serve(context) {
      try {
        await answer(context);
      } catch (error) {
        refuse(log, context, plainly(error));
      }
    },
  };
}

/** Keeps the message of `not_found`: the operator may know which object is missing. `/v1` has one answer for all of them. */
function plainly(error: unknown): unknown {
  if (!isWaypostError(error) || error.code !== "not_found" || error.details.hint !== undefined) return error;
  return new WaypostError(error.code, error.message, {
    ...error.details,
    hint: "The operations that end in list show what exists.",
  });
}

async function readBody({ koa, readBody }: HttpContext, memory: DisposableStack): Promise<unknown> {
  assertJson(koa.get("Content-Type"), koa.get("Content-Encoding"));
  const body = memory.adopt(await readBody(jsonBodyBytesMax, copiesOf(jsonBodyBytesMax)), giveBackMemory);
  return (await readJson(body)).value;
}

/** The input schema of an operation, with the idempotency key that every operation takes. */
export function operatorInput({ input }: AdministrationOperation) {
  return z.strictObject({ ...input.shape, idempotency_key: idempotencyKey.optional() });
}

function parseOperatorInput(operation: AdministrationOperation, value: unknown): ParsedInput {
  const { idempotency_key: key, ...input } = parseInput(operatorInput(operation), value) as Record<
    string,
    unknown
  >;
  return { input, key: key as string | undefined };
}
