/** Limits on what an SMTP peer may send, each with its reason. Limits that an operator may set are in `config`. */

/** RFC 5321 section 4.5.3.1.4 asks for 512 octets; the extensions add up to less than 2,000. AUTH is the longest command:
 *  RFC 4954 section 4 asks for 12,288 octets of a base64 line. */
export const commandLineBytesMax = 12_400;
/** RFC 5321 section 4.5.3.1.3: a path with its angle brackets. */
export const pathBytesMax = 256;
/** RFC 5321 section 4.5.3.1.2. The local part has no limit of its own (section 4.5.3.1.1 says 64 octets): VERP and SRS
 *  senders exceed it. */
export const domainBytesMax = 255;
/** RFC 3461 sections 4.2 and 4.4. */
export const originalRecipientBytesMax = 500;
export const envelopeIdBytesMax = 100;

/** Memory reserved for a message before its octets come, whatever SIZE it announces. */
export const dataBufferStartBytes = 64 * 1024;
/** A message over the limit is read to its end, so that the client gets the refusal. After this many further octets the connection
 *  is closed. */
export const drainBytesMax = 64 * 1024 * 1024;
/** From 354 or the first BDAT to the last octet. A message that arrives a few octets at a time never meets the idle timeout. */
export const dataTimeoutMs = 30 * 60_000;

/** Refused recipients of one connection: an honest mailing list has a few stale addresses, an address harvester tries thousands. */
export const refusedRecipientsMax = 100;
/** Failed logins of one connection, in addition to the limits that all connections share. */
export const failedLoginsMax = 5;
/** Time to log in on a submission port; a shorter idle timeout also shortens this. */
export const loginTimeoutMs = 60_000;
/** A client begins its handshake at once; a slow line needs some seconds. */
export const handshakeTimeoutMs = 30_000;
/** How long octets that a peer sends after the last reply are still read, so that a TCP reset does not discard that reply. */
export const lingerMs = 200;
/** Commands between two messages, RCPT not counted: a connection that sends no message is closed. */
export const commandsMax = 1000;
/** A BDAT with a chunk of this size is not counted among them: large messages come in many chunks (Exim's are 8 KiB), and without a least
 *  size a client could give a message octet by octet, with a command for each. */
export const uncountedChunkBytes = 512;
