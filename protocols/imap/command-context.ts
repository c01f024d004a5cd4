/** What a command depends on: the state of the connection, the form of the command, what CAPABILITY announces. */
import type { NameMode } from "./mailboxes/mailbox-name.ts";

/** Connection states (RFC 9051 section 3). */
export type State = "unauthenticated" | "authenticated" | "selected";

/** `uid`: the command with UID before its name, naming messages by UID (RFC 9051 section 6.4.9). */
export type Form = "plain" | "uid";

export interface ParseContext {
  readonly form: Form;
  readonly names: NameMode;
}

/** What capabilities depend on. */
export interface CapabilityContext {
  readonly state: State;
  /** Whether a password may cross the line: it is encrypted or does not leave this machine. */
  readonly mayUsePlainText: boolean;
  /** Whether a login can be bound to the TLS connection. */
  readonly hasChannelBinding: boolean;
  readonly canStartTls: boolean;
  readonly isCompressed: boolean;
  readonly maxAppendBytes: number;
  readonly messageLimit: number;
}

/** What of a command says whether it can be used. */
export interface AnnouncedCommand {
  readonly states: readonly State[];
  /** What it adds to CAPABILITY while its state can still be reached. */
  readonly capabilities?: readonly string[] | ((context: CapabilityContext) => readonly string[]);
}
