/** What is asked of the authority (RFC 8555): a certificate for a name, and when it is to be renewed (RFC 9773). Protocol and JOSE are
 *  those of `acme-client`, which is loaded when a certificate is due. */
import { isIP } from "node:net";
import { setTimeout } from "node:timers/promises";
import type * as Acme from "acme-client";
import type { Settings } from "#/config/schema.ts";
import type { PemPair } from "#/protocols/connection/server-keys.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Challenges } from "./challenges.ts";
import { keepAccountKey, readAccountKey } from "./kept-certificates.ts";
import { ariIdentifier, type RenewalWindow, readRenewalWindow } from "./renewal-time.ts";

export interface Authority {
  /** A new certificate for one name. `former`: the one that it replaces. */
  order(name: string, former: PemPair | undefined): Promise<PemPair>;
  /** When the authority wants the certificate to be renewed, and when to ask again. */
  askRenewal(cert: string): Promise<{ readonly window?: RenewalWindow; readonly askAgainMs?: number }>;
}

type AcmeSettings = Pick<Settings, "acme" | "storage">;

const requestTimeoutMs = 30_000;
const answerBytesMax = 1024 * 1024;
/** Looks at what the authority is about to decide: each comes later than the one before, and all together take some minutes. */
const looksMax = 30;
const longestPauseMs = 10_000;
const firstPauseMs = 250;
/** A connection breaks now and then. */
const attemptsMax = 3;
const brokenPauseMs = 1000;

/** `signal` ends everything that is under way. */
export function createAuthority(
  settings: AcmeSettings,
  challenges: Challenges,
  signal: AbortSignal,
): Authority {
  const { acme: wanted } = settings;
  let opened: Promise<{ acme: typeof Acme; client: Acme.Client }> | undefined;

  async function open() {
    const { default: acme } = (await import("acme-client")) as unknown as { default: typeof Acme };
    Object.assign(acme.axios.defaults, {
      timeout: requestTimeoutMs,
      maxContentLength: answerBytesMax,
      maxRedirects: 0,
      // The runner tries again, after pauses that the authority's limits allow.
      acmeSettings: { retryMaxAttempts: 0, retryDefaultDelay: 1 },
      signal,
    });
    let accountKey = readAccountKey(settings);
    if (accountKey === undefined) {
      accountKey = String(await acme.crypto.createPrivateEcdsaKey());
      keepAccountKey(settings, accountKey);
    }
    const client = new acme.Client({ directoryUrl: wanted.directory, accountKey });
    await client.createAccount({
      termsOfServiceAgreed: true,
      ...(wanted.email === "" ? {} : { contact: [`mailto:${wanted.email}`] }),
    });
    return { acme, client };
  }

  function opening() {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  /** Where renewalInfo is; undefined at an authority that has none. */
  async function renewalInfoUrl(acme: typeof Acme): Promise<string | undefined> {
    const { data } = await acme.axios.get(wanted.directory);
    const { renewalInfo } = data as { readonly renewalInfo?: unknown };
    return typeof renewalInfo === "string" ? renewalInfo : undefined;
  }

  async function createOrder(
    { acme, client }: Awaited<ReturnType<typeof open>>,
    name: string,
    former: PemPair | undefined,
  ): Promise<Acme.Order> {
    const identifiers = [{ type: "dns", value: name }];
    const replaces =
      former !== undefined && (await renewalInfoUrl(acme)) !== undefined
        ? await ariIdentifier(former.cert)
        : undefined;
    if (replaces !== undefined)
      try {
        return await client.createOrder({ identifiers, replaces } as Parameters<
          Acme.Client["createOrder"]
        >[0]);
      } catch (error) {
        // Section 5: of another authority, or replaced already. The order is made without it.
        if (!(error instanceof Error)) throw error;
      }
    return client.createOrder({ identifiers });
  }

  /** Until the authority has decided. Throws when it decided against it, or not at all. */
  async function decided<T extends { readonly status: string }>(read: () => Promise<T>): Promise<T> {
    for (let look = 0; look < looksMax; look++) {
      const found = await read();
      if (found.status === "valid" || found.status === "ready") return found;
      if (found.status === "invalid")
        throw new WaypostError("upstream_unavailable", `The authority refused: ${problemOf(found)}`);
      await setTimeout(Math.min(firstPauseMs * 2 ** look, longestPauseMs), undefined, { signal });
    }
    throw new WaypostError("upstream_unavailable", "The authority did not decide in time.");
  }

  return {
    async order(name, former) {
      for (let attempt = 1; ; attempt++)
        try {
          return await orderOnce(name, former);
        } catch (error) {
          // What acme-client makes of a connection that broke. To order again costs nothing.
          if (!(error instanceof TypeError)) throw error;
          if (attempt === attemptsMax) throw unanswered(wanted.directory, error);
          await setTimeout(attempt * brokenPauseMs, undefined, { signal });
        }
    },

    async askRenewal(cert) {
      const { acme } = await opening();
      const url = await renewalInfoUrl(acme);
      const identifier = url === undefined ? undefined : await ariIdentifier(cert);
      if (identifier === undefined) return {};
      const { data, headers } = await acme.axios.get(`${url}/${identifier}`);
      const window = readRenewalWindow(data);
      const seconds = Number(headers["retry-after"]);
      return {
        ...(window === undefined ? {} : { window }),
        ...(seconds > 0 ? { askAgainMs: seconds * 1000 } : {}),
      };
    },
  };

  async function orderOnce(name: string, former: PemPair | undefined): Promise<PemPair> {
    if (isIP(name) !== 0 || !name.includes("."))
      throw new WaypostError("invalid", `No authority gives a certificate for ${name}.`);
    const session = await opening();
    const { acme, client } = session;
    const order = await createOrder(session, name, former);
    for (const authorization of await client.getAuthorizations(order)) {
      if (authorization.status === "valid") continue;
      const challenge = authorization.challenges.find(({ type }) => type === wanted.challenge);
      if (challenge === undefined)
        throw new WaypostError(
          "upstream_unavailable",
          `The authority offers no ${wanted.challenge} for ${name}.`,
        );
      const answer = await client.getChallengeKeyAuthorization(challenge);
      using answered = new DisposableStack();
      if (challenge.type === "http-01") {
        challenges.http.set(challenge.token, answer);
        answered.defer(() => challenges.http.delete(challenge.token));
      } else {
        const [key, cert] = await acme.crypto.createAlpnCertificate(authorization, answer);
        challenges.alpn.set(name, { key: String(key), cert: String(cert) });
        answered.defer(() => challenges.alpn.delete(name));
      }
      await client.completeChallenge(challenge);
      await decided(async () => {
        const all = await client.getAuthorizations(order);
        return all.find(({ url }) => url === authorization.url) ?? authorization;
      });
    }
    const [key, csr] = await acme.crypto.createCsr(
      { altNames: [name] },
      await acme.crypto.createPrivateEcdsaKey(),
    );
    const finalized = await client.finalizeOrder(order, csr);
    const issued = await decided(async () => {
      const { status, ...rest } = await client.getOrder(finalized);
      // What is ready is about to be made.
      return { ...rest, status: status === "ready" ? "processing" : status };
    });
    const cert = await client.getCertificate(issued as Acme.Order);
    return { key: String(key), cert };
  }
}

function unanswered(directory: string, cause: unknown): WaypostError {
  const { host } = new URL(directory);
  return new WaypostError("upstream_unavailable", `${host} does not answer.`, { cause });
}

/** What an authorization says of the challenge that failed (RFC 8555 section 8). */
function problemOf(found: object): string {
  const { challenges = [] } = found as {
    readonly challenges?: readonly { readonly error?: { readonly detail?: string } }[];
  };
  return (
    challenges.map(({ error }) => error?.detail ?? "").find((detail) => detail !== "") ?? "no reason given"
  );
}
