/** The image of access: what the rows say that decide who may do what, in the memory of the daemon. It keeps rows and no decisions: whoever
 *  asks compares expiry and revocation each time.
 *
 *  The store tells of each owner whose rows were changed (`storage/access/access-tables.ts`), in this daemon before the write is answered.
 *  What is kept of that owner is forgotten then. While the store does not hear of the changes of other daemons, every question is a read.
 *  The rows of an owner stay until then, and those of the owners that were asked for last. */
import { forEverybody } from "#/src/model/caller.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { RecentValues } from "#/src/model/recent-values.ts";
import { findAgent, listAddresses } from "#/storage/queries/accounts/agents.ts";
import {
  findToken,
  findTokenByNumber,
  listGrants,
  listGrantsOn,
  listPasswords,
} from "#/storage/queries/accounts/credentials.ts";
import { findPageSession, findPageSessionByNumber } from "#/storage/queries/accounts/sign-ins.ts";
import {
  findSendingPolicy,
  listAgentsOfApprover,
  listHoldMailboxes,
} from "#/storage/queries/outbound/holds.ts";
import type {
  AddressRow,
  AgentRow,
  GrantRow,
  PageSessionRow,
  PasswordRow,
  TokenRow,
} from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { MailAddress } from "./address.ts";
import { identifyOwner } from "./address-owner.ts";

/** Of an agent or a person, without what every mail changes. */
export type OwnerRow = Omit<AgentRow, "modseq" | "logFloor" | "byteCount" | "messageCount" | "quotaBytes">;

export interface Access {
  findOwner(owner: AgentNumber): Promise<OwnerRow | undefined>;
  /** `address-owner.ts`. */
  findAddressOwner(address: MailAddress): Promise<OwnerRow | undefined>;
  listAddresses(owner: AgentNumber): Promise<readonly AddressRow[]>;
  /** By the SHA-256 of the token. */
  findToken(hash: Uint8Array): Promise<TokenRow | undefined>;
  findTokenOf(owner: AgentNumber, token: number): Promise<TokenRow | undefined>;
  listPasswords(owner: AgentNumber): Promise<readonly PasswordRow[]>;
  /** By the SHA-256 of the session's token. */
  findPageSession(hash: Uint8Array): Promise<PageSessionRow | undefined>;
  findPageSessionOf(owner: AgentNumber, session: number): Promise<PageSessionRow | undefined>;
  /** The grants that an owner has on others. */
  listGrants(owner: AgentNumber): Promise<readonly GrantRow[]>;
  /** The grants that others have on an owner's data. */
  listGrantsOn(owner: AgentNumber): Promise<readonly GrantRow[]>;
  /** The person who approves an agent's mail. */
  findApprover(agent: AgentNumber): Promise<AgentNumber | undefined>;
  listAgentsOfApprover(approver: AgentNumber): Promise<readonly AgentNumber[]>;
  /** The mailboxes in which an agent's mail waits for approval. */
  listHoldMailboxes(agent: AgentNumber): Promise<readonly MailboxNumber[]>;
}

/** Owners in each of the two generations of recent ones. */
const ownersMax = 10_000;
/** Questions about one owner: those of more credentials than this are asked anew. */
const questionsMax = 1000;
/** Tokens and addresses that were asked for last. */
const namesMax = 20_000;

type Kept = Map<string, Promise<unknown>>;

export function createAccess(store: Store): Access {
  let kept = new RecentValues<Kept>(ownersMax);
  /** Which owner an address identifies: any change may change it. */
  let addressed = new RecentValues<Promise<AgentNumber | undefined>>(namesMax);
  /** Whose a token or a session is, by its hash: of each kind, because their numbers are of two tables. That is so for as long as its row is
   *  there. */
  let hashes = noHashes();

  store.onAccess((owners) => {
    addressed = new RecentValues(namesMax);
    if (owners === undefined) {
      kept = new RecentValues(ownersMax);
      hashes = noHashes();
    } else for (const owner of owners) kept.drop(String(owner));
  });

  function keptOf(owner: AgentNumber): Kept {
    const found = kept.find(String(owner));
    if (found !== undefined && found.size < questionsMax) return found;
    const fresh: Kept = new Map();
    kept.keep(String(owner), fresh);
    return fresh;
  }

  /** The answer to a question about an owner. */
  function ask<T>(owner: AgentNumber, question: string, read: () => Promise<T>): Promise<T> {
    if (!store.hearsAccess()) return read();
    const ofOwner = keptOf(owner);
    const known = ofOwner.get(question) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const answer = forEverybody(read);
    ofOwner.set(question, answer);
    answer.catch(() => ofOwner.delete(question));
    return answer;
  }

  function addressedOwner(address: MailAddress): Promise<AgentNumber | undefined> {
    if (!store.hearsAccess()) return identifyOwner(store, address);
    const name = `${address.localPart}@${address.domain}`;
    const known = addressed.find(name);
    if (known !== undefined) return known;
    const answer = forEverybody(() => identifyOwner(store, address));
    const names = addressed;
    names.keep(name, answer);
    answer.catch(() => names.drop(name));
    return answer;
  }

  /** A row that is found by its hash, and from then on by its number. */
  async function findByHash<Row extends { readonly agent: AgentNumber }>(
    kind: keyof typeof hashes,
    hash: Uint8Array,
    find: () => Promise<Row | undefined>,
    numberOf: (row: Row) => number,
    findOf: (owner: AgentNumber, number: number) => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const name = Buffer.from(hash).toString("base64");
    const ofKind = hashes[kind];
    let known = ofKind.find(name);
    if (known === undefined) {
      const row = await find();
      if (row === undefined) return undefined;
      known = { owner: row.agent, number: numberOf(row) };
      ofKind.keep(name, known);
    }
    const row = await findOf(known.owner, known.number);
    return row?.agent === known.owner ? row : undefined;
  }

  const access: Access = {
    findOwner: (owner) => ask(owner, "owner", () => findAgent(store, owner)),
    async findAddressOwner(address) {
      const owner = await addressedOwner(address);
      return owner === undefined ? undefined : access.findOwner(owner);
    },
    listAddresses: (owner) => ask(owner, "addresses", () => listAddresses(store, owner)),
    findToken: (hash) =>
      findByHash(
        "token",
        hash,
        () => findToken(store, hash),
        ({ token }) => token,
        access.findTokenOf,
      ),
    findTokenOf: (owner, token) => ask(owner, `token ${token}`, () => findTokenByNumber(store, token)),
    listPasswords: (owner) => ask(owner, "passwords", () => listPasswords(store, owner)),
    findPageSession: (hash) =>
      findByHash(
        "session",
        hash,
        () => findPageSession(store, hash),
        ({ session }) => session,
        access.findPageSessionOf,
      ),
    findPageSessionOf: (owner, session) =>
      ask(owner, `session ${session}`, () => findPageSessionByNumber(store, session)),
    listGrants: (owner) => ask(owner, "grants", () => listGrants(store, owner)),
    listGrantsOn: (owner) => ask(owner, "grants on", () => listGrantsOn(store, owner)),
    findApprover: (agent) =>
      ask(agent, "approver", async () => (await findSendingPolicy(store, agent))?.approver ?? undefined),
    listAgentsOfApprover: (approver) =>
      ask(approver, "agents of approver", () => listAgentsOfApprover(store, approver)),
    listHoldMailboxes: (agent) => ask(agent, "hold mailboxes", () => listHoldMailboxes(store, agent)),
  };
  return access;
}

function noHashes() {
  const none = () => new RecentValues<{ readonly owner: AgentNumber; readonly number: number }>(namesMax);
  return { token: none(), session: none() };
}
