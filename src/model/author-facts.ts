/** What was known of the author of a mail when it was received. It is stored with the mail, and with the event that came by it. */
import type { AgentNumber, ItemNumber } from "./numbers.ts";

export interface AuthorFacts {
  /** The mailbox that received it. A copy for another owner takes the provenance along, and its contacts are others. */
  readonly mailbox: AgentNumber;
  /** The exact address is one of a contact or of the account, or was written to before; only of authenticated mail. */
  readonly isKnown: boolean;
  /** When authenticated mail of the exact address first came, before this one. */
  readonly firstSeen?: number;
  /** The contact that has the exact address. */
  readonly contact?: ItemNumber;
  readonly resembles?: readonly Resemblance[];
}

/** Whom the author may be taken for: a contact, a mailbox of the account, or an address that a person wrote to. */
export interface Resemblance {
  readonly by: "name" | "address";
  readonly contact?: ItemNumber;
  readonly mailbox?: AgentNumber;
  readonly address?: string;
}
