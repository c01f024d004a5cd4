/** What an operation of `/v1` is. One declaration is its contract and its code: routes, validation, OpenAPI, the catalogue
 *  and later the MCP tools are read from it. The file's path under `operations/` is its name. */
import type { z } from "zod";
import type { Principal } from "#/src/accounts/accounts.ts";
import type { ErrorCode } from "#/src/model/errors.ts";
import type { Scope } from "#/src/model/roles.ts";
import type { DecodedData } from "./carriage/large-data.ts";
import type { ReachMemo } from "./carriage/reach-memo.ts";
import type { JsonRooms } from "./rooms.ts";

export const verbs = ["wait", "read", "put", "send"] as const;
export type Verb = (typeof verbs)[number];

/** `any`: every credential. `kind`: the scope of the kind of object that is named; `run` asks for it. */
export type NeededScope = Scope | "any" | "kind";

/** `streams`: the result is frames over time, for carriages that can. */
export type Effect = "reads" | "writes" | "streams";

/** One call of an operation, whoever carries it. */
export interface OperationContext {
  readonly rooms: JsonRooms;
  readonly registry: OperationRegistry;
  readonly principal: Principal;
  readonly requestId: string;
  /** Aborts when nobody waits for the result any more; a stream that is open is closed instead. */
  readonly signal: AbortSignal;
  /** Large base64 of the input. */
  readonly decoded: DecodedData;
  /** Takes one of the token's stream slots; throws `rate_limited`. */
  holdStream(): Disposable;
  /** What a credential reaches, asked once for all its streams that are told of one commit. */
  readonly reach: ReachMemo;
}

export interface StreamFrame {
  readonly event?: "open" | "batch";
  readonly cursor?: string;
  readonly data?: unknown;
  /** A sign of life, and nothing else. */
  readonly isKeepalive?: boolean;
}

/** Frames over time, pushed as their reader takes them. */
export interface FrameStream {
  /** Begins; called once. */
  open(sink: FrameSink): void;
  /** There is room again after a `write` that answered false. */
  resume(): void;
  /** Nobody reads any more; nothing is written from now on. */
  close(): void;
}

export interface FrameSink {
  /** Whether another frame may follow at once. */
  write(frame: StreamFrame): boolean;
  /** There will be no more frames. */
  end(): void;
}

export interface OperationDeclaration<Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string;
  readonly verb: Verb;
  readonly summary: string;
  readonly scope: NeededScope;
  readonly effect: Effect;
  /** Answered also when the account can incur no usage. */
  readonly isFree?: boolean;
  /** Largest request body; absent: that of every operation ("Limits"). */
  readonly bodyBytesMax?: number;
  readonly input: Input;
  /** Of a stream: the data of a `batch`. */
  readonly output: Output;
  /** Refusals of its own, beside those that every operation has (`commonErrors`). */
  readonly errors: readonly ErrorCode[];
  run(context: OperationContext, input: z.output<Input>): Promise<z.input<Output>> | Promise<FrameStream>;
}

/** A declaration with its types put away, as the registry holds it. */
export interface Operation extends Omit<OperationDeclaration<z.ZodType, z.ZodType>, "run"> {
  run(context: OperationContext, input: unknown): Promise<unknown>;
}

/** The operations that are served, and how they are found. */
export interface OperationRegistry {
  readonly served: readonly Operation[];
  /** Names that answer 501. */
  readonly unserved: readonly string[];
  /** Throws `not_found` for a name that is none, `unavailable` for one that is not served. */
  find(name: string): Operation;
}

export const commonErrors = [
  "invalid",
  "unauthorized",
  "rate_limited",
  "upstream_unavailable",
  "unavailable",
  "internal",
] as const satisfies readonly ErrorCode[];

export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  declaration: OperationDeclaration<Input, Output>,
): Operation {
  return {
    ...declaration,
    // `invoke` gives the input only after the schema has passed it.
    run: (context, input) => declaration.run(context, input as z.output<Input>),
  };
}
