/** NOOP and CHECK (RFC 9051 section 6.1.2, RFC 3501 section 6.4.1). Changes are sent, as at the end of every command. CHECK has
 *  nothing to write: every write is durable before its OK. */
import { command, everywhere, noArguments, whenSelected } from "../command.ts";

export const noop = command({
  name: "NOOP",
  states: everywhere,
  forms: ["plain"],
  usesSequence: false,
  source: "RFC 9051 6.1.2",
  parse: noArguments,
  async run() {
    return undefined;
  },
});

export const check = command({
  name: "CHECK",
  states: whenSelected,
  forms: ["plain"],
  usesSequence: false,
  source: "RFC 3501 6.4.1",
  parse: noArguments,
  async run() {
    return undefined;
  },
});
