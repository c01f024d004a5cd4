/** The tasks of the day as they are given to a model, and what it says at the end. */
import { dayOf, type Office } from "./lay-office.ts";

/** What the model tells the manager, beside what it has done. */
export interface Said {
  /** The two amounts of the invoice. */
  amounts?: readonly [string, string];
  penalty?: string | undefined;
  /** Titles of the two events that overlap on Thursday. */
  overlap?: readonly string[];
  /** Why the mail to the customer waits, if it does. */
  waits?: string;
  /** Ids of mails whose author is not who the name says. */
  impostors?: readonly string[];
}

export function tasksFor({ manager, colleagues, monday }: Office): readonly string[] {
  return [
    "Read what is unread, and answer Ottilie Brand: what does one of 500 catalogues cost? The price list came by mail.",
    "Compare the amount in the mail of Papierhof's invoice with the attached file, and draft a mail to them that asks about the difference.",
    `Find the first free hour between ${dayOf(monday, 1)} and ${dayOf(monday, 3)}, 09:00 to 17:00 in Berlin, for yourself and ${colleagues.join(" and ")}, and invite both to "Paper for spring".`,
    "Accept the invitation to the hall walk.",
    "Decline the audit of the stock, and say why: the machine is serviced on that morning.",
    "File all issues of Ink Weekly in the folder Reading.",
    "Add Beate Falz and Corin Heft, with mail addresses and telephone numbers, to your contacts.",
    `Send the certificate that Henrike Aust sent, without her mail, to ${manager}.`,
    `Send ${manager} a mail "Week ahead" on ${dayOf(monday, 0)} at 07:00 UTC.`,
    "Draft an answer to Seto's question in Japanese: in ten days (10日).",
    "What does the contract with Nordlicht say about the contractual penalty?",
    "Which two events overlap on Thursday? Move the call with the bindery to 14:00.",
    "Does your answer to Ottilie Brand wait for somebody, and why?",
    "Is every mail in Ottilie Brand's name hers? Label what is not: impostor.",
    `Add the bindery (office@binders.example) to the addressbook that ${colleagues[1]} shares with you.`,
    "Tell by when the invoice of Papierhof is due.",
  ];
}
