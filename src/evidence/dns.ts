/** Questions to the DNS, as the checks ask them: remembered, limited in time, and given up together when nobody answers.
 *
 *  An answer is what `dns.promises.resolve` gives for the type; a failure has the codes of `node:dns`. */
import { Resolver } from "node:dns/promises";

export type Resolve = (name: string, type: string) => Promise<unknown[]>;

export interface DnsSettings {
  /** Addresses with an optional port; empty for those of the system; "none" alone: no question is asked. */
  readonly servers: readonly string[];
  /** Milliseconds for one question. */
  readonly timeoutMs: number;
}

/** An answer is asked again after this; records of mail change rarely, and senders plan for an hour. */
const answerMs = 5 * 60_000;
/** The same for "there is none" and for servers that failed. */
const absenceMs = 60_000;
const failureMs = 5_000;
const entriesMax = 20_000;
/** After so many questions in a row without an answer nobody is asked for a while, so that mail does not wait for a
 *  resolver that is gone. */
const silentMax = 5;
const silentMs = 20_000;

export function dnsError(code: "ENOTFOUND" | "ENODATA" | "ETIMEOUT" | "EREFUSED", name: string): Error {
  return Object.assign(new Error(`${code} ${name}`), { code });
}

/** `ask` stands in for the network in tests. */
export function createResolve(
  settings: DnsSettings,
  now: () => number = Date.now,
  ask: Resolve | undefined = networkResolve(settings),
): Resolve {
  const known = new Map<string, { readonly answer: Promise<unknown[]>; until: number }>();
  let silentCount = 0;
  let silentUntil = 0;

  return (name, type) => {
    const key = `${type} ${name.toLowerCase().replace(/\.$/, "")}`;
    const found = known.get(key);
    if (found !== undefined && found.until > now()) return copyOf(found.answer);
    if (ask === undefined || silentUntil > now()) return Promise.reject(dnsError("ETIMEOUT", name));
    if (known.size >= entriesMax) known.clear();
    const entry = { answer: ask(name, type), until: Number.POSITIVE_INFINITY };
    known.set(key, entry);
    entry.answer.then(
      () => {
        silentCount = 0;
        entry.until = now() + answerMs;
      },
      ({ code }: { code?: string }) => {
        const isAbsent = code === "ENOTFOUND" || code === "ENODATA";
        const isSilent = code === "ETIMEOUT" || code === "ECONNREFUSED";
        entry.until = now() + (isAbsent ? absenceMs : failureMs);
        silentCount = isSilent ? silentCount + 1 : 0;
        if (silentCount >= silentMax) silentUntil = now() + silentMs;
      },
    );
    return copyOf(entry.answer);
  };
}

/** The checks sort lists and write on errors that they are given. */
async function copyOf(answer: Promise<unknown[]>): Promise<unknown[]> {
  try {
    return structuredClone(await answer);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw Object.assign(new Error(message), { code });
  }
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

/** So many answers for one message, then the rest of it is not known: a message can name any number of keys. */
export function limitQuestions(resolve: Resolve, questionsMax: number, deadline: number): Resolve {
  let count = 0;
  return (name, type) => {
    count++;
    if (count > questionsMax || performance.now() > deadline)
      return Promise.reject(dnsError("ETIMEOUT", name));
    return resolve(name, type);
  };
}
