/** The declaration of an operation of `/v1`: its contract and its code. Routes, validation, OpenAPI, the catalogue and the MCP tools
 *  are made from it. The file's path under `operations/` is the operation's name. */
import { z } from "zod";
import type { Principal } from "#/src/accounts/accounts.ts";
import { createMarker, type MarkKind, markKinds } from "#/src/formats/text/marks.ts";
import type { ErrorCode } from "#/src/model/errors.ts";
import type { Scope } from "#/src/model/roles.ts";
import { dryOutput, dryRunField } from "./carriage/dry-run.ts";
import type { DecodedData } from "./carriage/large-data.ts";
import { inShort } from "./describe/in-short.ts";
import { markedAnswer } from "./describe/marked-answer.ts";
import type { JsonRooms } from "./rooms.ts";
import type { ReadResult } from "./schemas.ts";

export const verbs = ["wait", "read", "put", "send"] as const;
export type Verb = (typeof verbs)[number];

/** `any`: every credential may call it. `kind`: the scope depends on the kind of the named object; `run` checks it. */
export type NeededScope = Scope | "any" | "kind";

/** `streams`: the result is a stream of frames, for transports that can carry one. */
export type Effect = "reads" | "writes" | "streams";

/** `others`: the operation tells people or servers outside of this one something, or its answer has text that others wrote. */
export type Reaches = "own" | "others";

/** How much the answer of an operation that reads says. */
export const details = ["short", "full"] as const;
export type Detail = (typeof details)[number];

const detailField = z
  .enum(details)
  .optional()
  .describe(
    "short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short.",
  );

const marksField = z
  .enum(markKinds)
  .optional()
  .describe(
    "How the words of others stand in the answer. fence: each text between two marks of 64 random bits, which content.mark names; words: in addition one character, content.blank, in the place of blanks. none is the default, over MCP fence.",
  );

/** One call of an operation, over any transport. */
export interface OperationContext {
  readonly rooms: JsonRooms;
  readonly registry: OperationRegistry;
  readonly principal: Principal;
  readonly requestId: string;
  /** Aborts when the caller has gone. An open stream is closed instead. */
  readonly signal: AbortSignal;
  /** Decoded large base64 strings of the input. */
  readonly decoded: DecodedData;
  /** Takes one of the token's stream slots; throws `rate_limited`. */
  holdStream(): Disposable;
  /** What an answer says if the request does not ask. */
  readonly detail: Detail;
  /** How an answer shows the words of others if the request does not ask. */
  readonly marks: MarkKind;
  /** A new mark; a text with it is not sent. */
  giveMark(): string;
  /** The key of a call without a key of its own that counts as a repeat of the same call. */
  readonly sameCall: SameCall | undefined;
}

export interface SameCall {
  readonly key: string;
  readonly expiresAt: number;
}

export interface StreamFrame {
  readonly event?: "open" | "batch";
  readonly cursor?: string;
  readonly data?: unknown;
  /** The frame only keeps the connection alive. */
  readonly isKeepalive?: boolean;
}

/** A stream of frames, written at the pace of its reader. */
export interface FrameStream {
  /** Begins; called once. */
  open(sink: FrameSink): void;
  /** The reader has room again after a `write` that gave false. */
  resume(): void;
  /** The reader has gone; nothing is written from now on. */
  close(): void;
}

export interface FrameSink {
  /** Whether another frame may follow at once. */
  write(frame: StreamFrame): boolean;
  /** There will be no more frames. */
  end(): void;
}

/** What a write does with `version` of its input, the version that the caller has read. `required`: without the present one it is refused
 *  with 409. `optional`: it is compared if it is there; `none`: there is no such field. */
export type VersionUse = "required" | "optional" | "none";

/** What every write says about itself beside its contract. */
interface WriteDeclaration<Input extends z.ZodType, Version extends VersionUse, PutsMail extends boolean> {
  readonly effect: "writes";
  readonly version: Version & ("version" extends keyof z.input<Input> ? "required" | "optional" : "none");
  /** It can put mail into a folder; for a mail that waits for approval, that may be the one whose mail is sent
   *  (`test/holds/ways-to-approve.test.ts`). */
  readonly putsMail: PutsMail;
}

interface ReadDeclaration {
  readonly effect: "reads" | "streams";
}

interface Contract<Name extends string, Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: Name;
  readonly verb: Verb;
  readonly summary: string;
  readonly scope: NeededScope;
  readonly reaches: Reaches;
  /** A request with placeholders for identifiers, versions and cursors. */
  readonly example: z.input<Input>;
  /** May be called even if the account cannot incur usage. */
  readonly isFree?: boolean;
  /** Largest request body in bytes; absent: the usual limit ("Limits"). */
  readonly bodyBytesMax?: number;
  readonly input: Input;
  /** The result; of a stream, the data of a `batch` frame. */
  readonly output: Output;
  /** Error codes of this operation, in addition to those of every operation (`commonErrors`). */
  readonly errors: readonly ErrorCode[];
  run(context: OperationContext, input: z.output<Input>): Promise<z.input<Output>> | Promise<FrameStream>;
}

export type OperationDeclaration<
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Done extends Effect,
  Version extends VersionUse,
  PutsMail extends boolean,
> = Contract<Name, Input, Output> & { readonly effect: Done } & (
    | WriteDeclaration<Input, Version, PutsMail>
    | ReadDeclaration
  );

/** A declaration without its type parameters, as those who serve it have it. */
export interface Operation extends Omit<Contract<string, z.ZodType, z.ZodType>, "run"> {
  readonly effect: Effect;
  /** Of a write. */
  readonly version?: VersionUse;
  readonly putsMail?: boolean;
  /** The answer of a write's dry run. */
  readonly dryOutput?: z.ZodType;
  run(context: OperationContext, input: unknown): Promise<unknown>;
}

/** What the compiler knows of one: tables of all operations are made from it. */
export interface DeclaredOperation<
  Name extends string,
  Input extends z.ZodType,
  Done extends Effect,
  Version extends VersionUse,
  PutsMail extends boolean,
> extends Operation {
  readonly name: Name;
  readonly effect: Done;
  readonly input: Input;
  readonly version?: Version;
  readonly putsMail?: PutsMail;
}

/** The operations that are served. */
export interface OperationRegistry {
  readonly served: readonly Operation[];
  /** Names of operations that are not served; they are answered 501. */
  readonly unserved: readonly string[];
  /** Throws `not_found` for an unknown name, `unavailable` for an operation that is not served. */
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

export function operation<
  const Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  const Done extends Effect,
  const Version extends VersionUse = "none",
  const PutsMail extends boolean = false,
>(
  declaration: OperationDeclaration<Name, Input, Output, Done, Version, PutsMail>,
): DeclaredOperation<Name, Input, Done, Version, PutsMail> {
  // `invoke` has checked the input against the schema.
  const run = (context: OperationContext, asked: unknown) =>
    declaration.run(context, asked as z.output<Input>);
  const { effect, input } = declaration;
  if (!(input instanceof z.ZodObject)) return { ...declaration, run };
  if (effect === "writes")
    return {
      ...declaration,
      input: input.extend({ dry_run: dryRunField }) as z.ZodType as Input,
      dryOutput: dryOutput(declaration.output),
      run,
    };
  if (effect !== "reads") return { ...declaration, run };
  const isOfOthers = declaration.reaches === "others";
  return {
    ...declaration,
    // The compiler goes on with what is declared.
    input: input.extend({
      detail: detailField,
      ...(isOfOthers ? { marks: marksField } : {}),
    }) as z.ZodType as Input,
    async run(context, asked) {
      const { detail = context.detail, marks = context.marks, ...request } = asked as Asked;
      const answer = await run(context, request);
      const told = detail === "short" ? inShort(answer) : answer;
      if (!isOfOthers || marks === "none") return told;
      return markedAnswer(told as ReadResult, createMarker(marks, context.giveMark()));
    },
  };
}

interface Asked {
  readonly detail?: Detail;
  readonly marks?: MarkKind;
}
