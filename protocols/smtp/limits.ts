/** Bounds on what an SMTP peer may send, each with its reason. What an operator may choose is in `config`. */

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

/** Room taken for a message before it is seen, whatever SIZE it announces. */
export const dataBufferStartBytes = 64 * 1024;
/** Beyond its limit a message is read to its end, so that the refusal reaches the client; a peer that does not stop is cut. */
export const drainBytesMax = 64 * 1024 * 1024;
/** From 354 to the last octet. A message that trickles keeps the idle timeout away for ever. */
export const dataTimeoutMs = 30 * 60_000;

/** Refused recipients of one connection: an honest list has a few stale addresses, a harvest has thousands. */
export const refusedRecipientsMax = 100;
/** Failed logins of one connection, beside the limits that all connections share. */
export const failedLoginsMax = 5;
/** Time to log in on a submission port; less where silence has less. */
export const loginTimeoutMs = 60_000;
/** A client begins its handshake at once; a slow line needs some seconds. */
export const handshakeTimeoutMs = 30_000;
/** How long what a peer still sends after the last word is read, so that a reset does not swallow that word. */
export const lingerMs = 200;
/** Commands between two messages, beside RCPT: a connection that only asks is closed. */
export const commandsMax = 1000;
