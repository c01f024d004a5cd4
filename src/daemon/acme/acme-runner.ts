/** Keeps the certificates of an authority: orders missing ones and renews in time. A failed order is tried again after growing pauses.
 *  Meanwhile the former certificate stays in use. */
import { X509Certificate } from "node:crypto";
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { PemPair } from "#/protocols/connection/server-keys.ts";
import { after } from "#/src/model/background.ts";
import { type Clock, leftUntil } from "#/src/model/clock.ts";
import type { Authority } from "./authority.ts";
import { keepPair, readKeptPair } from "./kept-certificates.ts";
import { type RenewalWindow, renewalTime } from "./renewal-time.ts";
import type { SharedAuthority } from "./shared-authority.ts";

export interface AcmeRooms {
  readonly settings: Pick<Settings, "acme" | "storage" | "server">;
  readonly log: Logger;
  readonly clock: Clock;
  /** The authority. Its running requests end when the signal aborts. */
  authorityUntil(signal: AbortSignal): Authority;
  /** The further names that need certificates at this moment. */
  listNames(): Promise<readonly string[]>;
  /** Called when a new certificate is stored. */
  onNew(): Promise<void>;
  /** Where several daemons share a store. */
  readonly shared?: SharedAuthority | undefined;
}

/** A name for which the last order failed. */
export interface AcmeTrouble {
  readonly name: string;
  readonly reason: string;
}

export interface AcmeRunner {
  troubles(): readonly AcmeTrouble[];
  /** Checks every certificate now, and resolves when the due orders are done. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const lookEveryMs = minuteMs;
/** Where several daemons share a store: what another one has obtained is in use after this time. */
const exchangeEveryMs = 10_000;
/** The pause after a first failure. It doubles with each further one, to stay within the limits of authorities (5 an hour). */
const firstPauseMs = 2 * minuteMs;
const longestPauseMs = 12 * hourMs;
/** RFC 9773 section 4.3: no more often than each minute, and a day at most. */
const askAgain = { leastMs: minuteMs, mostMs: 24 * hourMs, usualMs: 6 * hourMs };
const lateMs = 7 * 24 * hourMs;
const reasonCharactersMax = 500;

/** The state of a name between two checks. */
interface Care {
  failures: number;
  /** Of the last failure. */
  reason: string;
  tryAt: number;
  askAt: number;
  window: RenewalWindow | undefined;
  /** The certificate to which the window belongs. */
  cert: string;
}

export function startAcmeRunner({
  settings,
  log,
  clock,
  authorityUntil,
  listNames,
  onNew,
  shared,
}: AcmeRooms): AcmeRunner {
  const stopping = new AbortController();
  const authority = authorityUntil(stopping.signal);
  const cares = new Map<string, Care>();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function isDue(name: string, care: Care, pair: PemPair | undefined): Promise<boolean> {
    if (pair === undefined) return true;
    if (care.cert !== pair.cert) Object.assign(care, { cert: pair.cert, window: undefined, askAt: 0 });
    if (leftUntil(care.askAt, clock.now(), askAgain.mostMs) === 0) {
      try {
        const { window, askAgainMs = askAgain.usualMs } = await authority.askRenewal(pair.cert);
        care.window = window;
        care.askAt = clock.now() + Math.min(Math.max(askAgainMs, askAgain.leastMs), askAgain.mostMs);
      } catch (error) {
        if (stopping.signal.aborted) return false;
        // The last suggestion stays valid (section 4.3).
        log.warn({ name, reason: reasonOf(error) }, "the authority was not asked when to renew");
        care.askAt = clock.now() + askAgain.usualMs;
      }
    }
    return renewalTime(pair.cert, care.window) <= clock.now();
  }

  async function seeTo(name: string): Promise<boolean> {
    const care = cares.get(name) ?? {
      failures: 0,
      reason: "",
      tryAt: 0,
      askAt: 0,
      window: undefined,
      cert: "",
    };
    cares.set(name, care);
    if (leftUntil(care.tryAt, clock.now(), longestPauseMs) > 0) return false;
    const pair = readKeptPair(settings, name);
    if (!(await isDue(name, care, pair))) return false;
    try {
      const fresh = await authority.order(name, pair);
      keepPair(settings, name, fresh);
      await shared?.keepPair(name, fresh);
      Object.assign(care, { failures: 0, tryAt: 0 });
      log.info({ name, expiresAt: new Date(expiryOf(fresh)).toISOString() }, "certificate obtained");
      return true;
    } catch (error) {
      if (stopping.signal.aborted) return false;
      const pauseMs = Math.min(firstPauseMs * 2 ** care.failures, longestPauseMs);
      care.failures++;
      care.reason = reasonOf(error);
      care.tryAt = clock.now() + pauseMs;
      const isLate = pair === undefined || expiryOf(pair) - clock.now() < lateMs;
      const facts = { name, reason: care.reason, againAt: new Date(care.tryAt).toISOString() };
      if (isLate) log.error(facts, "no certificate was obtained, and none is left for long");
      else log.warn(facts, "no certificate was obtained; the former one stays in use");
      return false;
    }
  }

  async function lookAtAll(): Promise<void> {
    const { acme, server } = settings;
    const names = new Set([server.hostname, ...acme.names, ...(await listNames())]);
    for (const name of cares.keys()) if (!names.has(name)) cares.delete(name);
    let hasNew = (await shared?.exchange(names)) ?? false;
    for (const name of names) {
      if (stopping.signal.aborted || shared?.isMine() === false) break;
      hasNew = (await seeTo(name)) || hasNew;
    }
    if (hasNew) await onNew();
  }

  function look(): Promise<void> {
    clearTimeout(timer);
    running = running
      .then(() => (stopping.signal.aborted ? undefined : lookAtAll()))
      .catch((error: unknown) => log.error({ err: error }, "certificates could not be looked at"))
      .then(() => {
        if (!stopping.signal.aborted)
          timer = after(shared === undefined ? lookEveryMs : exchangeEveryMs, look).unref();
      });
    return running;
  }

  return {
    troubles: () =>
      [...cares].flatMap(([name, { failures, reason }]) => (failures === 0 ? [] : [{ name, reason }])),
    look,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

function expiryOf({ cert }: PemPair): number {
  return new X509Certificate(cert).validToDate.getTime();
}

/** The reason of a failure. Text of the authority is shortened. */
function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, reasonCharactersMax);
}
