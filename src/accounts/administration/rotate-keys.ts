/** New DKIM keys for a domain, in two steps with the DNS between them, so that no mail leaves with a signature that nobody can
 *  verify: keys are made and published, then mail is signed with them. The former keys stay published until the mail that they signed
 *  has arrived. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { listDomainKeys } from "#/storage/queries/accounts/domain-keys.ts";
import type { DomainKeyRow } from "#/storage/rows.ts";
import { dkimRecords } from "../dns-records.ts";
import { makeDomainKeys } from "../domain-keys.ts";
import { type AdministrationRooms, administrationOperation } from "./operation.ts";
import { domainField, findOwnDomain, readDomain } from "./own-domain.ts";
import { isoTime } from "./selectors.ts";

/** Mail is tried for five days (RFC 5321 section 4.5.4.1), and its signature is verified when it arrives. */
const retirementMs = 7 * 86_400_000;

/** The keys that the DNS should have. */
export function publishedKeys(keys: readonly DomainKeyRow[], now: number): DomainKeyRow[] {
  return keys.filter(({ retiredAt }) => retiredAt === null || now - retiredAt <= retirementMs);
}

export const rotateKeysOperation = administrationOperation({
  name: "domain.rotate-keys",
  kind: "domains",
  summary:
    "Give a domain new DKIM keys. The first call makes them and says what to put in the DNS; the next one, when it is there, signs with them.",
  input: z.strictObject({
    name: domainField,
    unchecked: z.stringbool().default(false).describe("true: do not look whether the DNS has the new keys."),
  }),
  positional: ["name"],
  async run(rooms, { name, unchecked }, by) {
    const { store } = rooms;
    const domain = readDomain(name);
    await findOwnDomain(store, domain);
    const keys = await listDomainKeys(store, domain);
    if (keys.length === 0)
      throw new WaypostError("precondition_failed", `${domain} has no keys.`, {
        hint: `waypost domain add ${domain} makes them.`,
      });
    const at = store.clock.now();
    const next = keys.filter(({ state }) => state === "next");
    if (next.length === 0) {
      const made = await makeDomainKeys(domain, at, keys);
      await store.write(by, "addDomainKeys", { name: domain, keys: made, state: "next" });
      return describe(domain, "published_next", await listDomainKeys(store, domain));
    }
    if (!unchecked) await assertPublished(rooms, domain, next);
    await store.write(by, "switchDomainKeys", { name: domain, forgetBefore: at - retirementMs, at });
    return describe(domain, "signing", await listDomainKeys(store, domain));
  },
});

async function assertPublished(
  { domainChecks }: AdministrationRooms,
  domain: string,
  keys: readonly DomainKeyRow[],
): Promise<void> {
  if (domainChecks === undefined) throw new WaypostError("unavailable", "No name servers are asked here.");
  const missing = await domainChecks.findUnpublished(domain, keys);
  if (missing.length > 0)
    throw new WaypostError("precondition_failed", `The DNS does not have ${missing.join(" and ")} yet.`, {
      hint: "Add what waypost domain zone prints, wait until it is there, and call it again.",
    });
}

function describe(domain: string, step: "published_next" | "signing", keys: readonly DomainKeyRow[]) {
  return {
    name: domain,
    step,
    hint:
      step === "published_next"
        ? "Add the records of the next keys to the DNS, then call it again: mail is signed with the former keys until then."
        : "Mail is signed with the new keys within a minute. Leave the retired ones in the DNS until the time beside them.",
    keys: keys.map(({ selector, algorithm, state, retiredAt }) => ({
      selector,
      algorithm,
      state,
      removeAfter: retiredAt === null ? null : isoTime(retiredAt + retirementMs),
    })),
    records: dkimRecords(domain, step === "published_next" ? keys.filter((key) => key.state === "next") : []),
  };
}
