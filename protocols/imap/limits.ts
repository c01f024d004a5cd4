/** Limits on what a client sends, each with its reason. Limits that an operator may set are in `config`. */

/** Octets of a command before login. The longest one is an ID of 30 fields of 30 and values of 1,024 octets (RFC 2971 section 3.3). */
export const greetingCommandBytesMax = 34 * 1024;
/** Octets of a command after login, with all small literals: the set of a FETCH for 5,000 scattered messages fits. */
export const commandBytesMax = 64 * 1024;
/** Octets of a literal that is not a message: a mailbox name, a search text. */
export const smallLiteralBytesMax = 16 * 1024;
/** Literals of one command: each one needs a continuation. */
export const literalsMax = 2000;
/** A message literal that is too large and cannot be refused before it is sent (LITERAL+) is read and thrown away up to
 *  this multiple of the limit, so that the client gets its NO; beyond, the connection ends. */
export const discardedAppendFactor = 4;
/** Characters of a tag. Clients use a number, or some letters and a number. Dovecot takes 126 before login. A longer tag is not
 *  repeated: the line is answered as one without a tag. */
export const tagLengthMax = 100;
/** Nesting of parentheses and operators in SEARCH. Clients write an OR of many words as a chain. */
export const nestingMax = 200;
/** Keys of one SEARCH, so that evaluating a row stays cheap. Clients that search for a few words in a few fields send OR trees. */
export const searchKeysMax = 1000;
/** Searches of one session whose results are kept up to date; each holds the UIDs of its result. */
export const searchContextsMax = 4;
/** Messages of a sorted result that is kept up to date: it is sorted again with each message that comes into it. */
export const sortedContextMessagesMax = 10_000;
/** Mailboxes that one ESEARCH names. */
export const searchedNamesMax = 100;
/** Criteria of one SORT; their values are held for every message. There are nine sort keys. */
export const sortCriteriaMax = 20;
/** Mailboxes that one NOTIFY names: each change is compared with each of them. */
export const watchedNamesMax = 1000;
/** FETCH items of one command. */
export const fetchItemsMax = 100;
/** Levels of a section number: nesting of MIME parts is bounded to 32. */
export const sectionDepthMax = 100;
/** LIST patterns of one command, and octets of each: matching costs pattern times name for every mailbox. */
export const listPatternsMax = 50;
export const listPatternBytesMax = 1000;
/** Failed commands in a row before the connection ends. Before login, such a client is a program that does not speak IMAP. */
export const badCommandsBeforeLoginMax = 10;
export const badCommandsMax = 50;
/** Time to log in. */
export const loginTimeoutMs = 60_000;
/** Failed logins of one connection; the login limiter counts those of all connections. */
export const failedLoginsMax = 5;
/** Octets of text that are gathered before they are written to the socket. */
export const outputChunkBytes = 32 * 1024;
/** Octets of a message that are read and written at once. */
export const bodyRangeBytes = 256 * 1024;
/** Entries of METADATA in one command, and octets of a name. */
export const metadataNamesMax = 100;
export const metadataNameBytesMax = 200;
/** Parts of one message of CATENATE: each may be one read of the store. */
export const catenatedPartsMax = 200;
/** Messages of one APPEND. */
export const appendedMessagesMax = 1000;
/** Characters of a PREVIEW (RFC 8970 section 3.3). */
export const previewCharacters = 200;
/** The fewest messages of a batch (RFC 10022 section 3.1.3.2). */
export const batchMessagesMin = 500;
/** A running command sends INPROGRESS after this time without a response: RFC 9585 section 4 wants 10 to 15 seconds. */
export const progressMs = 10_000;
/** A running command that has sent no response of its own for this time ends with its connection, as a request of HTTP does
 *  (`httpAnswerMsMax`). The longest that anything waits for its turn is 10 minutes (`longWrites`). */
export const commandSilenceMsMax = 15 * 60_000;
