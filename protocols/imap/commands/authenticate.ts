/** AUTHENTICATE (RFC 9051 section 6.2.2, with the initial response of RFC 4959).
 *  authenticate = "AUTHENTICATE" SP auth-type [SP initial-resp] *(CRLF base64)      initial-resp = base64 / "=" */

import { isOffered, mechanisms } from "#/protocols/sasl/mechanisms.ts";
import { command } from "../command.ts";
import { bad, no } from "../errors.ts";
import { greetingCommandBytesMax } from "../limits.ts";
import type { WireReader } from "../wire/wire-reader.ts";

export const authenticate = command({
  name: "AUTHENTICATE",
  states: ["unauthenticated"],
  forms: ["plain"],
  usesSequence: false,
  waitsForClient: true,
  capabilities: (context) => [
    "SASL-IR",
    ...mechanisms
      .filter((mechanism) => isOffered(mechanism, context))
      .map((mechanism) => `AUTH=${mechanism.name}`),
  ],
  source: "RFC 9051 6.2.2, RFC 4959, 4616, 5802, 7628, 7677",
  parse(reader: WireReader) {
    reader.space();
    const name = reader.word();
    // The characters of base64, "=", "+" and "/" too, are all allowed in an atom.
    const initial = reader.trySpace() ? reader.atom() : undefined;
    return {
      name,
      initialResponse: initial === undefined ? undefined : decodeBase64(initial === "=" ? "" : initial),
    };
  },
  async run(session, { name, initialResponse }, out) {
    const mechanism = mechanisms.find((one) => one.name === name);
    if (mechanism === undefined) throw no("CANNOT", "No such mechanism");
    if (mechanism.isPlainText && !session.mayUsePlainText) throw no("PRIVACYREQUIRED", "Use STARTTLS first");
    const { connection } = session;
    const { channelBinding } = connection;
    if (mechanism.needsChannelBinding && channelBinding === undefined)
      throw no("CANNOT", "Channel binding is not possible on this connection");
    const exchange = {
      initialResponse,
      channelBinding,
      async challenge(data: Buffer): Promise<Buffer> {
        out.line(`+ ${data.toString("base64")}`);
        await out.flush();
        const line = await connection.readLine(greetingCommandBytesMax);
        if (line === "*") throw bad("Authentication was cancelled");
        return decodeBase64(line);
      },
    };
    await session.logIn(() => mechanism.authenticate(exchange, session.logins, connection.remoteAddress));
    return {
      code: `CAPABILITY ${session.capabilities().join(" ")}`,
      text: "Logged in",
    };
  },
});

function decodeBase64(text: string): Buffer {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw bad("Malformed base64");
  return Buffer.from(text, "base64");
}
