/** MYRIGHTS, GETACL, LISTRIGHTS, SETACL and DELETEACL (RFC 4314 section 3). Rights follow from the operator's grants: clients can
 *  read them and cannot change them. Nobody has the right `a`, so GETACL and LISTRIGHTS are for the owner.
 *
 *  myrights = "MYRIGHTS" SP mailbox        getacl = "GETACL" SP mailbox        listrights = "LISTRIGHTS" SP mailbox SP identifier
 *  setacl = "SETACL" SP mailbox SP identifier SP mod-rights        deleteacl = "DELETEACL" SP mailbox SP identifier */
import { afterLogin, command } from "../command.ts";
import type { ParseContext } from "../command-context.ts";
import { no } from "../errors.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import { rightsText } from "../mailboxes/rights-text.ts";
import type { Session } from "../session/session.ts";
import { identifierText } from "../wire/strings.ts";
import { decodeUtf8, type WireReader } from "../wire/wire-reader.ts";

interface AclArguments {
  readonly name: string;
  readonly identifier: string;
}

function readName(reader: WireReader, context: ParseContext): string {
  reader.space();
  return decodeMailboxName(reader.astring(), context.names);
}

function readNameAndIdentifier(reader: WireReader, context: ParseContext): AclArguments {
  const name = readName(reader, context);
  reader.space();
  return { name, identifier: decodeUtf8(reader.astring()) };
}

const facts = { states: afterLogin, forms: ["plain"], usesSequence: false } as const;

export const myRights = command({
  ...facts,
  name: "MYRIGHTS",
  capabilities: ["ACL", "RIGHTS=texk"],
  source: "RFC 4314 3.5",
  parse: readName,
  async run(session, name, out) {
    const { rights } = await session.findMailbox(name, "l");
    out.line(`* MYRIGHTS ${session.writeName(name)} ${rightsText(rights)}`);
    return undefined;
  },
});

export const getAcl = command({
  ...facts,
  name: "GETACL",
  source: "RFC 4314 3.3",
  parse: readName,
  async run(session, name, out) {
    const holders = await session.access.listHolders(await session.findMailbox(name, "l"));
    const pairs = holders.map(({ address, rights }) => `${identifierText(address)} ${rightsText(rights)}`);
    out.line(["* ACL", session.writeName(name), ...pairs].join(" "));
    return undefined;
  },
});

export const listRights = command({
  ...facts,
  name: "LISTRIGHTS",
  source: "RFC 4314 3.4",
  parse: readNameAndIdentifier,
  async run(session, { name, identifier }, out) {
    const mailbox = await session.findMailbox(name, "l");
    const { always, optional } = await session.access.listGrantable(mailbox, identifier);
    const required = always.size === 0 ? '""' : rightsText(always);
    // Each right is named once in the answer (section 3.4).
    const groups: string[] = [];
    for (const rights of optional) {
      const told = groups.join("");
      groups.push([...rightsText(rights)].filter((letter) => !told.includes(letter)).join(""));
    }
    out.line(
      ["* LISTRIGHTS", session.writeName(name), identifierText(identifier), required, ...groups].join(" "),
    );
    return undefined;
  },
});

function refusedCommand<const Name extends "SETACL" | "DELETEACL">(name: Name) {
  return command({
    ...facts,
    name,
    source: name === "SETACL" ? "RFC 4314 3.1" : "RFC 4314 3.2",
    parse(reader, context) {
      const args = readNameAndIdentifier(reader, context);
      if (name === "SETACL") {
        reader.space();
        reader.astring();
      }
      return args;
    },
    run: refuse,
  });
}

async function refuse(session: Session, { name }: AclArguments): Promise<undefined> {
  await session.findMailbox(name, "l");
  throw no("NOPERM", "Only the operator gives rights: waypost grant create, waypost grant revoke");
}

export const setAcl = refusedCommand("SETACL");
export const deleteAcl = refusedCommand("DELETEACL");
