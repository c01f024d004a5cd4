import type { Logger } from "pino";
import { peerOf } from "#/protocols/connection/peer.ts";
import { logStranger } from "#/protocols/connection/stranger-lines.ts";
import type { Tally } from "#/src/model/tally.ts";
import type { OpenExchange } from "./exchange.ts";
import { withoutQuery } from "./request-path.ts";

const pathCharactersMax = 200;

/** Logs one line for a request when its response is sent or its client has gone; for a stream, when it ends. */
export function logRequest(
  log: Logger,
  { requestId, remoteAddress, request, response, begunAt, isStranger }: OpenExchange,
): void {
  if (!log.isLevelEnabled("info")) return;
  const line = {
    requestId,
    method: request.method,
    path: pathOf(request.url),
    status: response.headersSent ? response.statusCode : undefined,
    isComplete: response.writableFinished,
    ms: Math.round(performance.now() - begunAt),
  };
  if (isStranger) logStranger(log, "info", remoteAddress, line, "request");
  else log.info({ ...peerOf(remoteAddress), ...line }, "request");
}

/** Streams are not timed: they stay open for hours. */
export function countRequest(tally: Tally, { requestId, request, response, begunAt }: OpenExchange): void {
  const status = response.headersSent ? `${Math.floor(response.statusCode / 100)}xx` : "none";
  tally.count("requests", { status });
  const isStream = String(response.getHeader("Content-Type")).startsWith("text/event-stream");
  if (isStream) return;
  tally.time("request", performance.now() - begunAt);
  tally.span?.({
    name: "request",
    startedAt: begunAt,
    trace: requestId,
    isWhole: true,
    isFailed: !response.writableFinished || response.statusCode >= 500,
    words: {
      requestId,
      method: request.method,
      path: pathOf(request.url),
      httpStatus: response.headersSent ? response.statusCode : undefined,
    },
  });
}

/** The URL without its query and without a token in its path. */
function pathOf(url = ""): string {
  return withoutQuery(url)
    .slice(0, pathCharactersMax)
    .replace(/wp[a-z]?_[0-9a-z]+/gi, "…");
}
