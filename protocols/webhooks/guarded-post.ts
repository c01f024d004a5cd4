/** One POST to an address that somebody has chosen: only to the public internet and over TLS unless the operator allows more, without
 *  following redirects, and with bounds on time and answer. 2xx is taken, 410 wants no more, everything else is tried again. */
import http from "node:http";
import https from "node:https";
import type { Settings } from "#/config/schema.ts";
import manifest from "#/package.json" with { type: "json" };
import type { DnsSettings } from "#/src/evidence/dns.ts";
import type { RequestOutcome } from "#/src/feed/retries.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { anyLookup, assertPublicHost, dnsAddresses, PrivateAddress, publicLookup } from "./public-lookup.ts";

export interface GuardedPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Of this attempt, in milliseconds. */
  readonly at: number;
}

export interface GuardedClient extends Disposable {
  /** Never throws: what goes wrong is the outcome. */
  post(request: GuardedPost, signal: AbortSignal): Promise<RequestOutcome>;
}

export interface GuardOptions {
  readonly allowsPrivate: boolean;
  readonly dns: DnsSettings;
  readonly answerMs?: number;
}

export function guardOf({ webhooks, dns }: Pick<Settings, "webhooks" | "dns">): GuardOptions {
  return { allowsPrivate: webhooks.allowPrivateAddresses, dns };
}

/** From the first look-up to the status. */
const answerDefaultMs = 15_000;
/** Of an answer that is read, so that the connection can be used again; its words interest nobody. */
const answerBytesMax = 64 * 1024;
const idleMs = 30_000;
/** Kept open without a request. How many requests there are at a time, `src/fairness` says (`webhooks`). */
const idleSocketsPerHost = 4;

export function createGuardedClient(options: GuardOptions): GuardedClient {
  const kept = {
    keepAlive: true,
    timeout: idleMs,
    maxFreeSockets: idleSocketsPerHost,
    lookup: options.allowsPrivate ? anyLookup() : publicLookup(dnsAddresses(options.dns)),
  };
  const agents = { "https:": new https.Agent(kept), "http:": new http.Agent(kept) };

  function open(request: GuardedPost, signal: AbortSignal): Promise<RequestOutcome> {
    const url = new URL(request.url);
    const protocol = url.protocol === "http:" ? "http:" : "https:";
    if (!options.allowsPrivate) {
      assertPublicHost(url.hostname);
      if (protocol === "http:") throw new PlainText();
    }
    const headers = {
      ...request.headers,
      "content-length": Buffer.byteLength(request.body),
      "user-agent": `Waypost/${manifest.version}`,
    };
    return new Promise((resolve, reject) => {
      const { request: begin } = protocol === "http:" ? http : https;
      const sent = begin(url, { method: "POST", agent: agents[protocol], headers, signal }, (response) => {
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > answerBytesMax) response.destroy();
        });
        response.on("error", () => {});
        resolve(outcomeOf(response, request.at));
      });
      sent.on("error", reject);
      sent.end(request.body);
    });
  }

  return {
    async post(request, signal) {
      try {
        return await open(
          request,
          AbortSignal.any([signal, AbortSignal.timeout(options.answerMs ?? answerDefaultMs)]),
        );
      } catch (error) {
        return { status: null, error: reasonOf(error) };
      }
    },
    [Symbol.dispose]() {
      agents["https:"].destroy();
      agents["http:"].destroy();
    },
  };
}

class PlainText extends Error {}

function outcomeOf({ statusCode = 0, headers }: http.IncomingMessage, now: number): RequestOutcome {
  if (statusCode >= 200 && statusCode < 300) return { status: statusCode, error: null };
  const retryAfterMs = retryAfterOf(headers["retry-after"], now);
  return {
    status: statusCode,
    error:
      statusCode >= 300 && statusCode < 400
        ? "it redirects, which is not followed"
        : `it answers ${statusCode}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(statusCode === 410 ? { isGone: true } : {}),
  };
}

/** Retry-After (RFC 9110 section 10.2.3): seconds or a date. */
function retryAfterOf(field: string | undefined, now: number): number | undefined {
  if (field === undefined) return undefined;
  if (/^\d{1,9}$/.test(field)) return Number(field) * 1000;
  const at = Date.parse(field);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** In our own words and the system's codes; never what a peer wrote. */
function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddress) return "its address is not of the public internet";
  if (error instanceof PlainText) return "it is not encrypted";
  const { code, name } = readThrown(error);
  if (name === "AbortError" || name === "TimeoutError") return "it does not answer in time";
  return `the connection failed (${code ?? name})`;
}
