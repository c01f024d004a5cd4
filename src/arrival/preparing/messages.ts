/** What the main thread and the threads that prepare messages say to each other. */
import type { Evidence } from "#/src/evidence/checks.ts";
import type { DnsSettings } from "#/src/evidence/dns.ts";
import type { Origin } from "#/src/evidence/examine.ts";
import type { ReceivedReport } from "#/src/formats/reports/received-report.ts";
import type { ArrivingCalendar } from "#/src/scheduling/arriving-calendar.ts";
import type { MessageFacts } from "#/storage/rows.ts";

/** Given to a thread when it starts. */
export interface PreparationSettings {
  readonly hostname: string;
  /** Names of this server: a foreign Authentication-Results field that claims one of them is forged. */
  readonly ownNames: readonly string[];
  readonly dns: DnsSettings;
}

export interface PreparationJob {
  /** Shared with the main thread, which has them again if this thread ends. */
  readonly bytes: Uint8Array;
  /** Of mail from other servers: evidence is wanted. */
  readonly origin?: Origin | undefined;
  /** Evidence was too much work: the message is taken without. */
  readonly isUnexamined?: boolean;
}

export interface Prepared {
  readonly facts: MessageFacts;
  /** Of a mail with an iTIP message that calendars take. */
  readonly calendar?: ArrivingCalendar;
  readonly evidence?: Evidence;
  /** About domains; of an author who is authenticated. */
  readonly reports?: readonly ReceivedReport[];
}
