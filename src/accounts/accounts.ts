/** Logins and addresses, for all protocols: whether a credential is accepted, and which mailbox an address belongs to. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { type GrantedObjects, isGrantRight, ofGrantedKinds } from "#/src/model/grants.ts";
import type { AccountNumber, AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { Scope } from "#/src/model/roles.ts";
import { noTally, type Tally } from "#/src/model/tally.ts";
import { findDomain } from "#/storage/queries/accounts/accounts.ts";
import { listAddressTargets, listAgents } from "#/storage/queries/accounts/agents.ts";
import type { AddressTargetRow, AgentRow, GrantRow, PasswordRow, TokenRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { type Access, createAccess, type OwnerRow } from "./access.ts";
import { formatAddress, parseAddress, readAddress, splitTag } from "./address.ts";
import { type AgentFacts, findAgentFacts } from "./agent-facts.ts";
import { createFamiliarNetworks } from "./familiar-networks.ts";
import { createLoginLimiter } from "./login-limiter.ts";
import { isLivePageSession } from "./page-session.ts";
import {
  allObjects,
  commonScopes,
  hasScope,
  type Principal,
  primaryAddress,
  principalOf,
  principalOfPassword,
  type Reach,
  type ReachedObjects,
} from "./principal.ts";
import { createProvenPasswords } from "./proven-passwords.ts";
import { findResponsible, roleNames } from "./role-mailboxes.ts";
import { isScramProof, scramIterations, scramSaltBytes, scramServerSignature } from "./scram.ts";
import { hashToken, isTokenText, isWellFormedToken, normalPassword } from "./secrets.ts";
import { createTokenLimiter } from "./token-limiter.ts";

export type { AgentFacts } from "./agent-facts.ts";
export { actorOf, type Principal, type Reach } from "./principal.ts";

export interface LocalRecipient {
  readonly account: AccountNumber;
  readonly agent: AgentNumber;
  /** The primary address of the mailbox. */
  readonly address: string;
  readonly byteCount: number;
  /** null or 0: no quota. */
  readonly quotaBytes: number | null;
  /** The text after the plus sign in the address that was resolved. */
  readonly tag?: string;
}

export type Resolution =
  | { readonly kind: "local"; readonly recipients: readonly LocalRecipient[] }
  /** The domain is one of this server, but the mailbox does not exist. */
  | { readonly kind: "unknown" }
  | { readonly kind: "remote" };

export interface Accounts {
  readonly access: Access;
  /** Throws `unauthorized`, the same for an unknown, a revoked and an expired token, or `rate_limited`. */
  authenticateToken(token: string, remoteAddress: string): Promise<Principal>;
  /** A token, of the owner of the address if there is one. Throws as above. */
  authenticateBearer(address: string, token: string, remoteAddress: string): Promise<Principal>;
  /** An app password of the address's owner, or a token of theirs that has one of the scopes (`mail:read` if none are said).
   *  Throws as above; an unknown address costs what a wrong password costs. A password that was right in the last minutes
   *  costs two reads and no PBKDF2, so a request can bring it each time. */
  authenticatePassword(
    address: string,
    password: string,
    remoteAddress: string,
    tokenScopes?: readonly Scope[],
  ): Promise<Principal>;
  /** The first step of a SCRAM exchange. An unknown address gets a salt too. Throws `rate_limited`. */
  beginScram(address: string, remoteAddress: string): Promise<ScramLogin>;
  /** Throws `unauthorized` once the credential is revoked or expired, or its owner is deleted. */
  assertCurrent(principal: Principal): Promise<void>;
  /** The own mailbox first, then the mailboxes that grants give access to, within the scopes of the credential. */
  listReach(principal: Principal): Promise<readonly Reach[]>;
  /** The mailbox owners whose grants give access to an agent's data, by their primary address. */
  listHolders(agent: AgentNumber): Promise<readonly ReachHolder[]>;
  /** All mailbox owners of an account. */
  listColleagues(account: AccountNumber): Promise<readonly Colleague[]>;
  /** The mailbox owner who logs in with an address. */
  findOwner(address: string): Promise<Pick<AgentRow, "agent" | "account" | "kind"> | undefined>;
  /** Facts of any agent, also of one that the principal cannot access: the caller decides what the principal may see. */
  findAgentFacts(agent: AgentNumber): Promise<AgentFacts | undefined>;
  /** Throws `invalid` for text that is no address. */
  resolveRecipient(address: string): Promise<Resolution>;
  /** Whether mail to the address reaches the principal: their own, an alias, a tagged one, the catch-all. */
  isOwnAddress(principal: Pick<Principal, "agent">, address: string): Promise<boolean>;
}

/** A login with an app password that is never sent (RFC 5802). */
export interface ScramLogin {
  readonly salt: Uint8Array;
  readonly iterations: number;
  /** Throws `unauthorized`, the same for an unknown address, a wrong password and a malformed proof. */
  prove(
    authMessage: Uint8Array,
    proof: Uint8Array,
  ): Promise<{ readonly principal: Principal; readonly serverSignature: Buffer }>;
}

/** The facts about a mailbox owner that others of the same account can see. */
export interface Colleague extends Pick<AgentFacts, "agent" | "kind" | "name"> {
  /** The primary one. */
  readonly address: string;
}

export interface ReachHolder extends Pick<Reach, "scopes" | "objects"> {
  readonly address: string;
}

type AccountsSettings = Pick<Settings, "limits">;

/** Characters of the longest secret that is checked. Secrets of Waypost are shorter. */
const secretCharactersMax = 200;

export function createAccounts(store: Store, settings: AccountsSettings, tally: Tally = noTally): Accounts {
  const access = createAccess(store);
  const limiter = createLoginLimiter(store.clock, settings.limits);
  const familiarNetworks = createFamiliarNetworks(store);
  const tokenLimiter = createTokenLimiter(store.clock, settings.limits);
  const provenPasswords = createProvenPasswords(store.clock);

  async function principalOfToken(token: string): Promise<Principal | undefined> {
    if (!isWellFormedToken(token)) return undefined;
    const row = await access.findToken(hashToken(token));
    if (row === undefined || !isLive(row, store.clock.now())) return undefined;
    const agent = await access.findOwner(row.agent);
    const expiry = row.expiresAt === null ? {} : { expiresAt: row.expiresAt };
    return agent && principalOf(agent, { kind: "token", number: row.token, ...expiry }, row.scopes);
  }

  async function findOwner(address: string): Promise<OwnerRow | undefined> {
    const parsed = parseAddress(address);
    return parsed === undefined ? undefined : access.findAddressOwner(parsed);
  }

  function assertAllowed(remoteAddress: string, address: string): Promise<void> {
    return limiter.assertAllowed(remoteAddress, address, async () => {
      const owner = await findOwner(address);
      return owner !== undefined && familiarNetworks.has(owner.agent, remoteAddress);
    });
  }

  async function noteLogin(
    { agent }: { readonly agent: AgentNumber },
    remoteAddress: string,
    address: string,
  ): Promise<void> {
    limiter.countSuccess(remoteAddress, address);
    await familiarNetworks.keep(agent, remoteAddress);
  }

  async function principalOfTyped(owner: OwnerRow | undefined, address: string, password: string) {
    const salt = owner?.scramSalt ?? inventedSalt(store, address);
    const normal = normalPassword(password.slice(0, secretCharactersMax));
    const typed = { password: normal, salt, iterations: owner?.scramIterations ?? scramIterations };
    const storedKey = await provenPasswords.storedKeyOf(typed);
    const rows = owner === undefined ? [] : await access.listPasswords(owner.agent);
    let match: PasswordRow | undefined;
    for (const row of rows)
      if (row.revokedAt === null && timingSafeEqual(storedKey, row.storedKey)) match = row;
    if (owner === undefined || match === undefined) {
      provenPasswords.drop(typed);
      return undefined;
    }
    provenPasswords.keep(typed, storedKey);
    return principalOfPassword(owner, match);
  }

  async function findRecipients(domain: string, localPart: string): Promise<readonly LocalRecipient[]> {
    const split = splitTag(localPart);
    const rows = await listAddressTargets(store, domain, localPart, split?.name, catchAllLocalPart);
    for (const name of [localPart, split?.name, catchAllLocalPart]) {
      const targets = rows.filter((row) => row.localPart === name);
      const tag = name === localPart || name === catchAllLocalPart ? undefined : split?.tag;
      if (targets.length > 0) return targets.map((row) => recipientOf(row, tag));
    }
    return [];
  }

  async function isCurrent({ agent, credential: { kind, number } }: Principal): Promise<boolean> {
    const now = store.clock.now();
    if ((await access.findOwner(agent)) === undefined) return false;
    if (kind === "token") {
      const token = await access.findTokenOf(agent, number);
      return token !== undefined && isLive(token, now);
    }
    if (kind === "password") {
      const passwords = await access.listPasswords(agent);
      return passwords.some(({ password, revokedAt }) => password === number && revokedAt === null);
    }
    if (kind === "operator") return true;
    const session = await access.findPageSessionOf(agent, number);
    return session !== undefined && isLivePageSession(session, now);
  }

  const accounts: Accounts = {
    access,

    async authenticateToken(token, remoteAddress) {
      return accounts.authenticateBearer("", token, remoteAddress);
    },

    async authenticateBearer(address, token, remoteAddress) {
      const attempt = tokenLimiter.begin(token, remoteAddress);
      const principal = await principalOfToken(token);
      const isOwner = address === "" || (await findOwner(address))?.agent === principal?.agent;
      if (principal === undefined || !isOwner) {
        attempt.fail();
        tally.count("logins", { credential: "token", outcome: "failed" });
        throw unauthorized();
      }
      attempt.succeed();
      tally.count("logins", { credential: "token", outcome: "succeeded" });
      return principal;
    },

    async authenticatePassword(address, password, remoteAddress, tokenScopes = ["mail:read"]) {
      const parsed = parseAddress(address);
      const name = parsed === undefined ? "" : formatAddress(parsed);
      await assertAllowed(remoteAddress, name);
      const owner = await findOwner(address);
      let principal: Principal | undefined;
      if (isTokenText(password)) {
        const ofToken = await principalOfToken(password);
        const isFitting = tokenScopes.some((scope) => ofToken && hasScope(ofToken.scopes, scope));
        if (isFitting && ofToken?.agent === owner?.agent) principal = ofToken;
      } else principal = await principalOfTyped(owner, name, password);
      if (principal === undefined) {
        limiter.countFailure(remoteAddress, name);
        tally.count("logins", { credential: "password", outcome: "failed" });
        throw unauthorized();
      }
      tally.count("logins", { credential: "password", outcome: "succeeded" });
      await noteLogin(principal, remoteAddress, name);
      return principal;
    },

    async beginScram(address, remoteAddress) {
      const parsed = parseAddress(address);
      const name = parsed === undefined ? "" : formatAddress(parsed);
      await assertAllowed(remoteAddress, name);
      const owner = await findOwner(address);
      return {
        salt: owner?.scramSalt ?? inventedSalt(store, name),
        iterations: owner?.scramIterations ?? scramIterations,
        async prove(authMessage, proof) {
          const rows = owner === undefined ? [] : await access.listPasswords(owner.agent);
          // An unknown address has no password, so the proof is compared with a key that no password has.
          if (rows.length === 0) isScramProof(store.key("invented-scram-key"), authMessage, proof);
          let match: PasswordRow | undefined;
          for (const row of rows)
            if (isScramProof(row.storedKey, authMessage, proof) && row.revokedAt === null) match = row;
          if (owner === undefined || match === undefined) {
            limiter.countFailure(remoteAddress, name);
            tally.count("logins", { credential: "scram", outcome: "failed" });
            throw unauthorized();
          }
          tally.count("logins", { credential: "scram", outcome: "succeeded" });
          await noteLogin(owner, remoteAddress, name);
          return {
            principal: principalOfPassword(owner, match),
            serverSignature: scramServerSignature(match.serverKey, authMessage),
          };
        },
      };
    },

    async assertCurrent(principal) {
      if (!(await isCurrent(principal))) throw unauthorized();
    },

    async listReach(principal) {
      const { agent, kind, address, name, scopes } = principal;
      const reach: Reach[] = [{ agent, kind, address, name, scopes, objects: allObjects }];
      for (const grant of await access.listGrants(agent)) {
        if (!isLive(grant, store.clock.now())) continue;
        const target = await access.findOwner(grant.targetAgent);
        // A grant never reaches beyond the account, whatever its row says.
        if (target === undefined || target.account !== principal.account) continue;
        const common = commonScopes(scopes, new Set(grant.scopes.filter(isGrantRight)));
        if (common.size === 0) continue;
        reach.push(reachOf(target, common, reachedObjects(grant.objects)));
      }
      if (principal.kind === "agent") return reach;
      const common = commonScopes(scopes, approverScopes);
      if (common.size === 0) return reach;
      for (const agent of await access.listAgentsOfApprover(principal.agent)) {
        const target = await access.findOwner(agent);
        if (target === undefined || target.account !== principal.account) continue;
        reach.push(reachOf(target, common, holdMailboxes(await access.listHoldMailboxes(agent))));
      }
      return reach;
    },

    async listHolders(agent) {
      const holders: ReachHolder[] = [];
      const target = await access.findOwner(agent);
      for (const grant of await access.listGrantsOn(agent)) {
        const holder = isLive(grant, store.clock.now()) ? await access.findOwner(grant.agent) : undefined;
        if (holder === undefined || holder.account !== target?.account) continue;
        const scopes = new Set(grant.scopes.filter(isGrantRight));
        holders.push({ address: primaryAddress(holder), scopes, objects: reachedObjects(grant.objects) });
      }
      const approver = await access.findApprover(agent);
      const named = approver && (await access.findOwner(approver));
      if (named !== undefined && named.account === target?.account) {
        const objects = holdMailboxes(await access.listHoldMailboxes(agent));
        holders.push({ address: primaryAddress(named), scopes: approverScopes, objects });
      }
      return holders;
    },

    findOwner,

    async listColleagues(account) {
      const rows = await listAgents(store, account);
      return rows.map((row) => ({
        agent: row.agent,
        kind: row.kind,
        name: row.name,
        address: primaryAddress(row),
      }));
    },

    findAgentFacts: (agent) => findAgentFacts(access, agent),

    async resolveRecipient(address) {
      const { domain, localPart } = readAddress(address);
      const recipients = await findRecipients(domain, localPart);
      if (recipients.length > 0) return { kind: "local", recipients };
      if ((await findDomain(store, domain)) === undefined) return { kind: "remote" };
      const responsible = roleNames.includes(localPart) ? await findResponsible(store, domain) : undefined;
      if (responsible === undefined) return { kind: "unknown" };
      return { kind: "local", recipients: [recipientOf(responsible)] };
    },

    async isOwnAddress(principal, address) {
      const parsed = parseAddress(address);
      if (parsed === undefined) return false;
      const recipients = await findRecipients(parsed.domain, parsed.localPart);
      return recipients.some((recipient) => recipient.agent === principal.agent);
    },
  };
  return accounts;
}

function reachOf(target: OwnerRow, scopes: Reach["scopes"], objects: ReachedObjects): Reach {
  const { agent, kind, name } = target;
  return { agent, kind, address: primaryAddress(target), name, scopes, objects };
}

function reachedObjects(granted: GrantedObjects): ReachedObjects {
  return ofGrantedKinds((kind) => {
    const named = granted[kind];
    return named === "all" ? "all" : new Set(named);
  });
}

/** The scopes of an approver whom the operator named: they are for the mailboxes of mail that waits, and for no other mail. */
const approverScopes: ReadonlySet<Scope> = new Set(["mail", "approve"]);

function holdMailboxes(mailboxes: readonly MailboxNumber[]): ReachedObjects {
  return ofGrantedKinds((kind) => new Set(kind === "mailbox" ? mailboxes : []));
}

/** The local part of a catch-all row: the row is for every local part of the domain that has no row. */
const catchAllLocalPart = "*";

function recipientOf(row: AddressTargetRow | AgentRow, tag?: string): LocalRecipient {
  const { account, agent, byteCount, quotaBytes } = row;
  const recipient = { account, agent, address: primaryAddress(row), byteCount, quotaBytes };
  return tag === undefined ? recipient : { ...recipient, tag };
}

export function isLive({ revokedAt, expiresAt }: TokenRow | GrantRow, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function unauthorized(): WaypostError {
  return new WaypostError("unauthorized", "The credential is missing, unknown, revoked or expired.");
}

/** A salt for an unknown address. It is always the same for one address, so it looks like a real salt (RFC 5802 section 5.1). */
function inventedSalt(store: Store, address: string): Buffer {
  return createHmac("sha256", store.key("invented-salt"))
    .update(address)
    .digest()
    .subarray(0, scramSaltBytes);
}
