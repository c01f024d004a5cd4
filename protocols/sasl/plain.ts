/** PLAIN (RFC 4616): message = [authzid] NUL authcid NUL passwd, in UTF-8. */
import { WaypostError } from "#/src/model/errors.ts";
import type { SaslMechanism } from "./mechanism.ts";

export interface PlainCredentials {
  /** Whom to act as; empty for oneself. */
  readonly authorizationId: string;
  readonly authenticationId: string;
  readonly password: string;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** RFC 4616 section 2 allows 255 octets in each field, and ours are shorter. */
const messageBytesMax = 1024;

/** undefined for what is not a PLAIN message. */
function parsePlain(message: Uint8Array): PlainCredentials | undefined {
  if (message.byteLength > messageBytesMax) return undefined;
  let text: string;
  try {
    text = strictUtf8.decode(message);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  const fields = text.split("\x00");
  if (fields.length !== 3 || fields[1] === "" || fields[2] === "") return undefined;
  return { authorizationId: fields[0]!, authenticationId: fields[1]!, password: fields[2]! };
}

export const plain: SaslMechanism = {
  name: "PLAIN",
  isPlainText: true,
  async authenticate(exchange, logins, remoteAddress) {
    const credentials = parsePlain(exchange.initialResponse ?? (await exchange.challenge(Buffer.alloc(0))));
    if (credentials === undefined) throw new WaypostError("unauthorized", "The PLAIN message is malformed");
    const { authorizationId, authenticationId, password } = credentials;
    if (authorizationId !== "" && authorizationId.toLowerCase() !== authenticationId.toLowerCase())
      throw new WaypostError("unauthorized", "Nobody may act as someone else");
    return logins.authenticatePassword(authenticationId, password, remoteAddress);
  },
};
