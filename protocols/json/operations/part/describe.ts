/** part.describe: renders one object or a part of it. The identifier's prefix gives the kind of object; `message_…#1.2` names a part
 *  in one string. A rendering that is cut gives a cursor, which is bound to object, part, render and version. */
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { instanceName } from "../../collections/instance-name.ts";
import { describeAgent } from "../../describe/agent.ts";
import { describeBlob } from "../../describe/blob.ts";
import { describeCollection } from "../../describe/collection.ts";
import { describeContact } from "../../describe/contact.ts";
import { describeDraft } from "../../describe/draft.ts";
import { describeEvent } from "../../describe/event.ts";
import { describeFolder } from "../../describe/folder.ts";
import { describeHold } from "../../describe/hold.ts";
import { describeMessage } from "../../describe/message.ts";
import { assertUnplaced } from "../../describe/page.ts";
import { type PartRequest, partRequest } from "../../describe/part-request.ts";
import { describeThread } from "../../describe/thread.ts";
import { readId } from "../../identifiers.ts";
import { type OperationContext, operation } from "../../operation.ts";
import { type ReadResult, readResult } from "../../schemas.ts";

type Describe = (context: OperationContext, name: ObjectName, request: PartRequest) => Promise<ReadResult>;

const describeByKind = {
  agent: describeAgent,
  message: describeMessage,
  thread: describeThread,
  folder: describeFolder,
  blob: describeBlob,
  draft: describeDraft,
  hold: describeHold,
  calendar: describeCollection("calendar"),
  event: describeEvent,
  addressbook: describeCollection("addressbook"),
  contact: describeContact,
} as const satisfies Record<ObjectName["kind"], Describe>;
type DescribedKind = keyof typeof describeByKind;

/** Kinds whose identifiers may have a part after #. Drafts and holds are messages; for collections and their items the part names an
 *  item, an instance or a linked text. */
const kindsWithParts = ["message", "draft", "hold", "calendar", "event", "addressbook", "contact"] as const;

const kindsOfMail: ReadonlySet<DescribedKind> = new Set(["message", "draft", "hold"]);

/** Kinds of which a page can be placed. */
const kindsWithText = ["message", "draft", "hold", "event", "contact", "blob"] as const;

/** Whether a collection stands before one of its items. */
function isItemOf(kind: DescribedKind, part: string | undefined, { uid, contact }: PartRequest): boolean {
  return (
    (kind === "calendar" || kind === "addressbook") && [part, uid, contact].some((one) => one !== undefined)
  );
}

/** Fields that select an item in the collection that the identifier names. */
const selectors = { uid: "calendar", contact: "addressbook" } as const;

export default operation({
  name: "part.describe",
  verb: "read",
  summary:
    "Reads a mailbox, a message or a part of it, a conversation, folder, draft, hold, blob, calendar, event, addressbook or contact.",
  scope: "kind",
  effect: "reads",
  reaches: "others",
  example: { id: "message_…", render: "reply" },
  input: partRequest,
  output: readResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed"],
  async run(context, request) {
    const hash = request.id.indexOf("#");
    const id = hash === -1 ? request.id : request.id.slice(0, hash);
    const inId = hash === -1 ? undefined : request.id.slice(hash + 1);
    if (inId !== undefined && request.part !== undefined && instanceName(request.part) !== instanceName(inId))
      throw new WaypostError("invalid", "The identifier already names a part.", {
        field: "/part",
        hint: "Name the part in id or in part, not in both.",
      });
    const known = Object.keys(describeByKind) as DescribedKind[];
    const name = readId(context, id, known, "/id");
    const part = inId ?? request.part;
    if (part && !(kindsWithParts as readonly string[]).includes(name.kind))
      throw new WaypostError("invalid", "The object of this identifier has no parts.", {
        field: hash === -1 ? "/part" : "/id",
      });
    if (!(kindsWithText as readonly string[]).includes(name.kind) && !isItemOf(name.kind, part, request))
      assertUnplaced(request);
    if (request.doubtful !== undefined && !kindsOfMail.has(name.kind))
      throw new WaypostError("invalid", "The field doubtful is for messages, drafts and holds.", {
        field: "/doubtful",
      });
    for (const [field, kind] of Object.entries(selectors))
      if (request[field as keyof typeof selectors] !== undefined && name.kind !== kind)
        throw new WaypostError("invalid", `The field ${field} cannot be used with this identifier.`, {
          field: `/${field}`,
          hint: `It selects within ${kind}_…`,
        });
    return describeByKind[name.kind](context, name, {
      ...request,
      id,
      ...(part === undefined ? {} : { part }),
    });
  },
});
