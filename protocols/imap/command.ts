import type { Refusal } from "./errors.ts";
import type { NameMode } from "./mailbox-name.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { Session } from "./session.ts";
import type { WireReader } from "./wire-reader.ts";

/** Connection states (RFC 9051 section 3). */
export type State = "unauthenticated" | "authenticated" | "selected";

/** `uid`: the command with UID before its name, naming messages by UID (RFC 9051 section 6.4.9). */
export type Form = "plain" | "uid";

export interface ParseContext {
  readonly form: Form;
  readonly names: NameMode;
}

/** What the tagged OK says beyond that the command completed. */
export interface Answer {
  readonly code?: string;
  readonly text?: string;
}

/** What capabilities depend on. */
export interface CapabilityContext {
  readonly state: State;
  /** Whether a password may cross the line: it is encrypted or does not leave this machine. */
  readonly mayUsePlainText: boolean;
  /** Whether a login can be bound to the TLS connection. */
  readonly hasChannelBinding: boolean;
  readonly canStartTls: boolean;
  readonly isCompressed: boolean;
  readonly maxAppendBytes: number;
  readonly messageLimit: number;
}

/** One command: a file in `commands/`, an entry in `commands/index.ts`. Dispatch, state checks, CAPABILITY, when EXPUNGE may
 *  be sent and the table of the README follow from it. */
export interface Command<Arguments = unknown> {
  readonly name: string;
  readonly states: readonly State[];
  readonly forms: readonly Form[];
  /** Its plain form speaks in sequence numbers, so that no EXPUNGE may change them until it ends (RFC 9051 section 7.5.1). */
  readonly usesSequence: boolean;
  /** It changes mail: refused to a credential that may only read. */
  readonly isWrite?: boolean;
  /** What it adds to CAPABILITY while its state can still be reached. */
  readonly capabilities?: readonly string[] | ((context: CapabilityContext) => readonly string[]);
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
