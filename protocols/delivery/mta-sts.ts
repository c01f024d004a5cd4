/** MTA-STS (RFC 8461): what a domain asks of those who send to it. A policy that was seen once holds until it expires, also over
 *  restarts: who hides it from us later gains nothing.
 *
 *  _mta-sts.<domain> TXT  "v=STSv1; id=…"            a new id means a new policy
 *  https://mta-sts.<domain>/.well-known/mta-sts.txt   the policy: mode, mx, max_age
 *
 *  Grammar and matching are mailauth's. */
import https from "node:https";
import type { Settings } from "#/config/schema.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { type Clock, leftUntil } from "#/src/model/clock.ts";
import { ifAvailable } from "#/src/model/errors.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";
import type { StsPolicies, StsPolicy } from "#/src/outbound/sts-policies.ts";

export interface StsRooms {
  readonly settings: Pick<Settings, "outbound">;
  readonly resolve: Resolve;
  readonly clock: Clock;
  readonly policies: StsPolicies;
  /** Where policies are served: 443 but for tests. */
  readonly policyPort?: number;
  readonly signal: AbortSignal;
}

/** Section 3.3: 64 KiB and one minute are what it suggests at most. */
const policyBytesMax = 64 * 1024;
const fetchTimeoutMs = 20_000;
/** A policy that could not be fetched is not asked for again at once. */
const failureMemoryMs = 5 * 60_000;
/** Near its end a policy is fetched again though its id is the same. */
const renewMs = 24 * 3_600_000;
const failuresMax = 1000;

export interface PolicyLookup {
  /** The policy of a domain; undefined where there is none, or one that says so. */
  find(domain: string): Promise<FoundPolicy | undefined>;
}

export interface FoundPolicy {
  /** Section 5: mail goes to servers that it allows, or nowhere; else it is only told of what would not. */
  readonly isEnforced: boolean;
  readonly hosts: readonly string[];
  /** Its lines, as far as they are kept. */
  readonly strings: readonly string[];
  /** Section 4.1: whether a host may be given mail. */
  names(host: string): boolean;
}

/** Loaded with the first mail: it takes as long as a third of a start. */
const grammar = () => import("mailauth/lib/mta-sts.js");

export function createPolicyLookup(rooms: StsRooms): PolicyLookup {
  const { policies, clock, resolve } = rooms;
  const failures = new Map<string, number>();

  async function fetchAnew(domain: string, id: string, kept: StsPolicy | undefined) {
    const now = clock.now();
    const key = `${domain} ${id}`;
    if (leftUntil(failures.get(key) ?? 0, now, failureMemoryMs) > 0) return kept;
    try {
      const { parsePolicy } = await grammar();
      const policy = parsePolicy(await fetchPolicy(rooms, domain), { strict: true });
      const fresh: StsPolicy = {
        domain,
        id,
        mode: policy.mode,
        mx: policy.mx ?? [],
        expiresAt: now + (policy.maxAge ?? 0) * 1000,
      };
      await ifAvailable(policies.keep(fresh));
      failures.delete(key);
      return fresh;
    } catch {
      // Section 3.3: whatever went wrong, the policy that is known holds; without one there is none.
      if (failures.size >= failuresMax) failures.clear();
      failures.set(key, now + failureMemoryMs);
      return kept;
    }
  }

  async function findPolicy(domain: string): Promise<StsPolicy | undefined> {
    const now = clock.now();
    const stored = await policies.find(domain);
    const kept = stored !== undefined && stored.expiresAt > now ? stored : undefined;
    const id = await findPolicyId(resolve, domain);
    if (id === undefined) return kept;
    if (kept?.id === id && kept.expiresAt - now > renewMs) return kept;
    return fetchAnew(domain, id, kept);
  }

  return {
    async find(domain) {
      if (domain.startsWith("[")) return undefined;
      const policy = await findPolicy(domain);
      if (policy?.mode !== "enforce" && policy?.mode !== "testing") return undefined;
      const { validateMx } = await grammar();
      const { id, mode, mx } = policy;
      return {
        isEnforced: mode === "enforce",
        hosts: mx,
        strings: ["version: STSv1", `mode: ${mode}`, ...mx.map((host) => `mx: ${host}`)],
        names: (host) => validateMx(host, { id, mode, mx: [...mx] } as never).valid,
      };
    },
  };
}

/** Of several records, and of one that breaks the grammar, none counts (section 3.1). */
async function findPolicyId(resolve: Resolve, domain: string): Promise<string | undefined> {
  const { resolvePolicy } = await grammar();
  const resolver = (name: string, type: string) => resolve(name, type) as Promise<string[][]>;
  try {
    return (await resolvePolicy(domain, { strict: true, resolver })) || undefined;
  } catch {
    return undefined;
  }
}

/** The text of the policy, fetched as section 3.3 demands. Throws what the connection throws, or why the answer is no policy. */
export async function fetchPolicy(
  rooms: Pick<StsRooms, "settings" | "resolve" | "policyPort" | "signal">,
  domain: string,
): Promise<Buffer> {
  const host = `mta-sts.${domain}`;
  const address = await findPolicyHost(rooms, host);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const request = https.get(
    {
      host: address,
      servername: host,
      headers: { host, accept: "text/plain" },
      port: rooms.policyPort ?? 443,
      path: "/.well-known/mta-sts.txt",
      agent: false,
      signal: AbortSignal.any([AbortSignal.timeout(fetchTimeoutMs), rooms.signal]),
    },
    (response) => {
      const type = response.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
      // Section 3.3: redirects are not followed, and nothing but text is a policy.
      if (response.statusCode !== 200 || type !== "text/plain") {
        request.destroy(new Error("The answer is no policy."));
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > policyBytesMax) request.destroy(new Error("The policy is too large."));
        else chunks.push(chunk);
      });
      response.once("end", () => resolve(Buffer.concat(chunks)));
      response.once("error", reject);
    },
  );
  request.once("error", reject);
  return promise;
}

async function findPolicyHost(
  { resolve, settings }: Pick<StsRooms, "resolve" | "settings">,
  host: string,
): Promise<string> {
  for (const type of ["A", "AAAA"]) {
    const addresses = await resolve(host, type).catch(() => []);
    const usable = addresses
      .map(String)
      .find((address) => settings.outbound.allowPrivateAddresses || isPublicAddress(address));
    if (usable !== undefined) return usable;
  }
  throw new Error("The policy host has no address that can be used.");
}
