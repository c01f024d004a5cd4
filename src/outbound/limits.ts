/** Limits on outgoing mail, each with its reason. Limits that an operator may set are in `config`. */

/** How long a key of `send` is remembered ("Limits" of the interface). */
export const sendKeyMemoryMs = 7 * 24 * 3_600_000;
/** RFC 5321 section 4.5.4.1: 4 to 5 days of trying, at intervals of 30 minutes or more after the first quick ones. */
export const firstRetryMs = 60_000;
export const longestRetryMs = 2 * 3_600_000;
/** No mail waits for longer than this between two attempts: the longest wait, and a quarter (`protocols/delivery/settle.ts`), and what clocks of
 *  several daemons differ by. */
export const queueWaitMsMax = 3 * 3_600_000;
/** Recipients whose time was set by a clock that was ahead, and is set to now, by one write. */
export const hurriedAtOnce = 1000;
/** Rows that one read of the queue takes. */
export const duePageRows = 256;
export const dueDomainsPage = 64;
/** Deliveries of one mailbox that one read of the queue examines: most of them may be to busy destinations, and other mailboxes must
 *  get their share. */
export const lookedAtOfAgentMax = 512;
/** Scheduled mails that are put into the queue at once; further due ones follow with the next read. */
export const scheduledAtOnce = 64;
/** After how long scheduled mail that could not be put into the queue is tried again. */
export const scheduledRetryMs = 10_000;
/** Mails of agents and programs in one conversation, within the window and without a person's mail between them, after which the next
 *  one waits for approval: two agents that answer each other would never end. */
export const loopMailsMax = 10;
export const loopWindowMs = 24 * 3_600_000;
