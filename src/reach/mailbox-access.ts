/** The mailboxes that a principal reaches, under the names by which it knows them, with its rights on each: its own ones
 *  under their names, those of others under `Other Users/<address>/<name>` (RFC 2342). Every door of mail that names
 *  mailboxes asks here, and nothing is allowed anywhere else. */
import type { Accounts, Reach } from "#/src/accounts/accounts.ts";
import { otherUsers, otherUsersPrefix, ownerLevel, sharedMailboxName } from "#/src/accounts/other-users.ts";
import { allObjects } from "#/src/accounts/principal.ts";
import type { Mailbox, Mailboxes } from "#/src/mail/mailboxes.ts";
import type { Actor } from "#/src/model/actor.ts";
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
  /** Those that come to something there. */
  readonly rights: Rights;
  readonly isOwn: boolean;
  /** The name inside the owner's mailboxes. */
  readonly ownName: string;
  /** Address of the owner. */
  readonly owner: string;
  /** For whom a write to it is made. */
  readonly actor: Actor;
}

export interface Holder {
  readonly address: string;
  readonly rights: Rights;
}

export interface MailboxAccess {
  /** All that can be seen, the own ones first. */
  list(): Promise<readonly ReachedMailbox[]>;
  /** undefined for what is not there or may not be seen; throws `forbidden_scope` for what lacks the right. One that is given
   *  and comes to nothing is refused where it is used, with the reason. */
  find(name: string, right: Right): Promise<ReachedMailbox | undefined>;
  /** Where a mailbox of a new name belongs, and what it is called there. Throws `forbidden_scope`, `policy_refused`. */
  place(name: string): Promise<{ readonly agent: AgentNumber; readonly name: string }>;
  /** Whose address it is, among those of whose mailboxes one can be seen. */
  findReachedOwner(address: string): Promise<AgentNumber | undefined>;
  /** Throws `forbidden_scope` once a right on the mailbox is lost that was there when it was found. */
  assertKept(mailbox: ReachedMailbox): Promise<void>;
  /** Who has which rights on one's own mailbox, oneself first. Throws `forbidden_scope` for that of somebody else. */
  listHolders(mailbox: ReachedMailbox): Promise<readonly Holder[]>;
  /** What somebody has in any case on one's own mailbox, and what they can be given. Throws as above. */
  listGrantable(
    mailbox: ReachedMailbox,
    address: string,
  ): Promise<{ readonly always: Rights; readonly optional: readonly Rights[] }>;
}

/** Who asks, of mailboxes. */
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

  /** Whose mailboxes a name speaks of, and what it says of them; undefined for a name of nobody. */
  async function resolve(name: string): Promise<{ owner: ReachedAgent; rest: string } | undefined> {
    if (name === otherUsers) return undefined;
    if (!name.startsWith(otherUsersPrefix)) return { owner: ownReach(principal), rest: name };
    const [level = "", ...levels] = name.slice(otherUsersPrefix.length).split(hierarchyDelimiter);
    const rest = levels.join(hierarchyDelimiter);
    if (rest === "") return undefined;
    const owner = (await listReached(asked)).find((one) => !one.isOwn && ownerLevel(one.address) === level);
    return owner && { owner, rest };
  }

  /** In one's own mailbox, of somebody. */
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
      // A mailbox that was deleted is in no grant any more; that it is gone is not said here.
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

/** The owner's own, whatever the credential that asks. */
const fullReach: GivenReach = { scopes: new Set(["mail"]), objects: allObjects };
