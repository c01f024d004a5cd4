/** Operators at the pages. A link that the command line prints makes a passkey of a named operator, and the passkey begins sessions. Nothing
 *  else does: an operator has no mailbox, no password and, at the pages, no token. */
import { publicOrigin } from "#/config/public-origin.ts";
import type { Settings } from "#/config/schema.ts";
import type { Operator, Operators } from "#/src/accounts/operators.ts";
import { isLivePageSession } from "#/src/accounts/page-session.ts";
import { hashToken, isWellFormedOperatorLink } from "#/src/accounts/secrets.ts";
import { type Author, server } from "#/src/model/author.ts";
import { ifAvailable, WaypostError } from "#/src/model/errors.ts";
import {
  findLinkedOperator,
  findOperatorPasskey,
  findOperatorSession,
  findOperatorSessionByNumber,
  listOperatorPasskeys,
  listOperatorSessions,
} from "#/storage/queries/accounts/operator-sign-ins.ts";
import type { OperatorPasskeyRow, OperatorSessionRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { createChallenges } from "./challenges.ts";
import { type Browser, newSession, seenExactnessMs } from "./new-session.ts";
import { createPasskeys, type PasskeyOptions } from "./passkeys.ts";

export type { Browser } from "./new-session.ts";
export type { PasskeyOptions } from "./passkeys.ts";

export interface OperatorSession {
  readonly number: number;
  readonly operator: Operator;
  readonly author: Author;
}

export interface OperatorSignIn {
  /** The session of a cookie; undefined once it or its operator has ended. */
  findSession(token: string): Promise<OperatorSession | undefined>;
  /** Whether a session still stands: neither it nor its operator has ended. */
  isSignedIn(session: OperatorSession): Promise<boolean>;
  /** What a browser is asked that opens a link. Spends nothing. Throws `unauthorized` for a link that can't be used. */
  askToJoin(link: string): Promise<PasskeyOptions>;
  /** Spends a link. `created`: the passkey that the browser has made for it. Answers what is for the cookie. Throws `unauthorized`. */
  byLink(link: string, created: string, browser: Browser): Promise<{ token: string; operator: Operator }>;
  /** What a browser is asked that signs in. */
  askToSignIn(): PasskeyOptions;
  byPasskey(answer: string, browser: Browser): Promise<{ token: string; operator: Operator }>;
  /** What a browser is asked before an act. `shown`: what the page shows, so that the answer allows this and nothing else. */
  ask(session: OperatorSession, shown: string): PasskeyOptions;
  /** Throws `unauthorized` unless a passkey of the session's operator has answered, for this act. */
  prove(session: OperatorSession, shown: string, answer: string): Promise<void>;
  listPasskeys(session: OperatorSession): Promise<readonly OperatorPasskeyRow[]>;
  /** Throws `policy_refused` for the only one. */
  removePasskey(session: OperatorSession, passkey: number): Promise<void>;
  /** The live ones, the newest first. */
  listSessions(session: OperatorSession): Promise<readonly OperatorSessionRow[]>;
  /** Ends one session of the operator, or all but the one that asks. */
  endSessions(session: OperatorSession, which: { readonly number: number } | "others"): Promise<void>;
}

export interface OperatorSignInRooms {
  readonly store: Store;
  readonly settings: Settings;
  readonly operators: Pick<Operators, "find">;
}

/** `httpPort`: the port that HTTP is bound to. */
export function createOperatorSignIn(
  { store, settings, operators }: OperatorSignInRooms,
  httpPort?: number,
): OperatorSignIn {
  const now = () => store.clock.now();
  const origin = publicOrigin(settings, httpPort) ?? "http://localhost";
  // A key of its own: no answer to a page for people is one to a page for operators.
  const challenges = createChallenges(store.key("operator-page-challenge"), now);
  const passkeys = createPasskeys(store, challenges, origin, (id) => findOperatorPasskey(store, id));

  async function live(number: number): Promise<Operator> {
    const operator = await operators.find(number);
    if (operator === undefined) throw new WaypostError("unauthorized", "There is no such operator.");
    return operator;
  }

  async function opened(link: string): Promise<{ hash: Buffer; operator: Operator }> {
    const hash = hashToken(link);
    const number = isWellFormedOperatorLink(link) ? await findLinkedOperator(store, hash, now()) : undefined;
    if (number === undefined) throw new WaypostError("unauthorized", "The link is unknown, used or expired.");
    return { hash, operator: await live(number) };
  }

  return {
    async findSession(token) {
      const row = await findOperatorSession(store, hashToken(token.slice(0, 100)));
      if (row === undefined || !isLivePageSession(row, now())) return undefined;
      const operator = await operators.find(row.operator);
      if (operator === undefined) return undefined;
      if (now() - row.seenAt >= seenExactnessMs)
        await ifAvailable(store.write(server, "touchOperatorSession", { session: row.session, at: now() }));
      const { session: number } = row;
      const author = {
        kind: "operator",
        agent: 0,
        credential: row.operator,
        door: "pages",
        request: "",
      } as const;
      return { number, operator, author };
    },

    async isSignedIn({ number, operator }) {
      const row = await findOperatorSessionByNumber(store, number);
      if (row === undefined || !isLivePageSession(row, now())) return false;
      return (await operators.find(operator.number)) !== undefined;
    },

    async askToJoin(link) {
      const { hash, operator } = await opened(link);
      const known = await listOperatorPasskeys(store, operator.number);
      const name = `${operator.name} (operator)`;
      const owner = { id: `operator ${operator.number}`, address: name, name };
      return passkeys.creation("join", hash.toString("hex"), owner, known);
    },

    async byLink(link, created, browser) {
      const { hash, operator } = await opened(link);
      const passkey = await passkeys.checkCreated(created, "join", hash.toString("hex"), browser.device);
      const { token, session } = newSession(browser, "invitation");
      await store.write(server, "useOperatorLink", { hash, session, passkey, at: now() });
      return { token, operator };
    },

    askToSignIn: () => passkeys.request("sign-in", ""),

    async byPasskey(answer, browser) {
      const { passkey, signCount, challenge } = await passkeys.checkAnswer(answer, "sign-in", "");
      const operator = await live(passkey.operator);
      const { token, session } = newSession(browser, "passkey");
      const used = { passkey: passkey.passkey, signCount, challenge, session, at: now() };
      await store.write(server, "useOperatorPasskey", used);
      return { token, operator };
    },

    ask: (session, shown) => passkeys.request("credential", boundTo(session, shown)),

    async prove(session, shown, answer) {
      const { passkey, signCount, challenge } = await passkeys.checkAnswer(
        answer,
        "credential",
        boundTo(session, shown),
      );
      if (passkey.operator !== session.operator.number)
        throw new WaypostError("unauthorized", "The passkey is of somebody else.");
      const used = { passkey: passkey.passkey, signCount, challenge, at: now() };
      await store.write(session.author, "useOperatorPasskey", used);
    },

    listPasskeys: ({ operator }) => listOperatorPasskeys(store, operator.number),

    async removePasskey({ operator, author }, passkey) {
      await store.write(author, "removeOperatorPasskey", { operator: operator.number, passkey });
    },

    async listSessions({ operator }) {
      const rows = await listOperatorSessions(store, operator.number);
      return rows.filter((row) => isLivePageSession(row, now()));
    },

    async endSessions({ operator, author, number }, which) {
      const some = which === "others" ? { except: number } : { session: which.number };
      await store.write(author, "endOperatorSessions", { operator: operator.number, ...some, at: now() });
    },
  };
}

/** An answer is for one session: another browser of the operator can't use it. */
function boundTo({ number }: OperatorSession, shown: string): string {
  return `${number}\n${shown}`;
}
