/** THREAD and UID THREAD (RFC 5256 section 3).
 *  thread = "THREAD" SP thread-alg SP charset 1*(SP search-key); thread-alg = "ORDEREDSUBJECT" / "REFERENCES"
 *  Answer: THREAD [SP 1*thread-list]; thread-list = "(" (thread-members / thread-nested) ")"
 *  thread-members = nz-number *(SP nz-number) [SP thread-nested]; thread-nested = 2*thread-list */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { ThreadAlgorithm } from "#/src/mail/ordering/thread.ts";
import type { ThreadNode } from "#/src/mail/ordering/thread-tree.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import { type Answer, command, whenSelected } from "../command.ts";
import type { Form } from "../command-context.ts";
import { bad } from "../errors.ts";
import { type ImapSearchKey, readSearchKeys } from "../search/grammar.ts";
import { assertKnownCharset, type SearchCharset, searchCharset } from "../search/options.ts";
import { assertWithinLimit, findMessages } from "../search/run.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

interface ThreadArguments {
  readonly algorithm: ThreadAlgorithm;
  readonly key: ImapSearchKey;
  readonly charset: SearchCharset;
}

const algorithms: Readonly<Record<string, ThreadAlgorithm>> = {
  ORDEREDSUBJECT: "orderedSubject",
  REFERENCES: "references",
};

export const thread = command({
  name: "THREAD",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: true,
  capabilities: ["THREAD=ORDEREDSUBJECT", "THREAD=REFERENCES"],
  source: "RFC 5256 3",
  parse(reader): ThreadArguments {
    reader.space();
    const algorithm = algorithms[reader.word()];
    if (algorithm === undefined) throw bad("Unknown threading algorithm");
    reader.space();
    const charset = searchCharset(reader.astring());
    reader.space();
    return { algorithm, key: readSearchKeys(reader, charset), charset };
  },
  run: runThread,
});

async function runThread(
  session: Session,
  { algorithm, key, charset }: ThreadArguments,
  out: ResponseWriter,
  form: Form,
): Promise<Answer | undefined> {
  const { selected } = session;
  const { agent, number } = selected.mailbox;
  assertKnownCharset(charset);
  const found = await findMessages(session, key);
  assertWithinLimit(session, found);
  const { uids } = found;
  const { mail } = session.rooms;
  const threads = await mail.threadMessages(agent, number, numberSetOf(uids), algorithm);
  out.text("* THREAD");
  if (threads.length > 0) out.text(" ");
  const turns = new LoopTurns();
  for (const piece of formatThreads(threads, (uid) => (form === "uid" ? uid : selected.view.seqOf(uid)!))) {
    out.text(piece);
    await out.flushIfLarge();
    if (turns.isDue) await turns.turn();
  }
  out.line("");
  return undefined;
}

/** The text of thread lists, in pieces. Uses its own stack, since the depth of a thread has no bound. */
export function* formatThreads(
  threads: readonly ThreadNode[],
  numberOf: (uid: number) => number,
): Generator<string> {
  const open: (ThreadNode | ")")[] = threads.toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === ")") {
      yield next;
      continue;
    }
    yield "(";
    open.push(")");
    let node: ThreadNode = next;
    for (let isFirst = true; ; isFirst = false) {
      const { uid, children } = node;
      if (uid !== undefined) yield isFirst ? `${numberOf(uid)}` : ` ${numberOf(uid)}`;
      if (children.length > 1) {
        if (uid !== undefined) yield " ";
        for (let at = children.length - 1; at >= 0; at--) open.push(children[at]!);
      }
      if (children.length !== 1) break;
      node = children[0]!;
    }
  }
}
