import type { AnnouncedCommand, Form, ParseContext, State } from "./command-context.ts";
import type { Refusal } from "./errors.ts";
import type { Session } from "./session/session.ts";
import type { ResponseWriter } from "./wire/response-writer.ts";
import type { WireReader } from "./wire/wire-reader.ts";

/** Response code and text of the tagged OK, where they differ from the default. */
export interface Answer {
  readonly code?: string;
  readonly text?: string;
}

/** One command: a file in `commands/`, an entry in `commands/index.ts`. Dispatch, state checks, CAPABILITY, when EXPUNGE may
 *  be sent and the table of the README follow from it. */
export interface Command<Arguments = unknown> extends AnnouncedCommand {
  readonly name: string;
  readonly forms: readonly Form[];
  /** The plain form uses sequence numbers, so EXPUNGE must not change them until it ends (RFC 9051 section 7.5.1). */
  readonly usesSequence: boolean;
  /** The command changes mail. A credential that may only read is refused. */
  readonly isWrite?: boolean;
  /** Of a write: it can put mail into a mailbox. That may be the one whose mail is sent (`test/holds/ways-to-approve.test.ts`). */
  readonly putsMail?: boolean;
  /** The answer describes the mailbox at one moment. Changes made meanwhile are sent with the next command: clients that
   *  resynchronise do not expect VANISHED without EARLIER before they have processed EXISTS. */
  readonly isPicture?: boolean;
  /** The command lasts until the client ends it. */
  readonly waitsForClient?: boolean;
  /** The RFC sections that define the command, for the README. */
  readonly source: string;
  /** Reads the arguments behind the name; the caller checks that no text is left. */
  parse(reader: WireReader, context: ParseContext): Arguments;
  run(session: Session, args: Arguments, out: ResponseWriter, form: Form): Promise<Answer | undefined>;
  /** Runs after the tagged OK is sent: STARTTLS and COMPRESS replace the stream of the connection. */
  afterAnswer?(session: Session): Promise<void>;
  /** The bound of the literal announced at the end of the text read so far, if it is not the usual one. */
  literalBound?(reader: WireReader, context: ParseContext, maxAppendBytes: number): LiteralBound | undefined;
}

export interface LiteralBound {
  readonly bytesMax: number;
  /** The answer to a larger literal; given before the literal is sent, if it is a synchronising one. */
  readonly refusal: () => Refusal;
  /** The literal is a message: it does not count towards the limit of the command's text. */
  readonly isMessage: boolean;
  /** The target mailbox, if the message is added to it. */
  readonly mailbox?: string | undefined;
}

/** For commands without arguments. */
export function noArguments(): undefined {
  return undefined;
}

export const everywhere: readonly State[] = ["unauthenticated", "authenticated", "selected"];
export const afterLogin: readonly State[] = ["authenticated", "selected"];
export const whenSelected: readonly State[] = ["selected"];

/** What the compiler knows of one: tables of all commands are made from it. */
export interface DeclaredCommand<Name extends string, IsWrite extends boolean, PutsMail extends boolean>
  extends Command {
  readonly name: Name;
  readonly isWrite?: IsWrite;
  readonly putsMail?: PutsMail;
}

type Deed<PutsMail extends boolean> =
  | { readonly isWrite?: false; readonly putsMail?: never }
  | { readonly isWrite: true; readonly putsMail: PutsMail };

/** Checks that `run` takes the type of arguments that `parse` gives. */
export function command<
  Arguments,
  const Name extends string,
  const IsWrite extends boolean = false,
  const PutsMail extends boolean = false,
>(
  definition: Omit<Command<Arguments>, "isWrite" | "putsMail"> & {
    readonly name: Name;
    readonly isWrite?: IsWrite;
  } & Deed<PutsMail>,
): DeclaredCommand<Name, IsWrite, PutsMail> {
  return definition as unknown as DeclaredCommand<Name, IsWrite, PutsMail>;
}
