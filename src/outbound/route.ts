import type { Settings } from "#/config/schema.ts";
import { isReservedDomain } from "#/src/accounts/reserved-domain.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { EnvelopeRecipient } from "#/storage/submission.ts";

/** Mail to others leaves through a smarthost, or from a domain that they can know. */
export function hasRoute(outbound: Settings["outbound"], senderDomain: string): boolean {
  return outbound.smarthostHost !== "" || !isReservedDomain(senderDomain);
}

/** Throws `policy_refused` where there is none. */
export function assertRoute(
  { outbound }: Pick<Settings, "outbound">,
  senderDomain: string,
  recipients: readonly Pick<EnvelopeRecipient, "domain">[],
): void {
  if (hasRoute(outbound, senderDomain)) return;
  if (recipients.every(({ domain }) => domain === "")) return;
  throw new WaypostError("policy_refused", `${senderDomain} is a domain that other servers cannot know.`, {
    reason: "relay_refused",
    hint: "The operator can add a real domain (waypost domain add) or set outbound.smarthost_host.",
  });
}
