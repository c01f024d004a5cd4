/** Holds: mail that waits for approval ("Holds" of the interface). This file alone defines the changes of a hold's state
 *  and who may make them. A final state never changes. */
import { createHash } from "node:crypto";
import type { Actor } from "./author.ts";
import { WaypostError } from "./errors.ts";
import type { AgentNumber } from "./numbers.ts";
import type { HoldRole, MailboxRole } from "./roles.ts";

export const holdStates = [
  "waiting",
  "approved",
  "sent",
  "declined",
  "expired",
  "withdrawn",
  "failed",
] as const;
export type HoldState = (typeof holdStates)[number];

/** Why a mail waits. */
export const holdReasons = [
  "always",
  "first_contact",
  "external",
  "answering_unauthenticated",
  "automated",
  "loop",
  "bulk",
  "invitation",
  "requested",
  /** An agent or a program has written a part of what would leave in a person's name; it waits in the person's own mailbox. */
  "unapproved",
] as const;
export type HoldReason = (typeof holdReasons)[number];

/** Why an approved mail is not sent after all. */
const holdFailures = ["blocked", "suppressed", "changed", "refused"] as const;
export type HoldFailure = (typeof holdFailures)[number];

/** What a person can choose who declines a mail: something in it is wrong, it is not for this recipient, the person answers. */
export const declineWords = ["facts", "recipient", "self"] as const;
export type DeclineWord = (typeof declineWords)[number];

/** What the person who declines a mail tells the agent. */
export interface DeclineRemark {
  readonly why?: DeclineWord | undefined;
  /** One line of the person's own. */
  readonly note?: string | undefined;
}

/** Characters of a note. */
export const declineNoteMax = 500;

export const sendingPolicies = ["open", "first_contact", "external", "always"] as const;
export type SendingPolicy = (typeof sendingPolicies)[number];

export interface SendingRules {
  readonly policy: SendingPolicy;
  /** Domains and addresses that mail may go to without approval. */
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
}

/** Of an agent for which nobody has said otherwise. */
export const defaultSendingRules: SendingRules = { policy: "first_contact", allowed: [], blocked: [] };

/** What the operator lets approvers change of the rules of their agents: nothing, only that more waits or is refused, anything. */
export const approverFreedoms = ["none", "stricter", "any"] as const;
export type ApproverFreedom = (typeof approverFreedoms)[number];

/** Whether an approver may put `rules` in the place of `others`; for a new agent these are the default. */
export function mayApproverSet(freedom: ApproverFreedom, rules: SendingRules, others: SendingRules): boolean {
  if (freedom === "any") return true;
  return isAsStrict(rules, others) && (freedom === "stricter" || isAsStrict(others, rules));
}

/** Under `rules` nothing leaves that waits, or is refused, under `others`. */
function isAsStrict(rules: SendingRules, others: SendingRules): boolean {
  return (
    sendingPolicies.indexOf(rules.policy) >= sendingPolicies.indexOf(others.policy) &&
    rules.allowed.every((entry) => others.allowed.includes(entry)) &&
    others.blocked.every((entry) => rules.blocked.includes(entry))
  );
}

/** The keyword that approves a mail, in the spelling that clients offer. */
export const approvedKeyword = "$Approved";

export type HoldAction =
  | "approve"
  | "undo"
  | "decline"
  | "withdraw"
  | "edit"
  | "expire"
  | "release"
  | "fail"
  | "supersede";

/** Who may do each action, and the state that it leads to from each state. approver: who has the right to approve, and for a person's own
 *  mail that person; asker: the sender; anybody: who may write to the mailbox; server: only the server itself. */
const actions = {
  approve: { by: "approver", from: { waiting: "approved", approved: "approved" } },
  undo: { by: "approver", from: { approved: "waiting" } },
  decline: { by: "approver", from: { waiting: "declined", approved: "declined" } },
  withdraw: { by: "asker", from: { waiting: "withdrawn", approved: "withdrawn" } },
  edit: { by: "anybody", from: { waiting: "waiting", approved: "waiting" } },
  expire: { by: "server", from: { waiting: "expired" } },
  release: { by: "server", from: { approved: "sent" } },
  fail: { by: "server", from: { approved: "failed" } },
  supersede: { by: "server", from: { waiting: "withdrawn", approved: "withdrawn" } },
} as const satisfies Record<
  HoldAction,
  {
    readonly by: "approver" | "asker" | "anybody" | "server";
    readonly from: Partial<Record<HoldState, HoldState>>;
  }
>;

/** The mailbox of a hold's message, by the state of the hold. */
const roleOfState = {
  waiting: "holds",
  approved: "holds_approved",
  sent: "sent",
  declined: "holds_declined",
  expired: "holds_declined",
  failed: "holds_declined",
  withdrawn: "trash",
} as const satisfies Record<HoldState, MailboxRole>;

/** Mail that waits, as far as it says who decides. */
export interface Waiting {
  /** The mailbox that the mail is sent from. */
  readonly agent: AgentNumber;
  /** The agent whose credential was used to send it. */
  readonly requestedBy: AgentNumber;
  readonly reason: HoldReason;
}

export interface HoldStanding extends Waiting {
  readonly state: HoldState;
}

/** Whether somebody who may approve for the mailbox decides about this mail: who is not its owner and did not ask for the mail. What waits of
 *  a person's own is decided by that person. Decisions, notices, pushes and pages ask this. */
export function isDecider(person: AgentNumber | 0, { agent, requestedBy, reason }: Waiting): boolean {
  return reason === "unapproved" ? person === agent : person !== agent && person !== requestedBy;
}

/** The operator decides about what waits of a person's own, too; no agent does, whatever it is granted, and no program. */
function decides(hold: Waiting, actor: Actor): boolean {
  const isOperator = hold.reason === "unapproved" && actor.kind === "operator";
  return actor.canApprove && (isOperator || isDecider(actor.agent, hold));
}

export function isLiveHold(state: HoldState): boolean {
  return state === "waiting" || state === "approved";
}

export function roleOfHold(state: HoldState): MailboxRole {
  return roleOfState[state];
}

/** The action that moving a hold's message into a mailbox of holds means. */
export function actionOfPlacing(role: HoldRole, state: HoldState): HoldAction {
  if (role === "holds_declined") return "decline";
  if (role === "holds_approved") return "approve";
  return state === "waiting" ? "edit" : "undo";
}

/** The state that an action leads to. Throws `forbidden_scope` if the actor may not do it (in any state, so that the refusal does not
 *  reveal the state), `policy_refused` if the state does not allow it. */
export function nextHoldState(hold: HoldStanding, action: HoldAction, actor: Actor | "server"): HoldState {
  const { by, from } = actions[action];
  const isAsker = actor !== "server" && (actor.agent === hold.agent || actor.agent === hold.requestedBy);
  const mayDo =
    by === "anybody" ||
    (by === "server" && actor === "server") ||
    (actor !== "server" && by === "approver" && decides(hold, actor)) ||
    (actor !== "server" && by === "asker" && (isAsker || actor.canApprove));
  if (!mayDo) throw approvalIsForOthers();
  const next = (from as Partial<Record<HoldState, HoldState>>)[hold.state];
  if (next === undefined)
    throw new WaypostError("policy_refused", `The mail is ${hold.state}; that is final.`, {
      reason: "hold_is_decided",
      hint: "To get a new decision, send the mail again.",
    });
  return next;
}

export function approvalIsForOthers(): WaypostError {
  return new WaypostError("forbidden_scope", "This credential may not decide about this mail.", {
    reason: "approval_needed",
    hint: "A person whom the operator has named decides, by moving it to Holds/Approved or Holds/Declined.",
  });
}

/** Clients can put only mail of holds into the mailboxes of holds. */
export function onlyHolds(): WaypostError {
  return new WaypostError("policy_refused", "Only mail that waits for approval is in this mailbox.", {
    reason: "approval_needed",
  });
}

/** What an approval is bound to: every octet that is sent, and every recipient. `envelope` is its text as stored. */
export function holdDigest(envelope: string, sha256: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(sha256).update(envelope).digest());
}
