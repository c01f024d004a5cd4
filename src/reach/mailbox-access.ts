/** The mailboxes that a principal may use, with their names for it and its rights on each: its own ones under their own names, those of
 *  others under `Other Users/<address>/<name>` (RFC 2342). Every protocol that names mailboxes checks access here and nowhere else. */
import type { Accounts, Reach } from "#/src/accounts/accounts.ts";
import { otherUsers, otherUsersPrefix, ownerLevel, sharedMailboxName } from "#/src/accounts/other-users.ts";
import { allObjects } from "#/src/accounts/principal.ts";
import type { Mailbox, Mailboxes } from "#/src/mail/mailboxes.ts";
import type { Actor } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import {
  type Asked,
  findReached,
  listReached,
  ownReach,
  type ReachedAgent,
  reachableAgents,
} from "./agents.ts";
import {
  grantableRights,
  type Right,
  type Rights,
  rightsOf,
  uniteRights,
  usableRights,
} from "./mailbox-rights.ts";
import { forbidden } from "./refusals.ts";

/** A mailbox as one principal sees it: `name` is its name for that principal. */
export interface ReachedMailbox extends Mailbox {
  /** The rights that the login has on this mailbox. */
  readonly rights: Rights;
  readonly isOwn: boolean;
  /** The name inside the owner's mailboxes. */
  readonly ownName: string;
  /** Address of the owner. */
  readonly owner: string;
  /** The actor of a write to it. */
  readonly actor: Actor;
}

export interface Holder {
  readonly address: string;
  readonly rights: Rights;
}

export interface MailboxAccess {
  /** All visible mailboxes, the own ones first. */
  list(): Promise<readonly ReachedMailbox[]>;
  /** undefined for a mailbox that does not exist or is not visible; throws `forbidden_scope` if the right is missing. A right that is
   *  given but cannot be used in this mailbox is refused by the write, with the reason. */
  find(name: string, right: Right): Promise<ReachedMailbox | undefined>;
  /** The owner of a new mailbox, and its name there. Throws `forbidden_scope`, `policy_refused`. */
  place(name: string): Promise<{ readonly agent: AgentNumber; readonly name: string }>;
  /** The owner with this address, if at least one of the owner's mailboxes is visible. */
  findReachedOwner(address: string): Promise<AgentNumber | undefined>;
  /** Throws `forbidden_scope` if a right on the mailbox has been lost since it was found. */
  assertKept(mailbox: ReachedMailbox): Promise<void>;
  /** All who have rights on one's own mailbox, oneself first. Throws `forbidden_scope` for a mailbox of somebody else. */
  listHolders(mailbox: ReachedMailbox): Promise<readonly Holder[]>;
  /** The rights that somebody always has on one's own mailbox, and those that they can be given. Throws as above. */
  listGrantable(
    mailbox: ReachedMailbox,
    address: string,
  ): Promise<{ readonly always: Rights; readonly optional: readonly Rights[] }>;
}

/** The login and the rooms that are needed to check access to mailboxes. */
export interface AskedOfMailboxes extends Asked {
  readonly rooms: Asked["rooms"] & {
    readonly accounts: Pick<Accounts, "listHolders" | "findOwner">;
    readonly mail: Mailboxes;
  };
}

export function createMailboxAccess(asked: AskedOfMailboxes): MailboxAccess {
  const { principal } = asked;
  const { accounts, mail } = asked.rooms;

  function seenAs(
    mailbox: Mailbox,
    { address, kind, isOwn, actor, reaches }: ReachedAgent,
  ): ReachedMailbox | undefined {
    const given = givenRights(reaches, mailbox.number);
    if (!given.has("l")) return undefined;
    const name = isOwn ? mailbox.name : sharedMailboxName(address, mailbox.name);
    const rights = usableRights(given, mailbox, { ownerKind: kind, canApprove: actor.canApprove });
    return { ...mailbox, name, rights, isOwn, ownName: mailbox.name, owner: address, actor };
  }

  /** The owner that a name refers to, and the rest of the name; undefined for a name of no known owner. */
  async function resolve(name: string): Promise<{ owner: ReachedAgent; rest: string } | undefined> {
    if (name === otherUsers) return undefined;
    if (!name.startsWith(otherUsersPrefix)) return { owner: ownReach(principal), rest: name };
    const [level = "", ...levels] = name.slice(otherUsersPrefix.length).split(hierarchyDelimiter);
    const rest = levels.join(hierarchyDelimiter);
    if (rest === "") return undefined;
    const owner = (await listReached(asked)).find((one) => !one.isOwn && ownerLevel(one.address) === level);
    return owner && { owner, rest };
  }

  /** The rights of somebody that can be used in one's own mailbox. */
  function usable({ ownName, role }: ReachedMailbox, rights: Rights, canApprove: boolean): Rights {
    return usableRights(rights, { name: ownName, role }, { ownerKind: principal.kind, canApprove });
  }

  function assertOwn(mailbox: ReachedMailbox): void {
    if (!mailbox.isOwn) throw forbidden("Only its owner sees who shares a mailbox.");
  }

  return {
    async list() {
      const all: ReachedMailbox[] = [];
      for (const owner of await listReached(asked))
        for (const mailbox of await mail.listMailboxes(owner.agent)) {
          const seen = seenAs(mailbox, owner);
          if (seen !== undefined) all.push(seen);
        }
      return all;
    },

    async find(name, right) {
      const resolved = await resolve(name);
      if (resolved === undefined) return undefined;
      const { owner, rest } = resolved;
      const mailbox = await mail.findMailbox(owner.agent, rest);
      const seen = mailbox && seenAs(mailbox, owner);
      if (seen !== undefined && !givenRights(owner.reaches, seen.number).has(right))
        throw forbidden(seen.isOwn ? "This credential may only read." : "The grant does not allow this.");
      return seen;
    },

    async place(name) {
      const resolved = await resolve(name);
      if (resolved === undefined)
        throw new WaypostError("policy_refused", `Names below ${otherUsers} are mailboxes of others.`);
      const { owner, rest } = resolved;
      if (!givenRights(owner.reaches, undefined).has("k"))
        throw forbidden("The grant does not extend to creating mailboxes.");
      return { agent: owner.agent, name: rest };
    },

    async findReachedOwner(address) {
      if (address === principal.address) return principal.agent;
      const owner = (await reachableAgents(asked, "mail:read")).find((one) => one.address === address);
      return owner?.agent;
    },

    async assertKept(mailbox) {
      if (mailbox.isOwn) return;
      const owner = await findReached(asked, mailbox.agent);
      const rights = givenRights(owner?.reaches ?? [], mailbox.number);
      const mayLess = mailbox.actor.canApprove && owner?.actor.canApprove !== true;
      if (!mayLess && rights.isSupersetOf(mailbox.rights)) return;
      // No grant has a deleted mailbox any more; other code reports the deletion.
      const isThere = (await mail.findMailboxByNumber(mailbox.agent, mailbox.number)) !== undefined;
      if (isThere) throw forbidden("The mailbox is no longer shared.");
    },

    async listHolders(mailbox) {
      assertOwn(mailbox);
      const holders = new Map<string, GivenReach[]>([[mailbox.owner, [fullReach]]]);
      for (const { address, ...reach } of await accounts.listHolders(mailbox.agent))
        holders.set(address, [...(holders.get(address) ?? []), reach]);
      return [...holders]
        .map(([address, reaches]) => {
          const canApprove = reaches.some(({ scopes }) => scopes.has("approve"));
          return { address, rights: usable(mailbox, givenRights(reaches, mailbox.number), canApprove) };
        })
        .filter(({ rights }) => rights.size > 0);
    },

    async listGrantable(mailbox, address) {
      assertOwn(mailbox);
      const owner = await accounts.findOwner(address);
      if (owner?.agent === mailbox.agent)
        return { always: usable(mailbox, rightsOf(fullReach, mailbox.number), false), optional: [] };
      // A grant never leaves the account.
      const isGrantable = owner !== undefined && owner.account === principal.account;
      if (!isGrantable) return { always: new Set(), optional: [] };
      const optional = grantableRights.map((rights) => usable(mailbox, rights, owner.kind === "person"));
      return { always: new Set(), optional: optional.filter(({ size }) => size > 0) };
    },
  };
}

type GivenReach = Pick<Reach, "scopes" | "objects">;

function givenRights(reaches: readonly GivenReach[], mailbox: MailboxNumber | undefined): Rights {
  return uniteRights(reaches.map((reach) => rightsOf(reach, mailbox)));
}

/** The owner's own rights, whatever the credential. */
const fullReach: GivenReach = { scopes: new Set(["mail"]), objects: allObjects };
