/** A mail with an iTIP message in it, as it is delivered. */
import type { ItemProvenance } from "#/src/collections/item.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { ArrivingCalendar } from "./arriving-calendar.ts";

export interface ArrivingMail {
  readonly calendar: ArrivingCalendar;
  /** The one address of From, which the evidence has proven. */
  readonly author: string;
  readonly recipients: readonly {
    readonly agent: AgentNumber;
    /** Under which the mail came to it. */
    readonly addresses: readonly string[];
  }[];
  readonly provenance: ItemProvenance;
}
