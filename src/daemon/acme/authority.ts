/** Requests to the authority: a certificate for a name (RFC 8555), and when to renew it (RFC 9773). `acme-client` implements the protocol
 *  and JOSE. It is loaded when a certificate is due. */
import { isIP } from "node:net";
import type * as Acme from "acme-client";
import type { Settings } from "#/config/schema.ts";
import type { PemPair } from "#/protocols/connection/server-keys.ts";
import { pause } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";
import type { Challenges } from "./challenges.ts";
import { keepAccountKey, readAccountKey } from "./kept-certificates.ts";
import { ariIdentifier, type RenewalWindow, readRenewalWindow } from "./renewal-time.ts";
import type { SharedAuthority } from "./shared-authority.ts";

export interface Authority {
  /** Orders a certificate for one name. `former`: the one that it replaces. */
  order(name: string, former: PemPair | undefined): Promise<PemPair>;
  /** When the authority wants the certificate to be renewed, and when to ask again. */
  askRenewal(cert: string): Promise<{ readonly window?: RenewalWindow; readonly askAgainMs?: number }>;
}

type AcmeSettings = Pick<Settings, "acme" | "storage">;

const requestTimeoutMs = 30_000;
const answerBytesMax = 1024 * 1024;
/** The most polls of an order or authorization. The pauses between them grow, and all together take some minutes. */
const looksMax = 30;
const longestPauseMs = 10_000;
const firstPauseMs = 250;
/** Tries of a request whose connection breaks. */
const attemptsMax = 3;
const brokenPauseMs = 1000;

/** `signal` ends all running requests. */
export function createAuthority(
  settings: AcmeSettings,
  challenges: Challenges,
  signal: AbortSignal,
  shared?: SharedAuthority,
): Authority {
  const { acme: wanted } = settings;
  let opened: Promise<{ acme: typeof Acme; client: Acme.Client }> | undefined;

  async function open() {
    const { default: acme } = (await import("acme-client")) as unknown as { default: typeof Acme };
    Object.assign(acme.axios.defaults, {
      timeout: requestTimeoutMs,
      maxContentLength: answerBytesMax,
      maxRedirects: 0,
      // The runner tries again itself, after pauses within the authority's limits.
      acmeSettings: { retryMaxAttempts: 0, retryDefaultDelay: 1 },
      signal,
    });
    const accountKey = await keyOfAccount(async () => String(await acme.crypto.createPrivateEcdsaKey()));
    const client = new acme.Client({ directoryUrl: wanted.directory, accountKey });
    await client.createAccount({
      termsOfServiceAgreed: true,
      ...(wanted.email === "" ? {} : { contact: [`mailto:${wanted.email}`] }),
    });
    return { acme, client };
  }

  async function keyOfAccount(make: () => Promise<string>): Promise<string> {
    if (shared !== undefined) return shared.accountKey(make);
    const kept = readAccountKey(settings);
    if (kept !== undefined) return kept;
    const made = await make();
    keepAccountKey(settings, made);
    return made;
  }

  function opening() {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  /** The URL of renewalInfo; undefined for an authority without it. */
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
        // Section 5: `former` is of another authority, or replaced already. The order is made without it.
        if (!(error instanceof Error)) throw error;
      }
    return client.createOrder({ identifiers });
  }

  /** Polls until the authority has decided. Throws when it refused, or did not decide in time. */
  async function decided<T extends { readonly status: string }>(read: () => Promise<T>): Promise<T> {
    for (let look = 0; look < looksMax; look++) {
      const found = await read();
      if (found.status === "valid" || found.status === "ready") return found;
      if (found.status === "invalid")
        throw new WaypostError("upstream_unavailable", `The authority refused: ${problemOf(found)}`);
      await pause(Math.min(firstPauseMs * 2 ** look, longestPauseMs), { signal });
    }
    throw new WaypostError("upstream_unavailable", "The authority did not decide in time.");
  }

  return {
    async order(name, former) {
      for (let attempt = 1; ; attempt++)
        try {
          return await orderOnce(name, former);
        } catch (error) {
          // acme-client throws a TypeError for a broken connection. Ordering again costs nothing.
          if (!(error instanceof TypeError)) throw error;
          if (attempt === attemptsMax) throw await unanswered(wanted.directory, signal);
          await pause(attempt * brokenPauseMs, { signal });
        }
    },

    async askRenewal(cert) {
      const { acme } = await opening().catch(async (error: unknown) => {
        throw error instanceof TypeError ? await unanswered(wanted.directory, signal) : error;
      });
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
      await using answered = new AsyncDisposableStack();
      if (challenge.type === "http-01") {
        answered.defer(() => challenges.forget("http-01", challenge.token));
        await challenges.answer("http-01", challenge.token, answer);
      } else {
        const [key, cert] = await acme.crypto.createAlpnCertificate(authorization, answer);
        answered.defer(() => challenges.forget("tls-alpn-01", name));
        const pair: PemPair = { key: String(key), cert: String(cert) };
        await challenges.answer("tls-alpn-01", name, JSON.stringify(pair));
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
      // `ready` is polled like `processing`: the certificate is still to be issued.
      return { ...rest, status: status === "ready" ? "processing" : status };
    });
    const cert = await client.getCertificate(issued as Acme.Order);
    return { key: String(key), cert };
  }
}

/** The error for an authority whose connection breaks. `acme-client` hides the cause behind a TypeError, so it is asked once more. */
async function unanswered(directory: string, signal: AbortSignal): Promise<WaypostError> {
  const { host } = new URL(directory);
  const cause = await fetch(directory, {
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
  }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error && error.cause instanceof Error ? error.cause : error),
  );
  const why = cause === undefined ? "its connections break" : readThrown(cause).message || String(cause);
  return new WaypostError("upstream_unavailable", `${host} does not answer: ${why}.`, { cause });
}

/** The reason that an authorization gives for its failed challenge (RFC 8555 section 8). */
function problemOf(found: object): string {
  const { challenges = [] } = found as {
    readonly challenges?: readonly { readonly error?: { readonly detail?: string } }[];
  };
  return (
    challenges.map(({ error }) => error?.detail ?? "").find((detail) => detail !== "") ?? "no reason given"
  );
}
