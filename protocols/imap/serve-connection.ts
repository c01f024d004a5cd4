/** Serves one connection from greeting to end. Commands run in their order, one at a time; each is answered before the next is
 *  read. */

import { type Connection, ConnectionClosed, LineTooLong } from "#/protocols/connection/connection.ts";
import type { ConnectionPlace } from "#/protocols/connection/connection-door.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { inBackground } from "#/src/model/background.ts";
import { forCaller } from "#/src/model/caller.ts";
import { MessageMemory } from "./append/message-memory.ts";
import type { Command } from "./command.ts";
import type { Form } from "./command-context.ts";
import { commands, findCommand } from "./commands/index.ts";
import { bad, no, Refusal, refusalOf } from "./errors.ts";
import { BrokenResponse } from "./fetch/response.ts";
import { badCommandsBeforeLoginMax, badCommandsMax, loginTimeoutMs } from "./limits.ts";
import { Pusher } from "./notify/pusher.ts";
import type { ServedRooms } from "./rooms.ts";
import { CommandProgress } from "./session/progress.ts";
import { Session } from "./session/session.ts";
import {
  type CommandReaderOptions,
  RefusedCommand,
  readCommand,
  readCommandName,
  tagOf,
} from "./wire/command-reader.ts";
import { ResponseWriter } from "./wire/response-writer.ts";
import { humanText } from "./wire/strings.ts";
import { type CommandText, WireReader } from "./wire/wire-reader.ts";

export async function serveConnection(
  connection: Connection,
  rooms: ServedRooms,
  place: ConnectionPlace,
): Promise<void> {
  const out = new ResponseWriter(connection);
  const session = new Session(rooms, connection, place, commands);
  let lastWord = "";
  try {
    // A command ends when its client disconnects, whatever it is doing.
    await forCaller(
      connection.gone,
      () => converse(session, out, place),
      () => place.owner,
    );
  } catch (error) {
    lastWord = byeFor(error, session);
  } finally {
    await session.logOut().finally(() => connection.end(lastWord));
  }
}

async function converse(session: Session, out: ResponseWriter, place: ConnectionPlace): Promise<void> {
  const { connection } = session;
  const capabilities = session.capabilities().join(" ");
  out.line(
    `* OK [CAPABILITY ${capabilities}] ${humanText(session.rooms.settings.server.hostname)} Waypost ready`,
  );
  await out.flush();
  using progress = new CommandProgress(out, () => {
    connection.giveUp("overdue");
    // At once: work that does not look for its caller must not keep the connection.
    inBackground(() => connection.end(out.isBetweenLines ? overdueBye : ""));
  });
  const intake = createIntake(session, out);
  let badCommands = 0;
  let strangerSince = performance.now();
  for (;;) {
    place.giveWay(() => connection.giveUp("crowded"));
    let outcome: Outcome;
    try {
      outcome = await nextCommand(session, out, progress, intake);
    } finally {
      intake.memory[Symbol.dispose]();
      await out.flush();
    }
    if (outcome === "logout") return;
    badCommands = outcome === "bad" ? badCommands + 1 : 0;
    const badMax = session.state === "unauthenticated" ? badCommandsBeforeLoginMax : badCommandsMax;
    if (badCommands >= badMax) throw new Refusal("BYE", "Too many invalid commands");
    // A NOOP now and then does not extend the time for the login.
    const now = performance.now();
    if (session.state !== "unauthenticated") strangerSince = now;
    else if (now - strangerSince > loginTimeoutMs) throw new ConnectionClosed("timeout");
    if (connection.isClosed) throw new ConnectionClosed("gone");
  }
}

const turns = new LoopTurns();
const overdueBye = "* BYE [UNAVAILABLE] The command took too long\r\n";

type Outcome = "done" | "bad" | "logout";

/** How the commands of a connection are read. Made once: what is made for each command is garbage soon. */
interface Intake {
  /** Of the messages of the command. */
  readonly memory: MessageMemory;
  read(): Promise<CommandText>;
}

function createIntake(session: Session, out: ResponseWriter): Intake {
  const memory = new MessageMemory(session, session.rooms.receiving);
  const pusher = new Pusher(session, out);
  const options: CommandReaderOptions = {
    get isLoggedIn() {
      return session.state !== "unauthenticated";
    },
    get maxAppendBytes() {
      return session.rooms.settings.imap.maxAppendBytes;
    },
    context: {
      get names() {
        return session.names;
      },
    },
    findCommand,
    admit: (message) => memory.admit(message),
    arrived: (octets) => memory.arrived(octets),
    complete: () => memory.complete(),
    async continue() {
      await pusher.stop();
      out.line("+ Go on");
      await out.flush();
    },
  };
  return { memory, read: () => pusher.pushWhile(readCommand(session.connection, options)) };
}

async function nextCommand(
  session: Session,
  out: ResponseWriter,
  progress: CommandProgress,
  intake: Intake,
): Promise<Outcome> {
  let text: CommandText;
  try {
    text = await intake.read();
  } catch (error) {
    if (error instanceof LineTooLong) throw new Refusal("BYE", "Line is too long", "TOOBIG");
    if (!(error instanceof RefusedCommand)) throw error;
    if (error.refusal.status === "BYE") throw error.refusal;
    writeRefusal(error.tag, error.refusal, out);
    return error.refusal.status === "BAD" ? "bad" : "done";
  }
  // Commands that arrive at once, pipelined or of many sessions, run over several turns of the loop.
  if (turns.isDue) await turns.turn();
  const tag = tagOf(text.lines[0]!);
  session.tag = tag;
  const startedAt = performance.now();
  let named: Command | undefined;
  let status = "OK";
  try {
    const { command, form, args } = parseCommand(text, session);
    named = command;
    await session.assertCurrent();
    if (command.waitsForClient !== true) progress.begin(tag);
    const answer = await command.run(session, args, out, form);
    await tellChanges(session, command, form, out);
    progress.end();
    const code = answer?.code === undefined ? "" : `[${answer.code}] `;
    const name = form === "uid" ? `UID ${command.name}` : command.name;
    out.line(`${tag} OK ${code}${humanText(answer?.text ?? `${name} completed`)}`);
    if (command.afterAnswer !== undefined) {
      await out.flush();
      await command.afterAnswer(session);
    }
    return command.name === "LOGOUT" ? "logout" : "done";
  } catch (error) {
    const refusal = refusalOf(error);
    status = refusal?.status ?? "failed";
    if (refusal === undefined) {
      if (error instanceof ConnectionClosed || error instanceof BrokenResponse) throw error;
      if (error instanceof LineTooLong) throw new Refusal("BYE", "Line is too long", "TOOBIG");
      session.rooms.log.error({ err: error }, "imap command failed");
      writeRefusal(tag, no("SERVERBUG", "Internal error"), out);
      return "done";
    }
    if (refusal.status === "BYE") throw refusal;
    writeRefusal(tag, refusal, out);
    return refusal.status === "BAD" ? "bad" : "done";
  } finally {
    progress.end();
    // A command that waits for its client is as long as the client likes.
    if (named !== undefined && named.waitsForClient !== true)
      session.rooms.tally?.span?.({
        name: "command",
        startedAt,
        isFailed: status === "failed",
        words: { session: session.id, command: named.name, status },
      });
  }
}

function parseCommand(text: CommandText, session: Session): { command: Command; form: Form; args: unknown } {
  const reader = new WireReader(text);
  reader.tag();
  const { command, form } = readCommandName(reader, findCommand);
  if (command === undefined || !command.forms.includes(form)) throw bad("Unknown command");
  if (!command.states.includes(session.state)) throw bad(`${command.name} is not for this state`);
  if (form === "plain" && namesSequence(command) && session.isEnabled("UIDONLY"))
    throw bad("Only UIDs are in use", "UIDREQUIRED");
  const args = command.parse(reader, { form, names: session.names });
  reader.end();
  if (command.isWrite && !session.mayWrite) throw no("NOPERM", "This credential may only read");
  return { command, form, args };
}

/** Whether the plain form names messages by sequence number. Commands with a UID form do, except EXPUNGE (RFC 9586
 *  section 3). */
function namesSequence(command: Command): boolean {
  return command.forms.includes("uid") && command.name !== "EXPUNGE";
}

/** Sends what others changed, at the end of every command. EXPUNGE is kept back where the command uses sequence numbers. */
async function tellChanges(
  session: Session,
  command: Command,
  form: Form,
  out: ResponseWriter,
): Promise<void> {
  if (session.watch !== undefined) await session.watch.tell(out);
  if (session.state !== "selected" || command.isPicture) return;
  if (session.selected.isQuiet && !session.isEnabled("CONDSTORE")) return;
  const mayExpunge = form === "uid" || !command.usesSequence;
  const isWrite = command.isWrite ?? false;
  await session.selected.tell(out, session.tellOptions(mayExpunge, form === "uid", isWrite));
  if (session.isEnabled("CONDSTORE")) session.selected.tellDelayed(out);
  if (!session.owesHighestModseq) return;
  session.owesHighestModseq = false;
  out.line(`* OK [HIGHESTMODSEQ ${await session.selected.readHighestModseq()}] Highest MODSEQ`);
}

function writeRefusal(tag: string, refusal: Refusal, out: ResponseWriter): void {
  const code = refusal.responseCode === undefined ? "" : `[${refusal.responseCode}] `;
  out.line(`${tag} ${refusal.status} ${code}${humanText(refusal.message)}`);
}

/** The BYE text for a connection that ends without LOGOUT; "" when the client has closed it itself. */
function byeFor(error: unknown, session: Session): string {
  if (error instanceof Refusal) {
    const code = error.responseCode === undefined ? "" : `[${error.responseCode}] `;
    return `* BYE ${code}${humanText(error.message)}\r\n`;
  }
  if (error instanceof ConnectionClosed) {
    if (error.reason === "timeout") return "* BYE Silent for too long\r\n";
    if (error.reason === "slow") return "* BYE [UNAVAILABLE] The message arrives too slowly\r\n";
    if (error.reason === "crowded") return "* BYE [UNAVAILABLE] Others need the room; try again later\r\n";
    if (error.reason === "inflated") return "* BYE [LIMIT] What was sent is compressed too well\r\n";
    return error.reason === "aborted" ? "* BYE [UNAVAILABLE] The server shuts down\r\n" : "";
  }
  // Text sent in the middle of a literal would be read as a part of the message.
  if (error instanceof BrokenResponse && error.cause instanceof ConnectionClosed) return "";
  session.rooms.log.error({ err: error }, "imap connection failed");
  if (error instanceof BrokenResponse) return "";
  return "* BYE [SERVERBUG] Internal error\r\n";
}
