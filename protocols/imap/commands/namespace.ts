/** NAMESPACE (RFC 9051 section 6.3.10, RFC 2342): everything is personal. */
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import { afterLogin, command, noArguments } from "../command.ts";

export const namespace = command({
  name: "NAMESPACE",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["NAMESPACE"],
  source: "RFC 9051 6.3.10, RFC 2342",
  parse: noArguments,
  async run(_session, _args, out) {
    out.line(`* NAMESPACE (("" "${hierarchyDelimiter}")) NIL NIL`);
    return undefined;
  },
});
