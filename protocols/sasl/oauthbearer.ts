/** OAUTHBEARER (RFC 7628) with an agent's token as the bearer token.
 *
 *  message = gs2-header %x01 *(key "=" value %x01) %x01, one of the pairs being auth=Bearer token
 *  A token that is refused is told as JSON (section 3.2.2), which the client answers with %x01 before the failure. */
import type { Principal } from "#/src/accounts/accounts.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { parseGs2Header } from "./gs2-header.ts";
import type { SaslMechanism } from "./mechanism.ts";

export interface BearerMessage {
  /** Whose mailbox; empty for that of the token. */
  readonly address: string;
  readonly token: string;
}

const messageBytesMax = 4096;
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** undefined for what is none. */
export function parseBearerMessage(message: Uint8Array): BearerMessage | undefined {
  if (message.byteLength > messageBytesMax) return undefined;
  const text = Buffer.from(message).toString("utf8");
  const header = parseGs2Header(text);
  // There is no channel binding in this mechanism.
  if (header === undefined || typeof header.binding === "object") return undefined;
  const pairs = text.slice(header.text.length).split("\x01");
  if (pairs.length < 3 || pairs[0] !== "" || pairs.at(-1) !== "" || pairs.at(-2) !== "") return undefined;
  const values = pairs.filter((pair) => pair.startsWith("auth=")).map((pair) => pair.slice(5));
  const token = values.length === 1 ? bearer.exec(values[0]!)?.[1] : undefined;
  return token === undefined ? undefined : { address: header.authorizationId, token };
}

export const oauthBearer: SaslMechanism = {
  name: "OAUTHBEARER",
  isPlainText: true,
  async authenticate(exchange, logins, remoteAddress): Promise<Principal> {
    const message = parseBearerMessage(
      exchange.initialResponse ?? (await exchange.challenge(Buffer.alloc(0))),
    );
    if (message === undefined) throw new WaypostError("unauthorized", "The OAUTHBEARER message is malformed");
    try {
      return await logins.authenticateBearer(message.address, message.token, remoteAddress);
    } catch (error) {
      if (isWaypostError(error) && error.code === "unauthorized")
        await exchange.challenge(Buffer.from('{"status":"invalid_token","scope":"mail"}'));
      throw error;
    }
  },
};
