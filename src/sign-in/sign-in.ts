/** Who sits at a browser: sessions of people on the pages, how they begin, and what proves that the person decides and not a program that
 *  drives the browser. Nothing that stands in a mailbox begins a session: only an invitation of the command line, an app password or a
 *  passkey of the person does. */
import { publicOrigin } from "#/config/public-origin.ts";
import type { Settings } from "#/config/schema.ts";
import type { Accounts, Principal } from "#/src/accounts/accounts.ts";
import { endOfPageSession, isLivePageSession } from "#/src/accounts/page-session.ts";
import { isUnbounded, mayDecide, principalOf } from "#/src/accounts/principal.ts";
import { hashToken, isWellFormedInvitation } from "#/src/accounts/secrets.ts";
import { server } from "#/src/model/author.ts";
import { ifAvailable, WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { NoticeRooms } from "#/src/outbound/holds/approver-mail.ts";
import {
  defaultPageSettings,
  findInvited,
  findPageSettings,
  findPasskey,
  listPageSessions,
  listPasskeys,
  listUsedInvitations,
} from "#/storage/queries/accounts/sign-ins.ts";
import type { PageSessionRow, UsedInvitationRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { NewPageSession } from "#/storage/writing/accounts/page-sessions.ts";
import { type AgentsOfMine, createAgentsOfMine } from "./agents-of-mine.ts";
import { createChallenges, type Purpose } from "./challenges.ts";
import { type Browser, newSession, seenExactnessMs } from "./new-session.ts";
import { createOwnAccess, type OwnAccess } from "./own-access.ts";
import type { OwnExports } from "./own-export.ts";
import { createOwnPushes, type OwnPushes } from "./own-pushes.ts";
import type { PageSession } from "./page-session.ts";
import { createPasskeys, type PasskeyOptions } from "./passkeys.ts";
import type { PushSubscriptions } from "./push-subscriptions.ts";
import { createShares, type Shares } from "./shares.ts";
import type { Teller } from "./tell-of-sign-in.ts";
import { createTestMail, type TestMail } from "./test-mail.ts";

export type { UsedInvitationRow } from "#/storage/rows.ts";
export type { AgentOfMine, MadeAgent } from "./agents-of-mine.ts";
export type { Purpose } from "./challenges.ts";
export type { Browser } from "./new-session.ts";
export type { PageSession } from "./page-session.ts";
export type { PasskeyOptions } from "./passkeys.ts";
export type { Share } from "./shares.ts";

/** A session that has begun. */
export interface Begun {
  /** For the cookie. It is not stored. */
  readonly token: string;
  readonly principal: Principal;
}

/** What proves that a person decides: the answer of a passkey, or an app password that was typed for it. */
export type Proof =
  | { readonly kind: "passkey"; readonly answer: string }
  | { readonly kind: "password"; readonly password: string; readonly remoteAddress: string };

export interface SignIn extends OwnAccess, OwnPushes, OwnExports, Shares, AgentsOfMine, TestMail {
  /** The session of a cookie; undefined once it has ended or expired, or its person is deleted. A request is a use of it, which a stream
   *  that stays open is not. */
  findSession(token: string, by: "request" | "stream"): Promise<PageSession | undefined>;
  /** With an app password of a person. Throws `unauthorized`, `rate_limited`, `forbidden_scope` for one that is bound to some scopes. */
  byPassword(address: string, password: string, browser: Browser): Promise<Begun>;
  byPasskey(answer: string, browser: Browser): Promise<Begun>;
  /** Spends an invitation. `created`: the passkey that the browser has made for it, if it can. */
  byInvitation(invitation: string, created: string | undefined, browser: Browser): Promise<Begun>;
  /** What a browser is asked that signs in. */
  askToSignIn(): PasskeyOptions;
  /** What a browser is asked that makes the first passkey. Spends nothing. Throws `unauthorized` for an invitation that can't be used. */
  askToJoin(invitation: string): Promise<PasskeyOptions>;
  /** What a browser is asked before an act. `shown`: what the page shows, so that the answer allows this and nothing else. */
  ask(session: PageSession, purpose: Purpose, shown: string): PasskeyOptions;
  /** Throws `unauthorized` unless the proof is of the session's person, for this act; `forbidden_scope` for an app password whose scopes are not
   *  enough for it. */
  prove(session: PageSession, purpose: Purpose, shown: string, proof: Proof): Promise<void>;
  /** The live ones, the newest first. */
  listSessions(session: PageSession): Promise<readonly PageSessionRow[]>;
  /** Ends one session of the person, or all but the one that asks. */
  endSessions(session: PageSession, which: { readonly number: number } | "others"): Promise<void>;
  /** Invitations of the last 30 days that opened this account beside its passkeys. */
  listUsedInvitations(session: PageSession): Promise<readonly UsedInvitationRow[]>;
}

export interface SignInRooms {
  readonly store: Store;
  readonly accounts: Pick<Accounts, "access" | "authenticatePassword" | "findAgentFacts" | "listReach">;
  readonly prepare: NoticeRooms["prepare"];
  readonly settings: Settings;
  readonly tell: Teller;
  /** Mail that waited for a pause is due at its end. */
  readonly outbound: { ring(): void };
  readonly exports: OwnExports;
  readonly pushSubscriptions: PushSubscriptions;
}

const toldMs = 30 * 86_400_000;

/** `httpPort`: the port that HTTP is bound to. */
export function createSignIn(
  { store, accounts, settings, tell, outbound, prepare, exports, pushSubscriptions }: SignInRooms,
  httpPort?: number,
): SignIn {
  const now = () => store.clock.now();
  const origin = publicOrigin(settings, httpPort) ?? "http://localhost";
  const challenges = createChallenges(store.key("page-challenge"), now);
  const passkeys = createPasskeys(store, challenges, origin, (credential) => findPasskey(store, credential));

  async function principalOfPerson(agent: AgentNumber, number: number): Promise<Principal | undefined> {
    const row = await accounts.access.findOwner(agent);
    if (row?.kind !== "person") return undefined;
    const principal = principalOf(row, { kind: "session", number });
    return { ...principal, author: { ...principal.author, door: "pages" } };
  }

  async function begun(token: string, agent: AgentNumber, number: number): Promise<Begun> {
    const principal = await principalOfPerson(agent, number);
    if (principal === undefined) throw new WaypostError("unauthorized", "There is no such person.");
    return { token, principal };
  }

  /** Whether somebody has signed in as the person from this browser before. */
  async function isKnown(agent: AgentNumber, { device, network }: NewPageSession): Promise<boolean> {
    const before = await listPageSessions(store, agent);
    return before.some((one) => one.device === device && one.network === network);
  }

  /** Begins a session, and then tells the person of it if the browser is a new one: of an attempt that is refused nothing is told. */
  async function beginToldSession(
    agent: AgentNumber,
    session: NewPageSession,
    begin: () => Promise<{ readonly session: number | null }>,
  ): Promise<number> {
    const isNew = !(await isKnown(agent, session));
    const { session: number } = await begin();
    if (isNew) await tell(agent, { ...session, at: now(), isInvited: false });
    return number!;
  }

  return {
    ...createOwnAccess(store, passkeys),
    ...createOwnPushes(pushSubscriptions),
    ...exports,
    ...createShares(store),
    ...createAgentsOfMine({ store, accounts, settings, outbound }),
    ...createTestMail({ store, accounts, prepare }),

    async findSession(token, by) {
      const row = await accounts.access.findPageSession(hashToken(token.slice(0, 100)));
      if (row === undefined || !isLivePageSession(row, now())) return undefined;
      const principal = await principalOfPerson(row.agent, row.session);
      if (principal === undefined) return undefined;
      const isUsed = by === "request" && now() - row.seenAt >= seenExactnessMs;
      const seenAt = isUsed ? now() : row.seenAt;
      if (isUsed)
        await ifAvailable(store.write(server, "touchPageSession", { session: row.session, at: seenAt }));
      const { session: number, device, proof, createdAt } = row;
      const endsAt = endOfPageSession({ createdAt, seenAt });
      const settings = (await findPageSettings(store, row.agent)) ?? defaultPageSettings;
      return { number, principal, device, proof, createdAt, endsAt, settings };
    },

    async byPassword(address, password, browser) {
      const principal = await accounts.authenticatePassword(address, password, browser.remoteAddress, []);
      const { agent, kind, credential } = principal;
      if (kind !== "person" || credential.kind !== "password")
        throw new WaypostError("unauthorized", "The pages are for people.");
      if (!isUnbounded(principal)) throw boundPassword();
      const { token, session } = newSession(browser, "password");
      const number = await beginToldSession(agent, session, () =>
        store.write(server, "createPageSession", { agent, session, at: now() }),
      );
      return begun(token, agent, number);
    },

    async byPasskey(answer, browser) {
      const { passkey, signCount, challenge } = await passkeys.checkAnswer(answer, "sign-in", "");
      const { token, session } = newSession(browser, "passkey");
      const used = { passkey: passkey.passkey, signCount, challenge, session, at: now() };
      const number = await beginToldSession(passkey.agent, session, () =>
        store.write(server, "usePasskey", used),
      );
      return begun(token, passkey.agent, number);
    },

    async byInvitation(invitation, created, browser) {
      const { hash } = await openInvitation(store, invitation);
      const passkey =
        created === undefined
          ? undefined
          : await passkeys.checkCreated(created, "join", hash.toString("hex"), browser.device);
      const { token, session } = newSession(browser, "invitation");
      const used = await store.write(server, "useInvitation", { hash, session, passkey, at: now() });
      if (used.hadPasskey) await tell(used.agent, { ...session, at: now(), isInvited: true });
      return begun(token, used.agent, used.session);
    },

    askToSignIn: () => passkeys.request("sign-in", ""),

    async askToJoin(invitation) {
      const { hash, agent } = await openInvitation(store, invitation);
      const principal = await principalOfPerson(agent, 0);
      if (principal === undefined) throw noInvitation();
      const known = await listPasskeys(store, agent);
      const { address, name } = principal;
      return passkeys.creation("join", hash.toString("hex"), { id: `person ${agent}`, address, name }, known);
    },

    ask: (session, purpose, shown) => passkeys.request(purpose, boundTo(session, shown)),

    async prove(session, purpose, shown, proof) {
      const { agent, address } = session.principal;
      if (proof.kind === "passkey") {
        const { passkey, signCount, challenge } = await passkeys.checkAnswer(
          proof.answer,
          purpose,
          boundTo(session, shown),
        );
        if (passkey.agent !== agent)
          throw new WaypostError("unauthorized", "The passkey is of somebody else.");
        await store.write(session.principal.author, "usePasskey", {
          passkey: passkey.passkey,
          signCount,
          challenge,
          at: now(),
        });
        return;
      }
      // An app password lets a mail program approve; it makes no credential once there is a passkey.
      if (purpose !== "decide" && (await listPasskeys(store, agent)).length > 0)
        throw new WaypostError("unauthorized", "This needs a passkey.");
      const typed = await accounts.authenticatePassword(address, proof.password, proof.remoteAddress, []);
      if (typed.agent !== agent || typed.credential.kind !== "password")
        throw new WaypostError("unauthorized", "The app password is not accepted.");
      const isEnough = purpose === "decide" ? mayDecide(typed, agent) : isUnbounded(typed);
      if (!isEnough) throw boundPassword();
    },

    async listSessions({ principal }) {
      const rows = await listPageSessions(store, principal.agent);
      return rows.filter((row) => isLivePageSession(row, now()));
    },

    async endSessions({ principal: { agent, author }, number }, which) {
      const some = which === "others" ? { except: number } : { session: which.number };
      await store.write(author, "endPageSessions", { agent, ...some, at: now() });
    },

    listUsedInvitations: ({ principal }) => listUsedInvitations(store, principal.agent, now() - toldMs),
  };
}

/** An answer is for one session: another browser of the person can't use it. */
function boundTo({ number }: PageSession, shown: string): string {
  return `${number}\n${shown}`;
}

/** The hash of an invitation that can be used, and for whom it is. */
async function openInvitation(
  store: Store,
  invitation: string,
): Promise<{ readonly hash: Buffer; readonly agent: AgentNumber }> {
  const hash = hashToken(invitation);
  const agent = isWellFormedInvitation(invitation)
    ? await findInvited(store, hash, store.clock.now())
    : undefined;
  if (agent === undefined) throw noInvitation();
  return { hash, agent };
}

function noInvitation(): WaypostError {
  return new WaypostError("unauthorized", "The invitation is unknown, used or expired.");
}

function boundPassword(): WaypostError {
  return new WaypostError("forbidden_scope", "This app password is bound to some scopes.", {
    hint: "Use one that is not, or a passkey.",
  });
}
