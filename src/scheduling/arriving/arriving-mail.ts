/** A delivered mail with an iTIP message in it. */
import type { ItemProvenance } from "#/src/collections/item.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { ArrivingCalendar } from "./arriving-calendar.ts";

export interface ArrivingMail {
  readonly calendar: ArrivingCalendar;
  /** The only address of From, which was authenticated. */
  readonly author: string;
  readonly recipients: readonly {
    readonly agent: AgentNumber;
    /** The addresses to which the mail came. */
    readonly addresses: readonly string[];
  }[];
  readonly provenance: ItemProvenance;
}
