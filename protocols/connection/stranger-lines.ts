/** Log lines that anybody can cause who reaches a port: refused commands, failed logins and handshakes, requests without a login. There
 *  are so many of them a minute of each network and of all networks, so that nobody fills the disk with the log. What is left out is
 *  told once a minute by its number. */
import type { Logger } from "pino";
import { after } from "#/src/model/background.ts";
import { isOfServer, isWaypostError } from "#/src/model/errors.ts";
import { strangerLinesOfNetworkMax, strangerLinesTotalMax } from "#/src/model/limits.ts";
import { networkOf } from "#/src/model/network.ts";
import { peerOf } from "./peer.ts";

const minuteMs = 60_000;

interface Minute {
  readonly until: number;
  total: number;
  /** By network: one entry a line at most. Loopback has no limit of its own. */
  readonly networks: Map<string, number>;
  leftOut: number;
}

const minutes = new WeakMap<Logger, Minute>();

/** Writes the line with the peer, unless there were too many. */
export function logStranger(
  log: Logger,
  level: "info" | "warn",
  remoteAddress: string,
  line: object,
  message: string,
): void {
  if (!log.isLevelEnabled(level)) return;
  const minute = minuteOf(log);
  const network = networkOf(remoteAddress);
  const count = network === undefined ? 0 : (minute.networks.get(network) ?? 0);
  if (minute.total >= strangerLinesTotalMax || count >= strangerLinesOfNetworkMax) {
    if (++minute.leftOut === 1)
      after(minute.until - performance.now(), () => tellLeftOut(log, minute)).unref();
    return;
  }
  minute.total++;
  if (network !== undefined) minute.networks.set(network, count + 1);
  log[level]({ ...peerOf(remoteAddress), ...line }, message);
}

/** Logs that somebody has not logged in. Programs ban by `login failed`, so an attempt that the server could not look at has other words. */
export function logNoLogin(
  log: Logger,
  remoteAddress: string,
  place: Readonly<Record<string, unknown>>,
  error: unknown,
): void {
  const reason = isWaypostError(error) ? error.code : "internal";
  const message = isOfServer(error) ? "login not possible" : "login failed";
  logStranger(log, "warn", remoteAddress, { ...place, reason }, message);
}

function minuteOf(log: Logger): Minute {
  const now = performance.now();
  const known = minutes.get(log);
  if (known !== undefined && now < known.until) return known;
  const minute: Minute = { until: now + minuteMs, total: 0, networks: new Map(), leftOut: 0 };
  minutes.set(log, minute);
  return minute;
}

function tellLeftOut(log: Logger, { leftOut }: Minute): void {
  log.warn({ lines: leftOut }, "lines about strangers were left out");
}

/** Logs a failed TLS handshake; only once, even if it is called several times. */
export function handshakeLog(
  log: Logger,
  listener: string,
  remoteAddress: string | undefined,
): (reason: string) => void {
  let isTold = false;
  return (reason) => {
    if (!isTold) logStranger(log, "info", remoteAddress ?? "", { listener, reason }, "handshake failed");
    isTold = true;
  };
}
