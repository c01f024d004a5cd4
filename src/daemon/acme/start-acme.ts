import { createResolve, type Resolve } from "#/src/evidence/dns.ts";
import { inBackground } from "#/src/model/background.ts";
import { systemClock } from "#/src/model/clock.ts";
import { listDomains } from "#/storage/queries/accounts/accounts.ts";
import type { House } from "../house.ts";
import type { LiveCertificate } from "../live-certificate.ts";
import { type AcmeRunner, startAcmeRunner } from "./acme-runner.ts";
import { createAuthority } from "./authority.ts";
import type { Challenges } from "./challenges.ts";
import type { SharedAuthority } from "./shared-authority.ts";

/** Hosts below each domain that have a certificate of their own. */
const prefixes = ["mta-sts", "autoconfig", "autodiscover"] as const;
/** The most domains for which names are found automatically. Further names have to be in the settings. */
const domainsMax = 100;

/** Starts the renewal of certificates for a daemon whose ports are open. */
export async function startAcme(
  { settings, log, store }: House,
  challenges: Challenges,
  certificate: LiveCertificate,
  shared: SharedAuthority | undefined,
): Promise<AcmeRunner> {
  const resolve = createResolve(settings.dns);
  const runner = startAcmeRunner({
    settings,
    log,
    clock: systemClock,
    authorityUntil: (signal) => createAuthority(settings, challenges, signal, shared),
    async listNames() {
      const domains = (await listDomains(store)).slice(0, domainsMax).map(({ name }) => name);
      return namesHere(
        domains.flatMap((domain) => prefixes.map((prefix) => `${prefix}.${domain}`)),
        settings.server.hostname,
        resolve,
      );
    },
    onNew: () => certificate.reload(),
    shared,
  });
  inBackground(() => runner.look());
  const end = store.leases.onChange(() => inBackground(() => runner.look()));
  return {
    ...runner,
    async stop() {
      end();
      await runner.stop();
    },
  };
}

/** The names whose DNS addresses are all addresses of this host. An order for any other name fails, and authorities limit failures. */
export async function namesHere(
  names: readonly string[],
  hostname: string,
  resolve: Resolve,
): Promise<string[]> {
  const own = new Set(await addressesOf(hostname, resolve));
  const here: string[] = [];
  for (const name of own.size === 0 ? [] : names) {
    const addresses = await addressesOf(name, resolve);
    if (addresses.length > 0 && addresses.every((address) => own.has(address))) here.push(name);
  }
  return here;
}

async function addressesOf(name: string, resolve: Resolve): Promise<string[]> {
  const found = await Promise.allSettled(["A", "AAAA"].map((type) => resolve(name, type)));
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value.map(String) : []));
}
