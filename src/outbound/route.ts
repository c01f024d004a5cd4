import type { Settings } from "#/config/schema.ts";
import { isReservedDomain } from "#/src/accounts/reserved-domain.ts";
import { asksNobody } from "#/src/evidence/dns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { EnvelopeRecipient } from "#/storage/submission.ts";

type RouteSettings = Pick<Settings, "outbound" | "dns">;

/** Why there is no way to other servers, and what would make one. */
export interface RouteObstacle {
  readonly message: string;
  readonly hint: string;
}

/** Mail to others leaves through a smarthost; or, with a name server to ask where, from a domain that they can know. */
export function findRouteObstacle(
  { outbound, dns }: RouteSettings,
  senderDomain: string,
): RouteObstacle | undefined {
  if (outbound.smarthostHost !== "") return undefined;
  if (asksNobody(dns))
    return {
      message: "No name server is asked where other servers are (dns.servers is none).",
      hint: "The operator can set outbound.smarthost_host, or dns.servers and a real domain (waypost domain add).",
    };
  if (isReservedDomain(senderDomain))
    return {
      message: `${senderDomain} is a domain that other servers cannot know.`,
      hint: "The operator can add a real domain (waypost domain add) or set outbound.smarthost_host.",
    };
  return undefined;
}

/** Throws `policy_refused` where there is none. */
export function assertRoute(
  settings: RouteSettings,
  senderDomain: string,
  recipients: readonly Pick<EnvelopeRecipient, "domain">[],
): void {
  if (recipients.every(({ domain }) => domain === "")) return;
  const obstacle = findRouteObstacle(settings, senderDomain);
  if (obstacle === undefined) return;
  throw new WaypostError("policy_refused", obstacle.message, {
    reason: "relay_refused",
    hint: obstacle.hint,
  });
}
