/** CREATE (RFC 9051 section 6.3.4, RFC 6154 section 3 CREATE-SPECIAL-USE, RFC 8474 section 4.1). Missing levels above are
 *  created too. A special use is taken from the mailbox that has it if that mailbox is empty: NO [USEATTR] otherwise.
 *  create = "CREATE" SP mailbox [SP "(" "USE" SP "(" [use-attr *(SP use-attr)] ")" ")"] */
import { type MailboxRole, roleOfAttribute } from "#/src/model/roles.ts";
import { afterLogin, command } from "../command.ts";
import { bad, no } from "../errors.ts";
import { readGivenName, tellGivenName } from "../mailboxes/given-name.ts";
import { newMailboxName } from "../mailboxes/mailbox-name.ts";
import type { WireReader } from "../wire/wire-reader.ts";

export const create = command({
  name: "CREATE",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  isWrite: true,
  putsMail: false,
  capabilities: ["OBJECTID", "CREATE-SPECIAL-USE"],
  source: "RFC 9051 6.3.4, RFC 6154, RFC 8474",
  parse(reader, context) {
    reader.space();
    const name = readGivenName(reader, context.names);
    return { ...name, uses: reader.trySpace() ? readUses(reader) : [] };
  },
  async run(session, { name, given, uses }, out) {
    const plain = newMailboxName(name);
    const place = await session.access.place(plain);
    const mailbox = await session.rooms.mail.createMailbox(
      session.principal.author,
      place.agent,
      place.name,
      roleOf(uses),
    );
    tellGivenName(session, { name: plain, given }, out);
    return { code: `MAILBOXID (${mailbox.id})` };
  },
});

function readUses(reader: WireReader): string[] {
  const [uses] = reader.list(
    () => {
      if (reader.word() !== "USE") throw bad("Unknown parameter of CREATE");
      reader.space();
      return reader.list(
        () => {
          reader.character("\\");
          return reader.atom();
        },
        { max: 10, allowEmpty: true },
      );
    },
    { max: 1 },
  );
  return uses!;
}

/** The role for a special use. A mailbox has at most one; \All and \Flagged, for which there is no role, are refused. */
function roleOf(uses: readonly string[]): MailboxRole | undefined {
  if (uses.length === 0) return undefined;
  const role = roleOfAttribute.get(`\\${uses[0]}`.toLowerCase());
  if (uses.length > 1 || role === undefined) throw no("USEATTR", "No mailbox can have this use");
  return role;
}
