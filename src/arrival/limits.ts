/** Bounds on a message that is accepted, each with its reason. Its size is the operator's (`smtp.maxMessageBytes`). */

/** RFC 5321 section 6.3: hops after which a message is taken to be in a loop. The default of Postfix. */
export const receivedFieldsMax = 50;
/** Real messages have fewer than 300 fields. */
export const headerFieldsMax = 10_000;
/** How long a store that is behind may keep a sender waiting; RFC 5321 section 4.5.3.2.6 gives it ten minutes. */
export const busyWaitMs = 30_000;
