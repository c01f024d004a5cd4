/** The policy about TLS that this server has for its own domains (RFC 8461): other servers bring their mail to it encrypted, and to it
 *  alone. */
import { createHash } from "node:crypto";
import type { Settings } from "#/config/schema.ts";

const maxAgeSeconds = 7 * 86_400;
const idCharacters = 20;

/** Section 3.2. The same for all domains, as all have the same MX. */
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
