import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { peerOf } from "#/protocols/connection/peer.ts";
import { logStranger } from "#/protocols/connection/stranger-lines.ts";
import type { Tally } from "#/src/model/tally.ts";

const pathCharactersMax = 200;

export interface LoggedRequest {
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Whether the request had no valid credential. */
  isStranger(): boolean;
}

/** Logs one line for a request when its response is sent or its client has gone; for a stream, when it ends. */
export function logRequest(
  log: Logger,
  { requestId, remoteAddress, isStranger }: LoggedRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!log.isLevelEnabled("info")) return;
  const startedAt = performance.now();
  const { method, url = "" } = request;
  response.once("close", () => {
    const line = {
      requestId,
      method,
      path: pathOf(url),
      status: response.headersSent ? response.statusCode : undefined,
      isComplete: response.writableFinished,
      ms: Math.round(performance.now() - startedAt),
    };
    if (isStranger()) logStranger(log, "info", remoteAddress, line, "request");
    else log.info({ ...peerOf(remoteAddress), ...line }, "request");
  });
}

/** Streams are not timed: they stay open for hours. */
export function countRequest(
  tally: Tally,
  requestId: string,
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
): void {
  const startedAt = performance.now();
  response.once("close", () => {
    const status = response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : "none";
    tally.count("requests", { status });
    const isStream = String(response.getHeader("Content-Type")).startsWith("text/event-stream");
    if (isStream) return;
    tally.time("request", performance.now() - startedAt);
    tally.span?.({
      name: "request",
      startedAt,
      trace: requestId,
      isWhole: true,
      isFailed: !response.writableFinished || response.statusCode >= 500,
      words: {
        requestId,
        method,
        path: pathOf(url),
        httpStatus: response.headersSent ? response.statusCode : undefined,
      },
    });
  });
}

/** The URL without its query and without a token in its path. */
function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return path.slice(0, pathCharactersMax).replace(/wp[a-z]?_[0-9a-z]+/gi, "…");
}
