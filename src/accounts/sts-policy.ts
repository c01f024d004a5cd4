/** The MTA-STS policy for the domains of this server (RFC 8461): other servers deliver only to this server, and only with TLS. */
import { createHash } from "node:crypto";
import type { Settings } from "#/config/schema.ts";

const maxAgeSeconds = 7 * 86_400;
const idCharacters = 20;

/** Section 3.2. It is the same for all domains, because all have the same MX. */
export function formatStsPolicy({ server, sts }: Pick<Settings, "server" | "sts">): string {
  const lines = [
    "version: STSv1",
    `mode: ${sts.mode}`,
    ...(sts.mode === "none" ? [] : [`mx: ${server.hostname}`]),
    `max_age: ${maxAgeSeconds}`,
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

/** Section 3.1: another policy has another id. */
export function stsPolicyId(settings: Pick<Settings, "server" | "sts">): string {
  return createHash("sha256").update(formatStsPolicy(settings)).digest("hex").slice(0, idCharacters);
}
