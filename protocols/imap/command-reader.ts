/** Reads one command with its literals (RFC 9051 sections 2.2.1 and 4.3, RFC 7888). A literal is accepted or refused when it
 *  is announced, so that what is too large is never held. */
import type { Connection } from "#/protocols/connection/connection.ts";
import type { Command, Form, ParseContext } from "./command.ts";
import { bad, no, Refusal } from "./errors.ts";
import {
  commandBytesMax,
  discardedAppendFactor,
  greetingCommandBytesMax,
  literalsMax,
  smallLiteralBytesMax,
} from "./limits.ts";
import { type CommandText, WireReader } from "./wire-reader.ts";

export interface CommandReaderOptions {
  readonly isLoggedIn: boolean;
  readonly maxAppendBytes: number;
  readonly context: Omit<ParseContext, "form">;
  findCommand(name: string): Command | undefined;
  /** Sends the continuation that a synchronising literal waits for. */
  continue(): Promise<void>;
}

/** A refusal of a command whose tag is known; the rest of it was read or will not come. */
export class RefusedCommand extends Error {
  readonly tag: string;
  readonly refusal: Refusal;
  constructor(tag: string, refusal: Refusal) {
    super(refusal.message);
    this.tag = tag;
    this.refusal = refusal;
  }
}

const literalEnd = /(~?)\{(\d{1,20})(\+?)\}$/;

export async function readCommand(
  connection: Connection,
  options: CommandReaderOptions,
): Promise<CommandText> {
  const limitBytes = options.isLoggedIn ? commandBytesMax : greetingCommandBytesMax;
  const lines: string[] = [];
  const literals: Buffer[] = [];
  let left = limitBytes;
  for (;;) {
    const line = await connection.readLine(left);
    left -= line.length;
    lines.push(line);
    const announced = line.endsWith("}") ? literalEnd.exec(line) : null;
    if (announced === null) return { lines, literals };

    const size = Number(announced[2]);
    const isSynchronising = announced[3] === "";
    const messageLimit = literalLimitOf({ lines, literals: [...literals, noBytes] }, options);
    const limit = messageLimit ?? Math.min(left, smallLiteralBytesMax);
    if (size > limit || literals.length >= literalsMax) {
      const refusal =
        messageLimit === undefined
          ? bad("Literal is too large", "TOOBIG")
          : no("TOOBIG", `A message has at most ${messageLimit} octets`);
      if (!isSynchronising) await skipLiteral(connection, size, messageLimit, options);
      throw new RefusedCommand(tagOf(lines[0]!), refusal);
    }
    if (isSynchronising) await options.continue();
    literals.push(await connection.readBytes(size));
    if (messageLimit === undefined) left -= size;
    // What follows a message has to have room of its own.
    if (left <= 0)
      throw new RefusedCommand(tagOf(lines[0]!), new Refusal("BYE", "Command is too long", "TOOBIG"));
  }
}

/** A literal that is already under way is read and thrown away, with the rest of its command, if that can be borne. */
async function skipLiteral(
  connection: Connection,
  size: number,
  messageLimit: number | undefined,
  options: CommandReaderOptions,
): Promise<void> {
  const bearable = options.isLoggedIn ? (messageLimit ?? smallLiteralBytesMax) * discardedAppendFactor : 0;
  if (size > bearable) throw new Refusal("BYE", "Literal is too large", "TOOBIG");
  await connection.discardBytes(size);
  const rest = await connection.readLine(commandBytesMax);
  if (literalEnd.test(rest)) throw new Refusal("BYE", "Literal is too large", "TOOBIG");
}

/** Asks the command how large the literal at the end of the text may be. */
function literalLimitOf(text: CommandText, options: CommandReaderOptions): number | undefined {
  if (!options.isLoggedIn) return undefined;
  try {
    // The announced literal stands as an empty one, so that the text before it can be read as a whole.
    const reader = new WireReader({ lines: [...text.lines, ""], literals: text.literals });
    reader.tag();
    reader.space();
    const { command, form } = readCommandName(reader, options.findCommand);
    return command?.literalLimit?.(reader, { ...options.context, form }, options.maxAppendBytes);
  } catch (error) {
    // Not a command: the text is refused when it is complete.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The command's name, UID in front of it being its form. */
export function readCommandName(
  reader: WireReader,
  findCommand: (name: string) => Command | undefined,
): { command: Command | undefined; form: Form } {
  const first = reader.word();
  if (first !== "UID") return { command: findCommand(first), form: "plain" };
  reader.space();
  return { command: findCommand(reader.word()), form: "uid" };
}

/** The tag of a command that cannot be read on; "*" where there is none. */
export function tagOf(line: string): string {
  return /^(?:(?![(){%*"\\+])[!-~]){1,100}(?= |$)/.exec(line)?.[0] ?? "*";
}

const noBytes = Buffer.alloc(0);
