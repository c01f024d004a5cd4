/** UNAUTHENTICATE (RFC 8437): back to before the login, with nothing left of it but TLS. */
import { afterLogin, command, noArguments } from "../command.ts";

export const unauthenticate = command({
  name: "UNAUTHENTICATE",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["UNAUTHENTICATE"],
  source: "RFC 8437",
  parse: noArguments,
  async run(session) {
    await session.unauthenticate();
    return undefined;
  },
  async afterAnswer(session) {
    await session.connection.stopCompression();
  },
});
