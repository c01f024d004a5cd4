/** STORE and UID STORE (RFC 9051 section 6.4.6, RFC 7162 section 3.1.3).
 *  store = "STORE" SP sequence-set SP ["(" "UNCHANGEDSINCE" SP mod-sequence-valzer ")" SP]
 *          ["+" / "-"] "FLAGS" [".SILENT"] SP (flag-list / flag *(SP flag))
 *  Names the messages that are not changed because their MODSEQ is above UNCHANGEDSINCE: OK [MODIFIED set]. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { formatNumberSet, hasNumber, type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { type Answer, command, whenSelected } from "../command.ts";
import type { Form } from "../command-context.ts";
import { bad, no } from "../errors.ts";
import { limitedAnswer, limitMessages } from "../session/message-limit.ts";
import { goneAnswer, namedMessages } from "../session/named-messages.ts";
import { flagFacets } from "../session/selected-mailbox.ts";
import type { Session } from "../session/session.ts";
import { type NamedFlags, readFlags } from "../wire/flags.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { readSequenceSet, type SequenceSet } from "../wire/sequence-set.ts";
import type { WireReader } from "../wire/wire-reader.ts";

interface StoreArguments {
  readonly set: SequenceSet;
  readonly mode: "add" | "remove" | "replace";
  readonly isSilent: boolean;
  readonly flags: NamedFlags;
  readonly unchangedSince: number | undefined;
}

export const store = command({
  name: "STORE",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: true,
  isWrite: true,
  putsMail: false,
  capabilities: ({ messageLimit }) => [`MESSAGELIMIT=${messageLimit}`],
  source: "RFC 9051 6.4.6, RFC 7162, RFC 9738",
  parse(reader): StoreArguments {
    reader.space();
    const set = readSequenceSet(reader);
    reader.space();
    const unchangedSince = reader.peek() === "(" ? readUnchangedSince(reader) : undefined;
    const [, sign, silent] = /^([+-]?)FLAGS(\.SILENT)?$/.exec(reader.word()) ?? [];
    if (sign === undefined) throw bad("Expected FLAGS, +FLAGS or -FLAGS");
    reader.space();
    return {
      set,
      mode: sign === "+" ? "add" : sign === "-" ? "remove" : "replace",
      isSilent: silent !== undefined,
      flags: readFlags(reader),
      unchangedSince,
    };
  },
  run: runStore,
});

function readUnchangedSince(reader: WireReader): number {
  const [since] = reader.list(
    () => {
      if (reader.word() !== "UNCHANGEDSINCE") throw bad("Unknown modifier of STORE");
      reader.space();
      return reader.number64();
    },
    { max: 1 },
  );
  reader.space();
  return since!;
}

async function runStore(
  session: Session,
  args: StoreArguments,
  out: ResponseWriter,
  form: Form,
): Promise<Answer | undefined> {
  const { selected } = session;
  if (selected.isReadOnly) throw no("READ-ONLY", "The mailbox is selected for reading");
  if (args.unchangedSince !== undefined) session.enable("CONDSTORE");
  const { messageLimit } = session;
  const named = namedMessages(selected, args.set, form);
  const { uids, lowest } = limitMessages(named.uids, messageLimit);
  const { agent, number, actor } = selected.mailbox;
  const change = {
    uids,
    mode: args.mode,
    flags: args.flags.mask,
    keywords: args.flags.keywords,
    ...(args.unchangedSince === undefined ? {} : { unchangedSince: args.unchangedSince as Modseq }),
  };
  const { pieces, failed } = await session.rooms.mail.storeFlags(actor, agent, number, change);
  for (const { modseq, changed } of pieces) if (changed.length > 0) selected.own(modseq);

  const hasCondstore = session.isEnabled("CONDSTORE");
  if (!args.isSilent) await answerFlags(session, without(uids, failed), out, form);
  // The client needs the new MODSEQ of messages changed with .SILENT too (RFC 7162 section 3.1.3).
  else if (hasCondstore)
    for (const { modseq, changed } of pieces) await writeModseqs(session, changed, modseq, out);

  if (failed.length > 0) {
    const { view } = selected;
    const set = form === "uid" ? failed : numberSetOf(view.knownUids(failed).map((uid) => view.seqOf(uid)!));
    const text = "Some messages have changed since";
    return limitedAnswer({ code: `MODIFIED ${formatNumberSet(set)}`, text }, lowest, messageLimit, out);
  }
  const answer = named.hasExpunged ? goneAnswer : undefined;
  return limitedAnswer(answer, lowest, messageLimit, out);
}

async function answerFlags(
  session: Session,
  uids: NumberSet,
  out: ResponseWriter,
  form: Form,
): Promise<void> {
  const { selected } = session;
  const hasCondstore = session.isEnabled("CONDSTORE");
  await selected.tellKeywords(out);
  const turns = new LoopTurns();
  const { agent, number } = selected.mailbox;
  for await (const page of session.rooms.mail.shownPages(agent, number, uids, flagFacets(hasCondstore)))
    for (const entry of page) {
      out.line(selected.flagsResponse(entry, { hasUid: form === "uid" || hasCondstore, hasCondstore }));
      if (out.isLarge) await out.flush();
      if (turns.isDue) await turns.turn();
    }
}

async function writeModseqs(
  session: Session,
  changed: NumberSet,
  modseq: Modseq,
  out: ResponseWriter,
): Promise<void> {
  const { selected } = session;
  const turns = new LoopTurns();
  for (const uid of selected.view.knownUids(changed)) {
    const name = selected.isUidOnly ? "" : `UID ${uid} `;
    out.line(`${selected.responseNumber(uid)}${selected.responseName}${name}MODSEQ (${modseq}))`);
    await out.flushIfLarge();
    await turns.turn();
  }
}

function without(uids: NumberSet, failed: NumberSet): NumberSet {
  if (failed.length === 0) return uids;
  const left: number[] = [];
  for (const [first, last] of uids)
    for (let uid = first; uid <= last; uid++) if (!hasNumber(failed, uid)) left.push(uid);
  return numberSetOf(left);
}
