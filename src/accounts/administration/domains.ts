import { z } from "zod";
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { findDomain, listAccounts, listDomains } from "#/storage/queries/accounts/accounts.ts";
import { listDomainKeys } from "#/storage/queries/accounts/domain-keys.ts";
import type { Store } from "#/storage/store.ts";
import { dnsRecords, formatZone, issuerRecords, servicePorts } from "../dns-records.ts";
import { makeDomainKeys } from "../domain-keys.ts";
import { isReservedDomain, reservedDomainReason } from "../reserved-domain.ts";
import { stsPolicyId } from "../sts-policy.ts";
import { domainReportsOperation } from "./domain-reports.ts";
import { type AdministrationRooms, administrationOperation } from "./operation.ts";
import { domainField, findOwnDomain, readDomain } from "./own-domain.ts";
import { publishedKeys, rotateKeysOperation } from "./rotate-keys.ts";
import { isoTime, nameField, selectAccount } from "./selectors.ts";

function assertPublic(domain: string): void {
  if (isReservedDomain(domain))
    throw new WaypostError("invalid", `${domain} has no DNS records.`, {
      field: "/name",
      hint: reservedDomainReason,
    });
}

/** A domain with the DNS records that its operator has to publish. */
async function describeDomain({ store, settings }: AdministrationRooms, name: string) {
  const row = await findOwnDomain(store, name);
  const account = (await listAccounts(store)).find((one) => one.account === row.account);
  const keys = publishedKeys(await listDomainKeys(store, name), store.clock.now());
  const { hostname } = settings.server;
  const description = { name, account: account?.name, createdAt: isoTime(row.createdAt) };
  if (isReservedDomain(name)) return { ...description, hint: reservedDomainReason, records: [] };
  const records = dnsRecords(name, hostname, keys, servicePorts(settings), stsPolicyId(settings));
  const isNameless = !hostname.includes(".") || isReservedDomain(hostname);
  if (!isNameless) return { ...description, records };
  return { ...description, hint: `Set server.hostname: other servers cannot find ${hostname}.`, records };
}

/** Adds a domain with keys. A domain that was added without keys gets them now. */
async function addDomain(
  by: Author,
  store: Store,
  name: string,
  accountName: string | undefined,
): Promise<void> {
  const { account } = await selectAccount(store, accountName);
  const at = store.clock.now();
  const keys = isReservedDomain(name) ? [] : await makeDomainKeys(name, at);
  const known = await findDomain(store, name);
  const isWithoutKeys = known?.account === account && (await listDomainKeys(store, name)).length === 0;
  if (isWithoutKeys && keys.length > 0) await store.write(by, "addDomainKeys", { name, keys });
  else await store.write(by, "createDomain", { name, account, keys, at });
}

export const domainOperations = [
  administrationOperation({
    name: "domain.add",
    kind: "domains",
    summary:
      "Take mail for a domain, make the keys that its mail is signed with, and say what to put in the DNS.",
    input: z.strictObject({
      name: domainField,
      account: nameField.optional().describe("Name of the account; not needed while there is one alone."),
    }),
    positional: ["name"],
    async run(rooms, { name, account }, by) {
      const domain = readDomain(name);
      await addDomain(by, rooms.store, domain, account);
      return describeDomain(rooms, domain);
    },
  }),
  administrationOperation({
    name: "domain.show",
    kind: "domains",
    isRead: true,
    summary: "Show a domain and what to put in the DNS for it.",
    input: z.strictObject({ name: domainField }),
    positional: ["name"],
    run: (rooms, { name }) => describeDomain(rooms, readDomain(name)),
  }),
  administrationOperation({
    name: "domain.zone",
    kind: "domains",
    isRead: true,
    summary: "Print what to put in the DNS for a domain as a zone file.",
    input: z.strictObject({ name: domainField }),
    positional: ["name"],
    async run(rooms, { name }) {
      const domain = readDomain(name);
      const { records } = await describeDomain(rooms, domain);
      assertPublic(domain);
      const secure = (await rooms.domainChecks?.listSecureRecords()) ?? [];
      return { zone: formatZone([...records, ...issuerRecords(rooms.settings), ...secure]) };
    },
  }),
  administrationOperation({
    name: "domain.check",
    kind: "domains",
    isRead: true,
    summary:
      "Look up what the world sees of a domain: its DNS records, this host, port 25, the certificate. Ends with 1 when something is wrong.",
    input: z.strictObject({
      name: domainField,
      other: nameField
        .default("gmail.com")
        .describe("A mail domain whose server is tried, to see whether mail can leave; gmail.com."),
    }),
    positional: ["name"],
    isCheck: true,
    async run({ store, domainChecks }, { name, other }) {
      const domain = readDomain(name);
      await findOwnDomain(store, domain);
      assertPublic(domain);
      if (domainChecks === undefined)
        throw new WaypostError("unavailable", "No name servers are asked here.");
      return domainChecks.check(
        domain,
        publishedKeys(await listDomainKeys(store, domain), store.clock.now()),
        readDomain(other),
      );
    },
  }),
  domainReportsOperation,
  rotateKeysOperation,
  administrationOperation({
    name: "domain.list",
    kind: "domains",
    isRead: true,
    summary: "List the domains that mail is taken for.",
    input: z.strictObject({}),
    async run({ store }) {
      const names = new Map((await listAccounts(store)).map((row) => [row.account, row.name]));
      const rows = await listDomains(store);
      return {
        domains: rows.map((row) => ({
          name: row.name,
          account: names.get(row.account),
          createdAt: isoTime(row.createdAt),
        })),
      };
    },
  }),
  administrationOperation({
    name: "domain.delete",
    kind: "domains",
    summary: "Take no more mail for a domain, and forget its keys. It must have no addresses left.",
    input: z.strictObject({ name: domainField }),
    positional: ["name"],
    isDestructive: true,
    async run({ store }, { name }, by) {
      const domain = readDomain(name);
      await store.write(by, "deleteDomain", { name: domain });
      return { name: domain, deleted: true };
    },
  }),
];
