/** DNS queries of the checks. Answers are cached, and each query has a limit of time. While the name servers of this host do not
 *  answer, no queries are sent.
 *
 *  One query without an answer does not show that: senders name domains whose name servers do not answer, some on purpose. So the name
 *  servers are then asked for the servers of the root, which every resolver knows and no sender can choose. Only if that query has no
 *  answer either, no queries are sent for a while.
 *
 *  An answer has the form that `dns.promises.resolve` gives for the type. A failure has the codes of `node:dns`. */

import { Resolver } from "node:dns/promises";
import { inBackground, loopTurn } from "#/src/model/background.ts";
import { readThrown } from "#/src/model/thrown.ts";

export type Resolve = (name: string, type: string) => Promise<unknown[]>;

export interface DnsSettings {
  /** Addresses with an optional port; empty for those of the system; "none" alone: no question is asked. */
  readonly servers: readonly string[];
  /** Milliseconds for one question. */
  readonly timeoutMs: number;
  /** Milliseconds after which an answer or an absence is asked again at the latest, whatever its type. */
  readonly keptMsMax?: number;
}

/** An answer is asked again after this; records of mail change rarely, and senders plan for an hour. */
const answerMs = 5 * 60_000;
/** The same for "no such record" and for servers that failed. */
const absenceMs = 60_000;
const failureMs = 5_000;
const entriesMax = 20_000;
/** Characters of all answers together: a stranger's answer has up to 64 KiB, a usual one some hundred octets. */
const answersCharactersMax = 32 * 1024 * 1024;
/** After this many queries in a row without an answer, it is checked whether the name servers can be reached. */
const silentMax = 5;
/** How long no query is sent when they cannot be reached, so that mail does not wait for them. */
const silentMs = 20_000;

/** An answer that has not come is kept until it has. */
const pending = Number.POSITIVE_INFINITY;

export function dnsError(code: "ENOTFOUND" | "ENODATA" | "ETIMEOUT" | "EREFUSED", name: string): Error {
  return Object.assign(new Error(`${code} ${name}`), { code });
}

/** `ask` replaces the network in tests. */
export function createResolve(
  settings: DnsSettings,
  now: () => number = () => performance.now(),
  ask: Resolve | undefined = networkResolve(settings),
): Resolve {
  const { keptMsMax = answerMs } = settings;
  const known = new Map<string, { readonly answer: Promise<unknown[]>; until: number }>();
  let knownCharacters = 0;
  let silentCount = 0;
  let silentUntil = 0;
  let isProbing = false;

  /** Any answer will do, a refusal too. */
  async function probe(question: Resolve): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    const isThere = await question(".", "NS").then(
      () => true,
      (error: unknown) => !isSilence(error),
    );
    isProbing = false;
    if (isThere) silentCount = 0;
    else silentUntil = now() + silentMs;
  }

  return (name, type) => {
    const key = `${type} ${name.toLowerCase().replace(/\.$/, "")}`;
    const found = known.get(key);
    if (found !== undefined && found.until > now())
      return copyOf(found.until === pending ? inOwnTurn(found.answer) : found.answer);
    if (ask === undefined || silentUntil > now()) return Promise.reject(dnsError("ETIMEOUT", name));
    if (known.size >= entriesMax || knownCharacters >= answersCharactersMax) {
      known.clear();
      knownCharacters = 0;
    }
    const entry = { answer: ask(name, type), until: pending };
    known.set(key, entry);
    entry.answer.then(
      (values) => {
        silentCount = 0;
        entry.until = now() + keptMsMax;
        knownCharacters += JSON.stringify(values).length;
      },
      (error: unknown) => {
        const { code } = readThrown(error);
        const isAbsent = code === "ENOTFOUND" || code === "ENODATA";
        entry.until = now() + Math.min(keptMsMax, isAbsent ? absenceMs : failureMs);
        silentCount = isSilence(error) ? silentCount + 1 : 0;
        if (silentCount >= silentMax) inBackground(() => probe(ask));
      },
    );
    return copyOf(entry.answer);
  };
}

/** For whoever joins in a query: else all of them go on in the turn of the one that asked, and their work counts as its own. */
async function inOwnTurn(answer: Promise<unknown[]>): Promise<unknown[]> {
  try {
    return await answer;
  } finally {
    await loopTurn();
  }
}

function isSilence(error: unknown): boolean {
  const { code } = readThrown(error);
  return code === "ETIMEOUT" || code === "ECONNREFUSED";
}

/** Copies results, because the checks sort the lists and change the errors that they get. A new error would collect its stack, and each mail
 *  asks for names that are not there: what is written to this one does not reach the kept one. */
async function copyOf(answer: Promise<unknown[]>): Promise<unknown[]> {
  let values: unknown[];
  try {
    values = await answer;
  } catch (error) {
    throw typeof error === "object" ? Object.create(error) : error;
  }
  return values.map(copyOfRecord);
}

/** A record is a text, octets, which nobody changes, or a list or an object of them; `secure-dns.ts` keeps an object with a list of records. */
function copyOfRecord(record: unknown): unknown {
  if (Array.isArray(record)) return record.map(copyOfRecord);
  if (typeof record !== "object" || record === null || ArrayBuffer.isView(record)) return record;
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, copyOfRecord(value)]));
}

export function asksNobody({ servers }: Pick<DnsSettings, "servers">): boolean {
  return servers.length === 1 && servers[0] === "none";
}

function networkResolve({ servers, timeoutMs }: DnsSettings): Resolve | undefined {
  if (asksNobody({ servers })) return undefined;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return (name, type) => resolver.resolve(name, type) as Promise<unknown[]>;
}

/** Queries for one message; further ones have no answer, since a message can name any number of keys. */
export function limitQuestions(resolve: Resolve, questionsMax: number, deadline: number): Resolve {
  let count = 0;
  return (name, type) => {
    count++;
    if (count > questionsMax || performance.now() > deadline)
      return Promise.reject(dnsError("ETIMEOUT", name));
    return resolve(name, type);
  };
}
