/** Messages of an owner's calendars to others, as the rooms above the store read and write them. */

/** left: it was sent, or is in a calendar here. waiting: a hold has it. refused: it did not leave, or a person declined it. unapproved: an
 *  agent or a program has changed the event in a person's calendar, and that did not leave: what the person sends next to the recipients
 *  waits for the person. */
export type CalendarMessageState = "left" | "waiting" | "refused" | "unapproved";

/** A recipient by its calendar user address, and as the envelope of a mail names it; the latter is empty for a calendar here. */
export type CalendarRecipient = readonly [calendarUser: string, mail: string];

export interface CalendarMessage {
  readonly uid: string;
  readonly method: string;
  /** Keys of the instances that it is about; "" is the whole event. */
  readonly instances: readonly string[];
  readonly recipients: readonly CalendarRecipient[];
  /** The VCALENDAR with METHOD; null for a message that did not leave. */
  readonly octets: Uint8Array | null;
}

export interface CalendarMessageRow extends CalendarMessage {
  /** A later message has a higher number. */
  readonly number: number;
  readonly state: CalendarMessageState;
  /** 0 unless it waits. */
  readonly hold: number;
}
