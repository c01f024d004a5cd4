/** STARTTLS (RFC 9051 section 6.2.1). Commands that the client sent in clear text behind it are discarded (`Connection.startTls`). */
import { command, noArguments } from "../command.ts";
import { bad } from "../errors.ts";

export const starttls = command({
  name: "STARTTLS",
  states: ["unauthenticated"],
  forms: ["plain"],
  usesSequence: false,
  capabilities: (context) => (context.canStartTls ? ["STARTTLS"] : []),
  source: "RFC 9051 6.2.1",
  parse: noArguments,
  async run(session) {
    if (session.connection.isEncrypted) throw bad("The connection is encrypted already");
    return { text: "Begin the TLS handshake" };
  },
  async afterAnswer(session) {
    await session.connection.startTls();
  },
});
