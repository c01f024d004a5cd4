/** Log lines about the mail of a connection. */
import { peerOf } from "#/protocols/connection/peer.ts";
import { logStranger } from "#/protocols/connection/stranger-lines.ts";
import type { MailPort } from "./mail-port.ts";
import type { MailTransaction, Taken } from "./mail-transaction.ts";
import type { Reply } from "./reply.ts";

/** Logs a command that was refused, or a connection that was ended. `logMessage` logs the result for a whole message. */
export function logRefusal(
  { name, rooms }: MailPort,
  remoteAddress: string,
  command: "MAIL" | "RCPT" | "connection",
  { code, status }: Reply,
  about: object,
): void {
  rooms.tally?.count("refusals", { port: name, command, status: status ?? String(code) });
  const line = { port: name, command, reply: code, status, ...about };
  logStranger(rooms.log, "info", remoteAddress, line, "refused");
}

export interface MessageOutcome {
  readonly size: number;
  /** Value of `performance.now()`. */
  readonly startedAt: number;
  readonly outcome: Reply;
  readonly taken: Taken | undefined;
  readonly cause: unknown;
}

export function logMessage(
  { name, rooms }: MailPort,
  { transport, mail, forwardPaths }: MailTransaction,
  { size, startedAt, outcome, taken, cause }: MessageOutcome,
): void {
  const ms = performance.now() - startedAt;
  const isTaken = outcome.code === 250;
  rooms.tally?.count("messages", { port: name, outcome: isTaken ? "accepted" : "refused" });
  rooms.tally?.time("message", ms);
  rooms.tally?.span?.({
    name: "message",
    startedAt,
    trace: taken?.submission ?? transport.id,
    isWhole: true,
    isFailed: !isTaken,
    words: {
      port: name,
      id: transport.id,
      ...taken,
      recipients: forwardPaths.size,
      size,
      reply: outcome.code,
      status: outcome.status,
    },
  });
  const line = {
    port: name,
    id: transport.id,
    ...taken,
    from: mail.reversePath.address,
    recipients: forwardPaths.size,
    size,
    ms: Math.round(ms),
    reply: outcome.code,
    status: outcome.status,
    ...(cause === undefined ? {} : { err: cause }),
  };
  const { remoteAddress } = transport;
  if (isTaken) rooms.log.info({ ...peerOf(remoteAddress), ...line }, "message accepted");
  else logStranger(rooms.log, "info", remoteAddress, line, "message refused");
}
