import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { EnvelopeRecipient } from "#/storage/submission.ts";

/** Domains that no server of the world knows (RFC 2606, RFC 6761): mail from them is undeliverable, and unanswerable. */
const reserved = /(?:^|\.)(?:test|example|invalid|localhost|local|example\.(?:com|net|org))$/;

/** Mail to others leaves through a smarthost, or from a domain that they can know. Throws `policy_refused`. */
export function assertRoute(
  { outbound }: Pick<Settings, "outbound">,
  senderDomain: string,
  recipients: readonly EnvelopeRecipient[],
): void {
  if (outbound.smarthostHost !== "" || !reserved.test(senderDomain)) return;
  if (recipients.every(({ domain }) => domain === "")) return;
  throw new WaypostError("policy_refused", `${senderDomain} is a domain that other servers cannot know.`, {
    reason: "relay_refused",
    hint: "The operator can create a real domain (waypost domain create) or set outbound.smarthost_host.",
  });
}
