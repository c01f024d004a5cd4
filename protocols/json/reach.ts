/** Whose data a call reaches. Outside the account and unknown are one answer, so that ids tell nothing; inside the account
 *  without a grant is `forbidden_scope` ("Names" of the interface). */

import { actorOf, type Reach } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { Message } from "#/src/mail/messages.ts";
import type { Actor } from "#/src/model/actor.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { Scope } from "#/src/model/roles.ts";
import { unknownObject } from "./errors.ts";
import { readId } from "./identifiers.ts";
import type { OperationContext } from "./operation.ts";
import { missingScope } from "./scopes.ts";

/** Who asks, and of whom. */
type Asked = Pick<OperationContext, "rooms" | "principal">;

export interface ReachedAgent {
  readonly agent: AgentNumber;
  /** For whom a write to its mail is made. */
  readonly actor: Actor;
  readonly folders: "all" | ReadonlySet<MailboxNumber>;
  isVisible(mailbox: MailboxNumber): boolean;
}

function reachedAgent(
  { principal }: Asked,
  agent: AgentNumber,
  reaches: readonly Reach[],
  folders: ReachedAgent["folders"],
): ReachedAgent {
  const actor = actorOf(principal, agent, reaches);
  return { agent, actor, folders, isVisible: (mailbox) => folders === "all" || folders.has(mailbox) };
}

/** An agent whose data of a kind the caller reaches. Throws `forbidden_scope` or `not_found`. */
export async function reachAgent(context: Asked, agent: AgentNumber, scope: Scope): Promise<ReachedAgent> {
  const { principal } = context;
  if (agent === principal.agent) {
    if (!hasScope(principal.scopes, scope)) throw missingScope(scope);
    return reachedAgent(context, agent, [], "all");
  }
  const reaches = (await context.rooms.accounts.listReach(principal)).filter((one) => one.agent === agent);
  const fitting = reaches.filter((one) => hasScope(one.scopes, scope));
  if (fitting.length > 0) return reachedAgent(context, agent, reaches, foldersOf(fitting));
  if (reaches.length > 0) throw missingScope(scope);
  const facts = await context.rooms.accounts.findAgentFacts(agent);
  if (facts === undefined || facts.account !== principal.account) unknownObject();
  throw new WaypostError("forbidden_scope", "The credential does not reach this mailbox.", {
    hint: "The credential itself is fine; the operator can grant reach inside the account.",
  });
}

/** Every agent whose mail the caller reaches, the own one first. */
export async function reachableAgents(context: Asked, scope: Scope): Promise<ReachedAgent[]> {
  const byAgent = new Map<AgentNumber, Reach[]>();
  for (const one of await context.rooms.accounts.listReach(context.principal))
    if (hasScope(one.scopes, scope)) byAgent.set(one.agent, [...(byAgent.get(one.agent) ?? []), one]);
  const reached: ReachedAgent[] = [];
  for (const [agent, reaches] of byAgent)
    reached.push(reachedAgent(context, agent, reaches, foldersOf(reaches)));
  return reached;
}

function foldersOf(reaches: readonly Reach[]): ReachedAgent["folders"] {
  const folders = new Set<MailboxNumber>();
  for (const { mailbox } of reaches.map(({ objects }) => objects)) {
    if (mailbox === "all") return "all";
    for (const number of mailbox) folders.add(number as MailboxNumber);
  }
  return folders;
}

/** The mailbox that `in` names, or that of the credential, for what is in no folder. */
export async function reachWholeMailbox(
  context: OperationContext,
  id: string | undefined,
  scope: Scope,
): Promise<ReachedAgent> {
  const agent = id ? readId(context, id, ["agent"], "/in").agent : context.principal.agent;
  const reached = await reachAgent(context, agent, scope);
  assertReachesAll(reached);
  return reached;
}

/** What is in no folder, and the folders themselves, are for who reaches them all. */
export function assertReachesAll({ folders }: ReachedAgent): void {
  if (folders === "all") return;
  throw new WaypostError("forbidden_scope", "The grant reaches some folders only.", {
    hint: "The credential itself is fine; the operator can grant reach to all folders.",
  });
}

/** To what a cursor is bound beside what was asked: it is of no use once the reach is another. */
export function reachName({ agent, folders }: ReachedAgent): string {
  return `${agent}:${folders === "all" ? "all" : [...folders].toSorted((a, b) => a - b).join(",")}`;
}

/** Whether the caller reaches an agent's data under one more scope. */
export async function reachesScope(
  context: OperationContext,
  agent: AgentNumber,
  scope: Scope,
): Promise<boolean> {
  const { principal } = context;
  if (agent === principal.agent) return hasScope(principal.scopes, scope);
  const reaches = await context.rooms.accounts.listReach(principal);
  return reaches.some((one) => one.agent === agent && hasScope(one.scopes, scope));
}

/** A message that the caller reaches, in a folder that it reaches. */
export async function reachMessage(
  context: OperationContext,
  reached: ReachedAgent,
  number: number,
): Promise<Message> {
  return (await reachMessageIfAny(context, reached, number)) ?? unknownObject();
}

/** The same where a message that has gone is no refusal; one that is there has to be in reach. */
export async function reachMessageIfAny(
  context: OperationContext,
  reached: ReachedAgent,
  number: number,
): Promise<Message | undefined> {
  const message = await context.rooms.mail.findMessage(reached.agent, number as Message["number"]);
  if (message === undefined) return undefined;
  assertVisible(
    reached,
    message.places.map((place) => place.mailbox),
  );
  return message;
}

export function assertVisible(reached: ReachedAgent, mailboxes: readonly MailboxNumber[]): void {
  if (mailboxes.some((mailbox) => reached.isVisible(mailbox))) return;
  throw new WaypostError("forbidden_scope", "The grant does not reach this folder.", {
    hint: "The credential itself is fine; the operator chooses the folders of a grant.",
  });
}

/** What a request names together has to be in one mailbox. That an object is in another one is said only to callers that reach that one. */
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

/** A folder named by `folder_…`, a role or its IMAP path. */
export async function reachFolder(
  context: OperationContext,
  reached: ReachedAgent,
  folder: string,
  field: string,
): Promise<Mailbox> {
  const { mail } = context.rooms;
  const mailbox = await findFolder();
  if (mailbox === undefined)
    throw new WaypostError("not_found", "There is no such folder.", {
      hint: `part.describe of ${mail.ids.encode("agent", reached.agent)} lists the folders.`,
    });
  assertVisible(reached, [mailbox.number]);
  return mailbox;

  async function findFolder(): Promise<Mailbox | undefined> {
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
    return mail.findMailbox(reached.agent, folder);
  }
}
