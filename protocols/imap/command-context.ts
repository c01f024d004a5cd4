/** What the parsing of a command and CAPABILITY depend on: the state of the connection and the form of the command. */
import type { NameMode } from "./mailboxes/mailbox-name.ts";

/** Connection states (RFC 9051 section 3). */
export type State = "unauthenticated" | "authenticated" | "selected";

/** `uid`: UID stands before the command's name, and the command names messages by UID (RFC 9051 section 6.4.9). */
export type Form = "plain" | "uid";

export interface ParseContext {
  readonly form: Form;
  readonly names: NameMode;
}

/** What capabilities depend on. */
export interface CapabilityContext {
  readonly state: State;
  /** Whether a password may be sent in clear text: the connection is encrypted or does not leave this machine. */
  readonly mayUsePlainText: boolean;
  /** Whether channel binding to the TLS connection is possible. */
  readonly hasChannelBinding: boolean;
  readonly canStartTls: boolean;
  readonly isCompressed: boolean;
  readonly maxAppendBytes: number;
  readonly messageLimit: number;
}

/** The part of a command that says in which states it can be used. */
export interface AnnouncedCommand {
  readonly states: readonly State[];
  /** Capabilities that the command adds while its states can still be reached. */
  readonly capabilities?: readonly string[] | ((context: CapabilityContext) => readonly string[]);
}
