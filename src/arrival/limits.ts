/** Bounds on a message that is accepted, each with its reason. The operator sets the bound on its size (`smtp.maxMessageBytes`). */

/** RFC 5321 section 6.3: hops after which a message is taken to be in a loop. The default of Postfix. */
export const receivedFieldsMax = 50;
/** Real messages have fewer than 300 fields. */
export const headerFieldsMax = 10_000;
/** How long a sender waits for a busy store. RFC 5321 section 4.5.3.2.6 lets a client wait ten minutes. */
export const busyWaitMs = 30_000;
