/** Bounds on what comes from outside, each with its reason. What an operator may choose is in `config` instead. */

/** Multiparts and nested messages inside each other; the deepest real mail seen has 9. Deeper parts stay bytes of their parent. */
export const mimeDepthMax = 32;
/** Parts of one message; BODYSTRUCTURE grows with it. Later parts stay bytes of the last one. */
export const mimePartsMax = 1000;
/** Header block of a message or part; more than that is read as header but not parsed. */
export const headerBytesMax = 256 * 1024;
/** Header block of a message that is taken from others. Real ones end below 64 KiB; one beyond this only costs every reader. */
export const headerBlockBytesMax = 1024 * 1024;
/** Addresses read of one header field, so that ENVELOPE stays bounded. */
export const addressesMax = 2000;
/** Message-IDs of References and In-Reply-To that thread a message: the first and the last ones count. */
export const threadReferencesMax = 50;

/** "Limits" of the interface. */
export const jsonBodyBytesMax = 1024 * 1024;
export const jsonBlobBodyBytesMax = 16 * 1024 * 1024;
export const jsonDepthMax = 64;
export const watchKeepaliveSecondsMax = 25;

/** Keywords of one agent; each is a row that every FLAGS response names. */
export const keywordsMax = 500;
/** A keyword or label, in octets: what clients show in a menu. */
export const keywordBytesMax = 100;
/** Full name of a mailbox in UTF-8 octets, and levels of its hierarchy. */
export const mailboxNameBytesMax = 500;
export const mailboxDepthMax = 20;
/** Mailboxes of one agent; LIST is answered whole. */
export const mailboxesMax = 5000;
/** Messages of one agent, each place counted: QUOTA tells it as the limit of MESSAGE. Ten times the largest mailboxes known. */
export const messagesMax = 10_000_000;
/** Annotations that all share, or that are private to one agent: of one mailbox, and of all mailboxes of an owner; octets of
 *  each: a value fits into a small literal of IMAP. */
export const metadataEntriesMax = 100;
export const metadataEntriesOfAgentMax = 5000;
export const metadataValueBytesMax = 8 * 1024;

/** Blobs of one agent that wait to be attached: how many, their octets together, and for how long. Ten of the largest that a
 *  request can carry, with room beside them. */
export const uploadsMax = 1000;
export const uploadBytesOfAgentMax = 256 * 1024 * 1024;
export const uploadDays = 7;

/** Size of a stored chunk: one SQLite call for more than this stalls the thread. */
export const blobChunkBytes = 256 * 1024;
/** Rows that one read may bring back before the loop is given a turn. */
export const pageRows = 250;
