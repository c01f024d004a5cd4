import type { AnnouncedCommand, Form, ParseContext, State } from "./command-context.ts";
import type { Refusal } from "./errors.ts";
import type { Session } from "./session/session.ts";
import type { ResponseWriter } from "./wire/response-writer.ts";
import type { WireReader } from "./wire/wire-reader.ts";

/** What the tagged OK says beyond that the command completed. */
export interface Answer {
  readonly code?: string;
  readonly text?: string;
}

/** One command: a file in `commands/`, an entry in `commands/index.ts`. Dispatch, state checks, CAPABILITY, when EXPUNGE may
 *  be sent and the table of the README follow from it. */
export interface Command<Arguments = unknown> extends AnnouncedCommand {
  readonly name: string;
  readonly forms: readonly Form[];
  /** Its plain form speaks in sequence numbers, so that no EXPUNGE may change them until it ends (RFC 9051 section 7.5.1). */
  readonly usesSequence: boolean;
  /** It changes mail: refused to a credential that may only read. */
  readonly isWrite?: boolean;
  /** Its answer is a picture of a mailbox. What changes meanwhile is told with the next command: clients that resynchronise
   *  do not expect VANISHED without EARLIER before they have taken in EXISTS. */
  readonly isPicture?: boolean;
  /** It lasts as long as the client wants. */
  readonly waitsForClient?: boolean;
  /** Where it is defined, for the README. */
  readonly source: string;
  /** Arguments from the text behind the name; the caller checks that nothing is left. */
  parse(reader: WireReader, context: ParseContext): Arguments;
  run(session: Session, args: Arguments, out: ResponseWriter, form: Form): Promise<Answer | undefined>;
  /** Runs when the tagged OK has been sent: STARTTLS changes what the connection is. */
  afterAnswer?(session: Session): Promise<void>;
  /** Of the literal that is announced at the end of the text read so far, if it is not bounded as any other. */
  literalBound?(reader: WireReader, context: ParseContext, maxAppendBytes: number): LiteralBound | undefined;
}

export interface LiteralBound {
  readonly bytesMax: number;
  /** What a larger one is answered, before it is sent where that can be. */
  readonly refusal: Refusal;
  /** It has room of its own, beside that of the command. */
  readonly isMessage: boolean;
  /** Where the message is to be put, if it adds to what is there. */
  readonly mailbox?: string | undefined;
}

/** For commands without arguments. */
export function noArguments(): undefined {
  return undefined;
}

export const everywhere: readonly State[] = ["unauthenticated", "authenticated", "selected"];
export const afterLogin: readonly State[] = ["authenticated", "selected"];
export const whenSelected: readonly State[] = ["selected"];

/** Keeps the type of the arguments between `parse` and `run`. */
export function command<Arguments>(definition: Command<Arguments>): Command {
  return definition as Command;
}
