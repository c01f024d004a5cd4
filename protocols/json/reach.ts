/** Objects that a request names, checked with `src/reach`; adds the fields and hints of the interface to refusals. */
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { mailboxRoles, type Scope } from "#/src/model/roles.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { assertReachesAll, assertVisible, isVisible } from "#/src/reach/messages.ts";
import { unknownObject } from "./errors.ts";
import { roleField } from "./folders/folder-role.ts";
import { readId } from "./identifiers.ts";
import type { OperationContext } from "./operation.ts";

/** The mailbox that `in` names, or that of the credential, for objects that are in no folder. */
export async function reachWholeMailbox(
  context: OperationContext,
  id: string | undefined,
  scope: Scope,
): Promise<ReachedData> {
  const agent = id ? readId(context, id, ["agent"], "/in").agent : context.principal.agent;
  const reached = await reachAgent(context, agent, scope);
  assertReachesAll(reached);
  return reached;
}

/** Objects that a request names together must be in one mailbox. Only callers that may read the other mailbox learn that an object is
 *  there. */
export async function assertInMailbox(
  context: OperationContext,
  name: ObjectName,
  mailbox: AgentNumber,
  scope: Scope,
  details: { readonly field: string; readonly hint: string },
): Promise<void> {
  if (name.agent === mailbox) return;
  await reachAgent(context, name.agent, scope);
  throw new WaypostError("invalid", `This ${name.kind} is in another mailbox.`, details);
}

/** The folder of scheduled mail before its first use. It has no number: no message is in it, and nothing can be put into it. */
const unusedScheduled = { number: 0 as MailboxNumber, name: mailboxRoles.scheduled.name, messageCount: 0 };

/** What a request gets to know of a folder that it names. */
export type NamedFolder = Pick<Mailbox, "number" | "name" | "messageCount">;

/** A folder named by `folder_…`, a role or its IMAP path. */
export async function reachFolder(
  context: OperationContext,
  reached: ReachedData,
  folder: string,
  field: string,
): Promise<NamedFolder> {
  const { mail } = context.rooms;
  const mailbox = await findFolder();
  if (mailbox === undefined)
    throw new WaypostError("not_found", "There is no such folder.", { hint: await foldersThere() });
  assertVisible(reached, [mailbox.number]);
  return mailbox;

  /** Folders of roles: the names of others are words that somebody has chosen. */
  async function foldersThere(): Promise<string> {
    const visible = (await mail.listMailboxes(reached.agent)).filter(({ number }) =>
      isVisible(reached, number),
    );
    const roles = visible.map(({ role }) => roleField(role).role).filter((role) => role !== undefined);
    const all = `part.describe {"id": "${mail.ids.encode("agent", reached.agent)}"} lists all, folder.create makes one.`;
    return `${roles.length === 0 ? "" : `There are ${roles.join(", ")}. `}${all}`;
  }

  async function findFolder(): Promise<NamedFolder | undefined> {
    if (folder.startsWith("folder_") && !folder.includes("/")) {
      const name = mail.ids.decode(folder);
      if (name === undefined || name.kind !== "folder")
        return (await mail.findMailbox(reached.agent, folder)) ?? unknownObject();
      await assertInMailbox(context, name, reached.agent, "mail:read", {
        field,
        hint: "Name a folder of the mailbox that the message is in.",
      });
      return (await mail.findMailboxByNumber(reached.agent, name.object as MailboxNumber)) ?? unknownObject();
    }
    if (/^[a-z]+$/.test(folder)) {
      const ofRole = (await mail.listMailboxes(reached.agent)).find((one) => one.role === folder);
      if (ofRole !== undefined) return ofRole;
    }
    const ofPath = await mail.findMailbox(reached.agent, folder);
    return ofPath ?? (folder === "scheduled" ? unusedScheduled : undefined);
  }
}
