/** NAMESPACE (RFC 9051 section 6.3.10, RFC 2342): the prefixes of the user's own mailboxes and of those that others share. */

import { otherUsersPrefix } from "#/src/accounts/other-users.ts";
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
    const [own, others] = ["", otherUsersPrefix].map((prefix) => `(("${prefix}" "${hierarchyDelimiter}"))`);
    out.line(`* NAMESPACE ${own} ${others} NIL`);
    return undefined;
  },
});
