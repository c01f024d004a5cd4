/** Reads one command with its literals (RFC 9051 sections 2.2.1 and 4.3, RFC 7888). A literal is accepted or refused when it
 *  is announced, so that a literal that is too large is never held in memory. */
import type { Connection } from "#/protocols/connection/connection.ts";
import type { Command, LiteralBound } from "../command.ts";
import type { Form, ParseContext } from "../command-context.ts";
import { bad, Refusal, refusalOf } from "../errors.ts";
import {
  commandBytesMax,
  discardedAppendFactor,
  greetingCommandBytesMax,
  literalsMax,
  smallLiteralBytesMax,
  tagLengthMax,
} from "../limits.ts";
import { type CommandText, WireReader } from "./wire-reader.ts";

export interface CommandReaderOptions {
  readonly isLoggedIn: boolean;
  readonly maxAppendBytes: number;
  readonly context: Omit<ParseContext, "form">;
  findCommand(name: string): Command | undefined;
  /** Reserves memory for an announced message before it is sent; it and the command's earlier messages must fit the limits.
   *  Throws the refusal. */
  admit(message: AnnouncedLiteral): Promise<void>;
  /** `arrived`: octets of a message have been received. `complete`: all octets of one message have been received. */
  arrived(octets: number): void;
  complete(): void;
  /** Sends the continuation request for a synchronising literal. */
  continue(): Promise<void>;
}

export interface AnnouncedLiteral {
  readonly size: number;
  /** Octets of this message and of the command's messages before it. */
  readonly messageBytes: number;
  /** The target mailbox, if the message is added to it. */
  readonly mailbox: string | undefined;
}

/** A refusal of a command whose tag is known. The rest of the command has been read or will not come. */
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
  let messageBytes = 0;
  let left = limitBytes;
  for (;;) {
    const line = await connection.readLine(left);
    left -= line.length;
    lines.push(line);
    const announced = line.endsWith("}") ? literalEnd.exec(line) : null;
    if (announced === null) return { lines, literals };

    const size = Number(announced[2]);
    const isSynchronising = announced[3] === "";
    const bound = literalBoundOf({ lines, literals: [...literals, noBytes] }, options);
    const limit = bound?.isMessage ? bound.bytesMax : Math.min(left, bound?.bytesMax ?? smallLiteralBytesMax);
    if (size > limit || literals.length >= literalsMax) {
      const isOwnBound = bound !== undefined && size > bound.bytesMax;
      const refusal = isOwnBound ? bound.refusal() : bad("Literal is too large", "TOOBIG");
      const bearable = bearableBytes(bound, options);
      if (!isSynchronising) await skipLiterals(connection, size, bearable);
      throw new RefusedCommand(tagOf(lines[0]!), refusal);
    }
    if (bound?.isMessage) {
      messageBytes += size;
      try {
        await options.admit({ size, messageBytes, mailbox: bound.mailbox });
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === undefined) throw error;
        if (!isSynchronising) await skipLiterals(connection, size, bearableBytes(bound, options));
        throw new RefusedCommand(tagOf(lines[0]!), refusal);
      }
      if (isSynchronising) await options.continue();
      literals.push(await connection.readBytes(size, options.arrived));
      options.complete();
    } else {
      if (isSynchronising) await options.continue();
      literals.push(await connection.readBytes(size));
      left -= size;
    }
    // The text behind a message counts towards the command's own limit.
    if (left <= 0)
      throw new RefusedCommand(tagOf(lines[0]!), new Refusal("BYE", "Command is too long", "TOOBIG"));
  }
}

/** How many octets of a refused command are read and discarded. For a literal with a bound of its own they are as many as for a
 *  message, so that the client gets the refusal. */
function bearableBytes(bound: LiteralBound | undefined, options: CommandReaderOptions): number {
  if (!options.isLoggedIn) return 0;
  const base =
    bound === undefined ? smallLiteralBytesMax : bound.isMessage ? bound.bytesMax : options.maxAppendBytes;
  return base * discardedAppendFactor;
}

/** Reads and discards literals that the client sends without waiting, and the rest of their command, up to `bearable` octets. */
async function skipLiterals(connection: Connection, size: number, bearable: number): Promise<void> {
  let left = bearable;
  let announced = size;
  for (let count = 0; count < literalsMax; count++) {
    if (announced > left) break;
    left -= announced;
    await connection.discardBytes(announced);
    const rest = literalEnd.exec(await connection.readLine(commandBytesMax));
    // After announcing a synchronising literal the client waits, so the refusal can be sent now.
    if (rest === null || rest[3] === "") return;
    announced = Number(rest[2]);
  }
  throw new Refusal("BYE", "Literal is too large", "TOOBIG");
}

/** Asks the command how large the literal at the end of the text may be. */
function literalBoundOf(text: CommandText, options: CommandReaderOptions): LiteralBound | undefined {
  if (!options.isLoggedIn) return undefined;
  try {
    // The announced literal is read as an empty one, so that the text before it can be parsed.
    const reader = new WireReader({ lines: [...text.lines, ""], literals: text.literals });
    reader.tag();
    const { command, form } = readCommandName(reader, options.findCommand);
    return command?.literalBound?.(reader, { ...options.context, form }, options.maxAppendBytes);
  } catch (error) {
    // A syntax error is answered when the command is complete.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The command's name. UID before the name gives the form. */
export function readCommandName(
  reader: WireReader,
  findCommand: (name: string) => Command | undefined,
): { command: Command | undefined; form: Form } {
  const first = reader.word();
  if (first !== "UID") return { command: findCommand(first), form: "plain" };
  reader.character(" ");
  return { command: findCommand(reader.word()), form: "uid" };
}

/** The tag of a command that cannot be read further; "*" if it has no valid tag. */
export function tagOf(line: string): string {
  const tag = /^(?:(?![(){%*"\\+])[!-~])+(?= |$)/.exec(line)?.[0] ?? "";
  return tag === "" || tag.length > tagLengthMax ? "*" : tag;
}

const noBytes = Buffer.alloc(0);
