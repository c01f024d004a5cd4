/** UNAUTHENTICATE (RFC 8437): returns to the state before the login. Only TLS stays. */
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
