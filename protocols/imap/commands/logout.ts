/** LOGOUT (RFC 9051 section 6.1.3). */
import { command, everywhere, noArguments } from "../command.ts";

export const logout = command({
  name: "LOGOUT",
  states: everywhere,
  forms: ["plain"],
  usesSequence: false,
  source: "RFC 9051 6.1.3",
  parse: noArguments,
  async run(session, _args, out) {
    await session.unselect();
    session.endLogin();
    out.line("* BYE Until next time");
    return undefined;
  },
});
