/** Bounds on mail that leaves, each with its reason. What an operator may choose is in `config`. */

/** How long a key of `send` is remembered ("Limits" of the interface). */
export const sendKeyMemoryMs = 7 * 24 * 3_600_000;
/** RFC 5321 section 4.5.4.1: 4 to 5 days of trying, at intervals of 30 minutes or more after the first quick ones. */
export const firstRetryMs = 60_000;
export const longestRetryMs = 2 * 3_600_000;
/** Rows of the queue that one look at it reads. */
export const duePageRows = 256;
export const dueDomainsPage = 64;
/** Deliveries of a mailbox that one look sees, while others have their share of what is taken: most may be to busy destinations. */
export const lookedAtOfAgentMax = 512;
/** Scheduled mails that leave at one look; what is due beside them leaves at the next. */
export const scheduledAtOnce = 64;
/** When one that could not leave is looked at again. */
export const scheduledRetryMs = 10_000;
/** Mails of agents and programs in one conversation, within the window and without one of a person between, after which the
 *  next one waits: two agents that answer everything would never end. */
export const loopMailsMax = 10;
export const loopWindowMs = 24 * 3_600_000;
