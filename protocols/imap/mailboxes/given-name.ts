/** Names that a client gave in another form than the stored one (RFC 9051 sections 5.1 and 6.3.9.7): not in NFC, or INBOX in
 *  small letters. An IMAP4rev2 client gets both: SELECT, EXAMINE, CREATE, RENAME and DELETE answer LIST with OLDNAME. IMAP4rev1 does
 *  not have OLDNAME. */
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import type { WireReader } from "../wire/wire-reader.ts";
import { decodeGivenName, decodeMailboxName, type NameMode } from "./mailbox-name.ts";

export interface GivenName {
  readonly name: string;
  /** undefined where it is the same as the stored name. */
  readonly given: string | undefined;
}

export function readGivenName(reader: WireReader, mode: NameMode): GivenName {
  const octets = reader.astring();
  const name = decodeMailboxName(octets, mode);
  const given = decodeGivenName(octets, mode);
  return { name, given: given === name ? undefined : given };
}

/** Writes LIST with OLDNAME if the client gave another form of the name. */
export function tellGivenName(
  session: Session,
  { name, given }: GivenName,
  out: ResponseWriter,
  attributes = "",
): void {
  if (given === undefined || !session.isEnabled("IMAP4REV2")) return;
  out.line(listLine(session, { name, given }, attributes));
}

export function listLine(session: Session, { name, given }: GivenName, attributes = ""): string {
  const oldName = given === undefined ? "" : ` ("OLDNAME" (${session.writeName(given)}))`;
  return `* LIST (${attributes}) "${hierarchyDelimiter}" ${session.writeName(name)}${oldName}`;
}
