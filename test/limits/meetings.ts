/** One row for each limit: the compiler names those that have none. */

import { davConversations, imapConversations, smtpConversations } from "./conversation-meetings.ts";
import { arrivalMeetings, formatMeetings } from "./format-meetings.ts";
import { does, type MeetingsOf, told } from "./meeting.ts";
import { importMeetings, objectStoreMeetings, seriesMeetings } from "./moving-meetings.ts";
import { memoryMeetings, storeMeetings } from "./store-meetings.ts";
import { davMeetings, flagMeetings, imapMeetings, jsonMeetings, smtpMeetings } from "./wire-meetings.ts";

const model: MeetingsOf<"model"> = {
  ...formatMeetings,
  ...davMeetings,
  ...jsonMeetings,
  ...flagMeetings,
  ...storeMeetings,
  ...memoryMeetings,
  ...importMeetings,
  ...objectStoreMeetings,
  ...seriesMeetings,
  ...davConversations,

  headerBytesMax: does("reads no more of a header; the rest is not looked at"),
  mainBytesMax: does("divides what the main thread reads from what a thread reads"),
  pushSubscriptionsMax: told(
    "storage/push-subscriptions: are 100 of one person at most, and of nobody who is no person",
  ),
  collectionPushesMax: told(
    "storage/push-subscriptions: are so many of one collection as are said, whosever they are",
  ),
  collectionPushMs: told(
    "dav/push: renews at the same URL, and a program is told no longer than it asked for, and than 14 days",
  ),
  collectionPushPauseMs: told(
    "dav/push: changes that follow each other are told once, at the end of the pause",
  ),
  ownPasswordsMax: told(
    "storage/limited: is not exceeded by several app passwords at once, and one that was revoked does not count",
  ),
  renderedCharactersMax: told(
    "json/bodies: says over-limit, and reads no further part, once the text has its characters",
  ),
  keptIdsMax: does("keeps so many ids that were made"),
  keptShortFormOctetsMax: does("keeps so many octets of short forms"),
  keptDescriptionOctetsMax: does("keeps so many octets of descriptions"),
  jsonBodyBytesMax: told("json/large-data: is too large with %s"),
  jsonBlobBodyBytesMax: told("json/blobs: takes a body of 16 MiB and refuses a larger one"),
  httpAnswerMsMax: does("ends a request that is not answered"),
  watchKeepaliveSecondsMax: does("is the longest time between keepalives"),
  quickEntriesMax: does("divides quick writes from long ones"),
  longWriteBytesMin: does("divides quick writes from long ones"),
  freedBytesMax: told(
    "storage/freed-bytes: frees at most 8 MiB of deleted mail in one transaction, and the store is consistent between them",
  ),
  flagPieceEntries: does("divides long writes"),
  entryPieceEntries: does("divides long writes"),
  transferPieceEntries: does("divides long writes"),
  uploadDays: does("is how long a blob waits to be attached"),
  sharedMemoryKeptMax: does("keeps so much memory for the next messages"),
  blobChunkBytes: does("divides bodies"),
  movedRowsMax: does("divides the move of a store"),
  movedBytesMax: does("divides the move of a store"),
  objectBytesMin: told(
    "storage/objects: stores long bodies as objects and short ones in rows, and reads every range alike",
  ),
  objectReadBytesMax: does("divides reads of bodies"),
  objectTimeoutMs: does("ends a request to the object store"),
  objectAttemptsMax: does("is how often a request to the object store is made"),
  objectPutsAtOnce: does("divides the bodies of one write"),
  objectsDeadlineMs: does("ends a write whose bodies are not stored"),
  freedObjectMs: does("is how long an object stays after its row"),
  objectsPerSweep: does("divides the sweep of objects"),
  pageRows: does("divides reads"),
  keptFlagsMax: told(
    "mail/kept-flags: flags are kept when they are read a second time, for a limited number of messages",
  ),
  nearKeysOctetsMax: told(
    "storage/near-keys: keeps no more octets than it may, of the mailboxes that were asked for last",
  ),
  calendarTimeMinMs: does("is the first time that a calendar can have"),
  calendarTimeMaxMs: does("is the last time that a calendar can have"),
  recurrenceIterationsMax: does("ends the expansion of a rule"),
  recurrenceCandidatesMax: does("ends the expansion of a rule"),
  recurrenceDayTimesMax: does("ends the expansion of a rule"),
  zoneRulesMax: does("leaves further time zones of an object unread"),
  davXmlBytesMax: told("http/body: is refused with the first octet beyond its limit"),
  itemChangesMax: told("files/files: refuses to make the path of what is in a folder too long"),
  itemPropertiesMax: told("collections/items: limits the number of properties on all items of an agent"),
  itemPeriodsMax: does("merges periods of an item"),
  syncChangesMax: does("divides answers"),
  expandedDepthMax: told("dav/bounds: expand-property has the same limit of properties as other requests"),
  expandedCharactersMax: does("ends an answer to expand-property"),
  attachmentBytesMax: told(
    "dav/attachments: attachments that are too large or too many are refused before they are stored",
  ),
  mailedAttachmentBytesMax: told(
    "scheduling/scheduling: gets the files of an event that fit into the mail, and the addresses of the others",
  ),
  attachmentInstancesMax: told(
    "dav/attachments: attachments that are too large or too many are refused before they are stored",
  ),
  attachmentPlacesMax: does("reads no more places of an attachment"),
  fileBytesMax: told("files/files: refuses a file that is too large"),
  filePathBytesMax: told("files/files: refuses to make the path of what is in a folder too long"),
  arrivingCalendarBytesMax: does("leaves a large calendar part of a mail to people"),
  schedulingInboxItemsMax: does("removes the oldest messages of an inbox"),
  refreshIntervalMs: does("is how long an attendee waits for the same answer"),
};

const arrival: MeetingsOf<"arrival"> = {
  ...arrivalMeetings,
  busyWaitMs: does("is how long a mail waits for room in the store"),
};

const imap: MeetingsOf<"imap"> = {
  ...imapMeetings,
  ...imapConversations,
  discardedAppendFactor: does("is how much of a refused message is read"),
  badCommandsBeforeLoginMax: told("imap/wire/hostile: closes a connection that speaks another protocol"),
  loginTimeoutMs: told("imap/wire/hostile: gives a minute to log in, whatever is said meanwhile"),
  outputChunkBytes: does("divides answers"),
  bodyRangeBytes: does("divides answers"),
  previewCharacters: does("is the length of a preview"),
  batchMessagesMin: does("is the smallest batch of UIDBATCHES"),
  progressMs: does("is the time between reports of progress"),
  commandSilenceMsMax: does("ends a connection whose command takes too long"),
};

const smtp: MeetingsOf<"smtp"> = {
  ...smtpMeetings,
  ...smtpConversations,
  dataBufferStartBytes: does("is the memory that a message gets first"),
  drainBytesMax: told("smtp/bdat: keeps no octet of a chunk that is announced above the limit"),
  dataTimeoutMs: does("ends a message that does not arrive"),
  refusedRecipientsMax: told("smtp/hostile: closes the connection after many refused recipients"),
  failedLoginsMax: told("smtp/submission: closes after five failed logins, and delays further ones"),
  loginTimeoutMs: told("smtp/submission: gives a minute to log in, whatever is said meanwhile"),
  handshakeTimeoutMs: does("ends a connection without TLS"),
  lingerMs: does("is how long a closed connection is read"),
  commandsMax: told("smtp/hostile: closes the connection after too many commands"),
  uncountedChunkBytes: told(
    "smtp/bdat: may have more chunks than the limit of commands, if they are not tiny",
  ),
};

const outbound: MeetingsOf<"outbound"> = {
  sendKeyMemoryMs: does("is how long a key of send is remembered"),
  firstRetryMs: does("is the wait before the second attempt"),
  longestRetryMs: does("is the longest wait between attempts"),
  queueWaitMsMax: told(
    "outbound/local-delivery: is tried again when the clock was set back after an attempt",
  ),
  hurriedAtOnce: does("divides what is set to now when the clock was set back"),
  duePageRows: does("divides the queue"),
  dueDomainsPage: does("divides the queue"),
  lookedAtOfAgentMax: does("divides the queue"),
  scheduledAtOnce: does("divides scheduled mail"),
  scheduledRetryMs: does("is the wait before scheduled mail is tried again"),
  loopMailsMax: told("holds/loop-guard: answers that are sent at the same time are counted one by one"),
  loopWindowMs: does("is how far back a conversation is looked at"),
};

export const meetings = { model, arrival, imap, smtp, outbound };
