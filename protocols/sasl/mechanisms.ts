/** The mechanisms that are offered, the best first. */
import type { SaslMechanism } from "./mechanism.ts";
import { oauthBearer } from "./oauthbearer.ts";
import { plain } from "./plain.ts";
import { scramSha256, scramSha256Plus } from "./scram.ts";

export const mechanisms: readonly SaslMechanism[] = [scramSha256Plus, scramSha256, oauthBearer, plain];

/** Whether a mechanism may be used on a connection. */
export function isOffered(
  mechanism: SaslMechanism,
  line: { readonly mayUsePlainText: boolean; readonly hasChannelBinding: boolean },
): boolean {
  if (mechanism.needsChannelBinding && !line.hasChannelBinding) return false;
  return line.mayUsePlainText || !mechanism.isPlainText;
}
