/** SELECT and EXAMINE (RFC 9051 sections 6.3.2 and 6.3.3, RFC 7162 section 3.1.8, RFC 8474 section 4.2).
 *  select = "SELECT" SP mailbox [SP "(" select-param *(SP select-param) ")"]
 *  select-param = "CONDSTORE" / "QRESYNC" SP …, see `resynchronise/qresync.ts` */

import { seenFlag } from "#/src/model/flags.ts";
import { afterLogin, command } from "../command.ts";
import type { ParseContext } from "../command-context.ts";
import { bad } from "../errors.ts";
import { type GivenName, listLine, readGivenName } from "../mailboxes/given-name.ts";
import { type Resynchronisation, readResynchronisation, resynchronise } from "../resynchronise/qresync.ts";
import type { SelectedMailbox } from "../session/selected-mailbox.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import type { WireReader } from "../wire/wire-reader.ts";

interface SelectArguments extends GivenName {
  readonly hasCondstore: boolean;
  readonly known: Resynchronisation | undefined;
}

function selectCommand<const Name extends "SELECT" | "EXAMINE">(name: Name, isReadOnly: boolean) {
  return command({
    name,
    states: afterLogin,
    forms: ["plain"],
    usesSequence: false,
    isPicture: true,
    capabilities: name === "SELECT" ? ["QRESYNC"] : [],
    source: name === "SELECT" ? "RFC 9051 6.3.2, RFC 7162 3.1.8, 3.2.5" : "RFC 9051 6.3.3",
    parse: parseSelect,
    async run(session, args, out) {
      if (args.known !== undefined) assertMayResynchronise(session, args.known);
      // The mailbox selected before is left even if the new one cannot be selected (RFC 9051 section 6.3.2).
      if (await session.unselect()) out.line("* OK [CLOSED] The mailbox before is closed");
      if (args.hasCondstore) session.enable("CONDSTORE");
      const mailbox = await session.findMailbox(args.name);
      const selected = await session.select(mailbox, isReadOnly);
      await writeState(session, selected, args.given, out);
      if (args.known !== undefined) await resynchronise(session, selected, args.known, out);
      return { code: selected.isReadOnly ? "READ-ONLY" : "READ-WRITE" };
    },
  });
}

export const select = selectCommand("SELECT", false);
export const examine = selectCommand("EXAMINE", true);

function parseSelect(reader: WireReader, context: ParseContext): SelectArguments {
  reader.space();
  const name = readGivenName(reader, context.names);
  let hasCondstore = false;
  let known: Resynchronisation | undefined;
  if (reader.trySpace())
    reader.list(
      () => {
        const parameter = reader.word();
        if (parameter === "CONDSTORE") hasCondstore = true;
        else if (parameter === "QRESYNC" && known === undefined) known = readResynchronisation(reader);
        else throw bad("Unknown parameter of SELECT");
      },
      { max: 10 },
    );
  return { ...name, hasCondstore, known };
}

/** The conditions for QRESYNC (RFC 7162 section 3.2.5, RFC 9586 section 3.5). */
function assertMayResynchronise(session: Session, known: Resynchronisation): void {
  if (!session.isEnabled("QRESYNC")) throw bad("ENABLE QRESYNC first");
  if (known.matchData !== undefined && session.isEnabled("UIDONLY"))
    throw bad("Only UIDs are in use", "UIDREQUIRED");
}

async function writeState(
  session: Session,
  selected: SelectedMailbox,
  given: string | undefined,
  out: ResponseWriter,
): Promise<void> {
  const { mailbox, view } = selected;
  const isRev2 = session.isEnabled("IMAP4REV2");
  selected.writeFlagsResponses(out);
  out.line(`* ${view.count} EXISTS`);
  if (!isRev2) {
    out.line(`* ${selected.recentCount} RECENT`);
    const unseen = selected.isUidOnly ? undefined : await firstUnseen(session, selected);
    if (unseen !== undefined) out.line(`* OK [UNSEEN ${unseen}] First message that is not seen`);
  }
  out.line(`* OK [UIDVALIDITY ${mailbox.uidValidity}] UIDs valid`);
  out.line(`* OK [UIDNEXT ${mailbox.uidNext}] Next UID`);
  out.line(`* OK [HIGHESTMODSEQ ${mailbox.highestModseq}] Highest MODSEQ`);
  out.line(`* OK [MAILBOXID (${mailbox.id})] Mailbox id`);
  // RFC 9051 section 6.3.2 wants a LIST response with the name; IMAP4rev1 has no LIST response to SELECT.
  if (isRev2) out.line(listLine(session, { name: mailbox.name, given }));
}

/** UNSEEN of IMAP4rev1. Searches only if the mailbox's counter of unseen messages is not 0. */
async function firstUnseen(session: Session, selected: SelectedMailbox): Promise<number | undefined> {
  const { mailbox, view } = selected;
  if (mailbox.unseenCount === 0 || view.count === 0) return undefined;
  const { mail } = session.rooms;
  const unseen = { mask: seenFlag, value: 0 };
  const uid = await mail.findFlaggedUid(mailbox.agent, mailbox.number, [[1, view.highestUid]], unseen);
  return uid === undefined ? undefined : view.seqOf(uid);
}
