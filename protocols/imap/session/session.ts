/** One client's session: who is logged in, what is enabled, which mailbox is selected. Commands change it through its
 *  methods. Only those that read more from the client use the socket (AUTHENTICATE, IDLE, STARTTLS). */

import type { Connection } from "#/protocols/connection/connection.ts";
import type { ConnectionPlace } from "#/protocols/connection/connection-door.ts";
import { type Logins, loggedLogins } from "#/protocols/connection/logged-logins.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import { newRequestDigits } from "#/src/model/author.ts";
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

/** Sends events of mailboxes other than the selected one (`notify/watch.ts`). */
export interface Watch {
  /** NOTIFY was used: its events are sent between commands too, and other events of the selected mailbox are not sent. */
  readonly isNotify: boolean;
  /** Which events of the selected mailbox are sent. */
  readonly selected: SelectedEvents;
  /** EXPUNGE of the selected mailbox may be sent at any time (RFC 5465 section 6.1.1). */
  readonly isImmediate: boolean;
  /** Called when ENABLE METADATA was given. */
  addAnnotations(): Promise<void>;
  tell(out: ResponseWriter): Promise<void>;
  /** Records a change that the client made itself, so that it is not sent to it. */
  own(agent: AgentNumber, modseq: Modseq): void;
  /** Calls the listener at each new change, and at once if there was one while none listened. */
  onRing(listener: (() => void) | undefined): void;
  close(): void;
}

export class Session {
  readonly rooms: ServedRooms;
  readonly connection: Connection;
  /** Identifies the session in log lines. */
  readonly id = newRequestDigits();
  /** Tag of the running command. ESEARCH responses repeat it. */
  tag = "";
  /** CONDSTORE was enabled while a mailbox is selected: its HIGHESTMODSEQ is still to be sent. */
  owesHighestModseq = false;
  readonly #enabled = new Set<Extension>();
  readonly #place: ConnectionPlace;
  readonly #commands: readonly AnnouncedCommand[];
  #principal: Principal | undefined;
  #access: MailboxAccess | undefined;
  #selected: SelectedMailbox | undefined;
  #watch: Watch | undefined;
  #failedLogins = 0;

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

  /** How many messages one command may apply to (RFC 9738). */
  get messageLimit(): number {
    return this.rooms.settings.imap.messageLimit;
  }

  /** Whether a password may be sent in clear text: the connection is encrypted or does not leave this machine. */
  get mayUsePlainText(): boolean {
    return this.connection.isEncrypted || this.connection.isLoopback;
  }

  get principal(): Principal {
    if (this.#principal === undefined) throw bad("Log in first");
    return this.#principal;
  }

  /** The owner of the mailboxes whose names have no namespace prefix. */
  get agent(): AgentNumber {
    return this.principal.agent;
  }

  /** The mailboxes that this client may use: its own and those shared with it. */
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
    return loggedLogins(accounts, log, { door: "imap", protocol: "imap", session: this.id });
  }

  /** Logs in as the principal that `authenticate` gives, and counts its failures. */
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

  /** Stops counting the connection for its owner. So a client that has been told the end of the connection can log in again at
   *  once. */
  endLogin(): void {
    this.#place.giveBack();
  }

  /** Throws BYE if the selected mailbox is no longer shared, the credential is revoked or expired, or its owner is deleted. */
  async assertCurrent(): Promise<void> {
    if (this.#principal === undefined) return;
    if (this.#selected?.mailbox.isOwn === false) await this.#assertShared(this.#selected.mailbox);
    try {
      await this.rooms.accounts.assertCurrent(this.#principal);
    } catch (error) {
      if (!isWaypostError(error) || error.code !== "unauthorized") throw error;
      throw new Refusal("BYE", "The credential is no longer valid", "EXPIRED", { cause: error });
    }
  }

  async #assertShared(mailbox: ReachedMailbox): Promise<void> {
    try {
      await this.access.assertKept(mailbox);
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

  /** A mailbox name in the encoding of this client, as an astring. */
  writeName(name: string): string {
    const octets = encodeMailboxName(name, this.names);
    return this.names === "utf8" ? utf8StringText(octets) : stringText(octets);
  }

  /** The mailbox of that name. Throws NO if it does not exist or the client has not the right on it. */
  async findMailbox(name: string, right: Right = "r"): Promise<ReachedMailbox> {
    const mailbox = await this.access.find(name, right);
    if (mailbox === undefined) throw no("NONEXISTENT", "No such mailbox");
    return mailbox;
  }

  /** The mailbox into which messages are put. Throws NO [TRYCREATE] if it does not exist. */
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

  /** Records messages that a command of this session put into a mailbox. */
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

  /** The watch of NOTIFY or ENABLE METADATA, if they were used. */
  get watch(): Watch | undefined {
    return this.#watch;
  }

  set watch(watch: Watch | undefined) {
    this.#watch?.close();
    this.#watch = watch;
  }

  /** `isAnswer`: all changes are sent, whatever NOTIFY asked for, since they belong to the answer of the command. */
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

  /** Returns to the state before the login: nobody is logged in, nothing is selected or enabled (RFC 8437 section 4.1). */
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

  /** `logOut` before another login. The connection counts as unauthenticated again; its network may have too many of those. */
  async unauthenticate(): Promise<void> {
    await this.logOut();
    if (!this.#place.giveBack()) throw new Refusal("BYE", "Too many connections", "LIMIT");
  }
}
