/** The messages between the main thread and the threads that prepare mails. */
import type { Evidence } from "#/src/evidence/checks.ts";
import type { DnsSettings } from "#/src/evidence/dns.ts";
import type { Origin } from "#/src/evidence/examine.ts";
import type { ReceivedReport } from "#/src/formats/reports/received-report.ts";
import type { HeaderWant } from "#/src/mail/header-reading.ts";
import type { ArrivingCalendar } from "#/src/scheduling/arriving/arriving-calendar.ts";
import type { MessageFacts } from "#/storage/rows.ts";

/** Given to a thread when it starts. */
export interface PreparationSettings {
  readonly hostname: string;
  /** Names of this server: a foreign Authentication-Results field that claims one of them is forged. */
  readonly ownNames: readonly string[];
  readonly dns: DnsSettings;
}

/** Only what is asked for is read of it. */
export interface HeaderJob {
  readonly want: HeaderWant;
  readonly bytes: Uint8Array;
}

export interface HeaderAnswer {
  readonly answer: unknown;
}

export interface PreparationJob {
  /** Shared with the main thread, which still has them if this thread ends. */
  readonly bytes: Uint8Array;
  /** Present for mail from other servers: evidence is wanted. */
  readonly origin?: Origin | undefined;
  /** Evidence took too much work: the message is prepared without it. */
  readonly isUnexamined?: boolean;
  /** It does not arrive: it is put into a mailbox by its owner. */
  readonly put?: Put;
}

export interface Put {
  /** This server composed it: fields with its results stay. */
  readonly isOwn: boolean;
}

export interface Prepared {
  readonly facts: MessageFacts;
  /** Present for a mail with an iTIP message that calendars accept. */
  readonly calendar?: ArrivingCalendar;
  readonly evidence?: Evidence;
  /** Reports about domains, from an author who is authenticated. */
  readonly reports?: readonly ReceivedReport[];
}
