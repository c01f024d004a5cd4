import type { Settings } from "#/config/schema.ts";
import { isReservedDomain } from "#/src/accounts/reserved-domain.ts";
import { asksNobody } from "#/src/evidence/dns.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { EnvelopeRecipient } from "#/storage/submission.ts";

type RouteSettings = Pick<Settings, "outbound" | "dns">;

/** Why mail cannot be sent to other servers, and what the operator can do. */
export interface RouteObstacle {
  readonly message: string;
  readonly hint: string;
}

/** Mail to other servers needs a smarthost; or name servers, and a sender domain that other servers can look up. */
export function findRouteObstacle(
  { outbound, dns }: RouteSettings,
  senderDomain: string,
): RouteObstacle | undefined {
  if (outbound.smarthostHost !== "") return undefined;
  if (asksNobody(dns))
    return {
      message: "No name server is configured to find other servers (dns.servers is none).",
      hint: "The operator can set outbound.smarthost_host, or dns.servers and a real domain (waypost domain add).",
    };
  if (isReservedDomain(senderDomain))
    return {
      message: `${senderDomain} is a domain that other servers cannot look up.`,
      hint: "The operator can add a real domain (waypost domain add) or set outbound.smarthost_host.",
    };
  return undefined;
}

/** Throws `policy_refused` if mail cannot be sent to other servers. */
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
