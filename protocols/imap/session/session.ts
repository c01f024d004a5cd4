/** One client's session: who is logged in, what is enabled, which mailbox is selected. Commands change it through its
 *  methods; the socket is only seen by the few that read on (AUTHENTICATE, IDLE, STARTTLS). */

import { randomUUID } from "node:crypto";
import type { Connection } from "#/protocols/connection/connection.ts";
import type { ConnectionPlace } from "#/protocols/connection/connection-door.ts";
import { type Logins, loggedLogins } from "#/protocols/connection/logged-logins.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { createMailboxAccess, type MailboxAccess, type ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import type { Right } from "#/src/reach/mailbox-rights.ts";
import { listCapabilities } from "../capabilities.ts";
import type { AnnouncedCommand, State } from "../command-context.ts";
import { bad, no, Refusal } from "../errors.ts";
import { failedLoginsMax, loginTimeoutMs } from "../limits.ts";
import { encodeMailboxName, type NameMode } from "../mailboxes/mailbox-name.ts";
import type { ServedRooms } from "../rooms.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { stringText, utf8StringText } from "../wire/strings.ts";
import { allEvents, type SelectedEvents, SelectedMailbox, type TellOptions } from "./selected-mailbox.ts";

export const extensions = [
  "CONDSTORE",
  "IMAP4REV2",
  "METADATA",
  "QRESYNC",
  "UIDONLY",
  "UTF8=ACCEPT",
] as const;
export type Extension = (typeof extensions)[number];

/** What happens elsewhere than in the selected mailbox, told to the client (`notify-watch.ts`). */
export interface Watch {
  /** NOTIFY was used: what it asks for is told between commands too, and of the selected mailbox nothing else. */
  readonly isNotify: boolean;
  /** Events of the selected mailbox. */
  readonly selected: SelectedEvents;
  /** EXPUNGE of the selected mailbox may be told at any time (RFC 5465 section 6.1.1). */
  readonly isImmediate: boolean;
  /** METADATA was enabled. */
  addAnnotations(): Promise<void>;
  tell(out: ResponseWriter): Promise<void>;
  /** The client made this change itself: it is not told. */
  own(agent: AgentNumber, modseq: Modseq): void;
  /** Calls back at each doorbell, at once if one was missed. */
  onRing(listener: (() => void) | undefined): void;
  close(): void;
}

export class Session {
  readonly rooms: ServedRooms;
  readonly connection: Connection;
  /** Names the session in the log. */
  readonly id = randomUUID().slice(0, 13);
  /** Tag of the command that runs: ESEARCH names it. */
  tag = "";
  /** CONDSTORE was enabled in a mailbox: its HIGHESTMODSEQ is to be told. */
  owesHighestModseq = false;
  readonly #enabled = new Set<Extension>();
  readonly #place: ConnectionPlace;
  readonly #commands: readonly AnnouncedCommand[];
  #principal: Principal | undefined;
  #access: MailboxAccess | undefined;
  #selected: SelectedMailbox | undefined;
  #watch: Watch | undefined;
  #failedLogins = 0;
  #checkedAt = 0;

  constructor(
    rooms: ServedRooms,
    connection: Connection,
    place: ConnectionPlace,
    commands: readonly AnnouncedCommand[],
  ) {
    this.rooms = rooms;
    this.connection = connection;
    this.#place = place;
    this.#commands = commands;
  }

  get state(): State {
    if (this.#principal === undefined) return "unauthenticated";
    return this.#selected === undefined ? "authenticated" : "selected";
  }

  /** What CAPABILITY says now. */
  capabilities(): string[] {
    const { connection } = this;
    return listCapabilities(this.#commands, {
      state: this.state,
      mayUsePlainText: this.mayUsePlainText,
      hasChannelBinding: connection.channelBinding !== undefined,
      canStartTls: !connection.isEncrypted,
      isCompressed: connection.isCompressed,
      maxAppendBytes: this.rooms.settings.imap.maxAppendBytes,
      messageLimit: this.messageLimit,
    });
  }

  /** Messages that one command is for (RFC 9738). */
  get messageLimit(): number {
    return this.rooms.settings.imap.messageLimit;
  }

  /** A password may cross the line when it is encrypted or does not leave this machine. */
  get mayUsePlainText(): boolean {
    return this.connection.isEncrypted || this.connection.isLoopback;
  }

  get principal(): Principal {
    if (this.#principal === undefined) throw bad("Log in first");
    return this.#principal;
  }

  /** Whose mailboxes names without a namespace are. */
  get agent(): AgentNumber {
    return this.principal.agent;
  }

  /** What this client reaches: its own mailboxes and what is shared with it. */
  get access(): MailboxAccess {
    if (this.#access === undefined) throw bad("Log in first");
    return this.#access;
  }

  get mayWrite(): boolean {
    return this.principal.scopes.has("mail");
  }

  get selected(): SelectedMailbox {
    if (this.#selected === undefined) throw bad("Select a mailbox first");
    return this.#selected;
  }

  get logins(): Logins {
    const { accounts, log } = this.rooms;
    return loggedLogins(accounts, log, { protocol: "imap", session: this.id });
  }

  /** Logs in with what `authenticate` finds, and counts where it fails. */
  async logIn(authenticate: () => Promise<Principal>): Promise<void> {
    let principal: Principal;
    try {
      principal = await authenticate();
    } catch (error) {
      if (++this.#failedLogins < failedLoginsMax || error instanceof Refusal) throw error;
      throw new Refusal("BYE", "Too many failed logins");
    }
    if (!principal.scopes.has("mail") && !principal.scopes.has("mail:read"))
      throw no("NOPERM", "This credential may not read mail");
    if (!this.#place.claim(principal)) throw no("LIMIT", "Too many open connections of this mailbox owner");
    this.#principal = principal;
    this.#access = createMailboxAccess({ rooms: this.rooms, principal });
    this.connection.timeoutMs = this.rooms.settings.imap.idleTimeoutMs;
  }

  /** The connection counts for its owner no longer, so that whoever is told that it has ended can log in anew at once. */
  endLogin(): void {
    this.#place.giveBack();
  }

  /** Throws BYE once the selected mailbox is no longer shared, or the credential is revoked, expired or its owner deleted.
   *  The latter is asked at most once in a while. */
  async assertCurrent(): Promise<void> {
    if (this.#principal === undefined) return;
    await this.#assertShared();
    const now = performance.now();
    if (now - this.#checkedAt < currencyMs) return;
    this.#checkedAt = now;
    try {
      await this.rooms.accounts.assertCurrent(this.#principal);
    } catch (error) {
      if (!isWaypostError(error) || error.code !== "unauthorized") throw error;
      throw new Refusal("BYE", "The credential is no longer valid", "EXPIRED", { cause: error });
    }
  }

  async #assertShared(): Promise<void> {
    if (this.#selected === undefined || this.#selected.mailbox.isOwn) return;
    try {
      await this.access.assertKept(this.#selected.mailbox);
    } catch (error) {
      if (!isWaypostError(error) || error.code !== "forbidden_scope") throw error;
      throw new Refusal("BYE", "The mailbox is no longer shared", "NOPERM", { cause: error });
    }
  }

  isEnabled(extension: Extension): boolean {
    return this.#enabled.has(extension);
  }

  enable(extension: Extension): void {
    // RFC 7162 section 3.2.3.
    if (extension === "QRESYNC") this.enable("CONDSTORE");
    if (extension === "CONDSTORE" && !this.isEnabled("CONDSTORE"))
      this.owesHighestModseq = this.#selected !== undefined;
    this.#enabled.add(extension);
    if (extension === "UIDONLY" && this.#selected !== undefined) {
      this.#selected.isUidOnly = true;
      this.#selected.contexts.speakUids();
    }
    if (extension === "IMAP4REV2") this.#selected?.forgetRecent();
  }

  get names(): NameMode {
    return this.isEnabled("IMAP4REV2") || this.isEnabled("UTF8=ACCEPT") ? "utf8" : "utf7";
  }

  /** A mailbox name as this client reads it: an astring in its mode. */
  writeName(name: string): string {
    const octets = encodeMailboxName(name, this.names);
    return this.names === "utf8" ? utf8StringText(octets) : stringText(octets);
  }

  /** The mailbox of that name if this client has the right on it, or NO. */
  async findMailbox(name: string, right: Right = "r"): Promise<ReachedMailbox> {
    const mailbox = await this.access.find(name, right);
    if (mailbox === undefined) throw no("NONEXISTENT", "No such mailbox");
    return mailbox;
  }

  /** The mailbox that messages are to be put into; NO [TRYCREATE] says that creating it would help. */
  async findTarget(name: string): Promise<ReachedMailbox> {
    const mailbox = await this.access.find(name, "i");
    if (mailbox === undefined) throw no("TRYCREATE", "No such mailbox");
    return mailbox;
  }

  async select(mailbox: ReachedMailbox, isReadOnly: boolean): Promise<SelectedMailbox> {
    await this.unselect();
    this.#selected = await SelectedMailbox.open(
      this.rooms,
      mailbox,
      isReadOnly || !mailbox.rights.has("w"),
      !this.isEnabled("IMAP4REV2"),
    );
    this.#selected.isUidOnly = this.isEnabled("UIDONLY");
    return this.#selected;
  }

  /** Messages that a command of this session put into a mailbox. */
  made({ agent, number }: Pick<ReachedMailbox, "agent" | "number">, uids: NumberSet): void {
    const selected = this.#selected;
    if (selected?.mailbox.agent === agent && selected.mailbox.number === number) selected.made(uids);
  }

  /** Leaves the selected mailbox. Whether there was one. */
  async unselect(): Promise<boolean> {
    const selected = this.#selected;
    this.#selected = undefined;
    await selected?.close();
    return selected !== undefined;
  }

  /** What NOTIFY or ENABLE METADATA asked for, if they were used. */
  get watch(): Watch | undefined {
    return this.#watch;
  }

  set watch(watch: Watch | undefined) {
    this.#watch?.close();
    this.#watch = watch;
  }

  /** `isAnswer`: everything is told, as it belongs to the answer of the command, whatever NOTIFY asked for. */
  tellOptions(mayExpunge: boolean, hasUid: boolean, isAnswer = false): TellOptions {
    const hasCondstore = this.isEnabled("CONDSTORE");
    const notify = this.#watch?.isNotify ? this.#watch : undefined;
    const notified = notify?.selected ?? allEvents;
    return {
      mayExpunge,
      // RFC 7162 section 3.2.4.
      hasUid: hasUid || hasCondstore || notify !== undefined,
      events: isAnswer ? { ...allEvents, newItems: notified.newItems } : notified,
      hasCondstore,
      hasVanished: this.isEnabled("QRESYNC") || this.isEnabled("UIDONLY"),
    };
  }

  /** Back to before the login: whose session it was, what was selected and enabled are forgotten (RFC 8437 section 4.1). */
  async logOut(): Promise<void> {
    const leaving = this.unselect();
    this.watch = undefined;
    this.#principal = undefined;
    this.#access = undefined;
    this.#enabled.clear();
    this.owesHighestModseq = false;
    this.connection.timeoutMs = loginTimeoutMs;
    await leaving;
  }

  /** `logOut` for another login: the connection is a stranger's again, and its network may have too many of them. */
  async unauthenticate(): Promise<void> {
    await this.logOut();
    if (!this.#place.giveBack()) throw new Refusal("BYE", "Too many connections", "LIMIT");
  }
}

/** How stale the knowledge that a credential is valid may be. */
const currencyMs = 5000;
