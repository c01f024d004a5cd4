/** CAPABILITY (RFC 9051 section 6.1.1). */
import { command, everywhere, noArguments } from "../command.ts";

export const capability = command({
  name: "CAPABILITY",
  states: everywhere,
  forms: ["plain"],
  usesSequence: false,
  // LITERAL+ includes what LITERAL- allows, and only one of them may be announced (RFC 7888 section 5).
  capabilities: ["IMAP4rev1", "IMAP4rev2", "LITERAL+"],
  source: "RFC 9051 6.1.1, RFC 7888",
  parse: noArguments,
  async run(session, _args, out) {
    out.line(`* CAPABILITY ${session.capabilities().join(" ")}`);
    return undefined;
  },
});
