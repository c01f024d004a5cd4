/** SCRAM-SHA-256 and SCRAM-SHA-256-PLUS (RFC 5802, RFC 7677), the latter bound to the TLS connection by `tls-exporter`
 *  (RFC 9266). The password never crosses the line, and the client learns that the server knows it.
 *
 *  A client that has channel binding and believes that the server has none says so (`y`); where the server has it,
 *  somebody took it out of the list in between, and the login fails (RFC 5802 section 6). */
import { randomBytes } from "node:crypto";
import { WaypostError } from "#/src/model/errors.ts";
import type { Gs2Header } from "./gs2-header.ts";
import type { SaslMechanism } from "./mechanism.ts";
import { parseClientFinal, parseClientFirst } from "./scram-message.ts";

const nonceBytes = 18;
const bindingName = "tls-exporter";

export const scramSha256 = scram("SCRAM-SHA-256", false);
export const scramSha256Plus = scram("SCRAM-SHA-256-PLUS", true);

function scram(name: string, needsChannelBinding: boolean): SaslMechanism {
  return {
    name,
    isPlainText: false,
    needsChannelBinding,
    async authenticate(exchange, logins, remoteAddress) {
      const first = parseClientFirst(exchange.initialResponse ?? (await exchange.challenge(Buffer.alloc(0))));
      if (first === undefined) throw refused("The SCRAM message is malformed");
      const { header, user } = first;
      if (header.authorizationId !== "" && header.authorizationId.toLowerCase() !== user.toLowerCase())
        throw refused("Nobody may act as someone else");
      const boundTo = bindingOf(header, needsChannelBinding, exchange.channelBinding);

      const login = await logins.beginScram(user, remoteAddress);
      const nonce = first.nonce + randomBytes(nonceBytes).toString("base64");
      const salt = Buffer.from(login.salt).toString("base64");
      const serverFirst = `r=${nonce},s=${salt},i=${login.iterations}`;
      const final = parseClientFinal(await exchange.challenge(Buffer.from(serverFirst)));
      // A client that gets the nonce or the binding wrong is counted like one with a wrong password.
      const isBound = final?.nonce === nonce && final.channelBinding.equals(boundTo);
      const authMessage = `${first.bare},${serverFirst},${final?.withoutProof ?? ""}`;
      const proof = final !== undefined && isBound ? final.proof : Buffer.alloc(0);
      const { principal, serverSignature } = await login.prove(Buffer.from(authMessage), proof);
      await exchange.challenge(Buffer.from(`v=${serverSignature.toString("base64")}`));
      return principal;
    },
  };
}

/** What the client has to send as its channel binding. */
function bindingOf(header: Gs2Header, isPlus: boolean, channelBinding: Buffer | undefined): Buffer {
  const { binding } = header;
  if (typeof binding === "object") {
    if (!isPlus || binding.name !== bindingName || channelBinding === undefined)
      throw refused("This channel binding is not supported");
    return Buffer.concat([Buffer.from(header.text), channelBinding]);
  }
  if (isPlus) throw refused("SCRAM-SHA-256-PLUS needs channel binding");
  if (binding === "y" && channelBinding !== undefined) throw refused("The server has channel binding");
  return Buffer.from(header.text);
}

function refused(text: string): WaypostError {
  return new WaypostError("unauthorized", text);
}
