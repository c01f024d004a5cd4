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

/** App passwords that were right a moment ago, by which the next request of the same client is let in without a PBKDF2: entries of
 *  some 200 octets, one for each device that is in use; the time is that in which a device asks again. */
export const provenPasswordsMax = 10_000;
export const provenPasswordMs = 10 * 60_000;

/** Octets of foreign text that a scanner may read on the main thread. Longer text, HTML and recurrence rules go to threads. */
export const mainBytesMax = 4 * 1024;

/** A session of the pages ends after this time without use, and after this time in any case. */
export const pageSessionIdleMs = 14 * 86_400_000;
export const pageSessionMs = 90 * 86_400_000;
/** What a person can have of each; a login compares with every app password. */
export const passkeysMax = 30;
export const ownPasswordsMax = 50;
/** Browsers and programs of one person that are told by Web Push; each look at what waits goes through all of them. */
export const pushSubscriptionsMax = 100;
/** Programs that follow one calendar or addressbook; each change of it is told to all of them. */
export const collectionPushesMax = 100;
/** A program that follows a collection renews it within this time; one that is gone is told no longer. */
export const collectionPushMs = 14 * 86_400_000;
/** The least time between two pushes to one program about one collection. What changes meanwhile is told at its end. */
export const collectionPushPauseMs = 10_000;

/** Documents that are remembered as they were read, because reading them cost much: entries of some 200 octets, and their text, of
 *  which one has a million characters at most. */
export const rememberedReadingsMax = 10_000;
export const rememberedReadingCharactersMax = 8 * 1024 * 1024;

/** Marks around words of others that are known as given out, some 100 octets each: those of an hour with 55 answers a second. The oldest
 *  is forgotten first. */
export const marksGivenMax = 200_000;

/** Identifiers that are kept as they were made: some 150 octets each. */
export const keptIdsMax = 8192;
/** Short forms of messages, some 500 octets each. The main thread keeps them, so that a listing does not have to ask another thread. */
export const keptShortFormsMax = 4096;
export const keptShortFormOctetsMax = 4 * 1024 * 1024;

/** Messages that are kept as they were read: some KiB for a newsletter, with its text. They go when nobody reads. */
export const keptDescriptionsMax = 10_000;
export const keptDescriptionOctetsMax = 16 * 1024 * 1024;

/** Log lines of a minute about what comes without a login, of one network and of all. A line is made by some ten octets, and has
 *  300: so they come to 1 GB a day at most. */
export const strangerLinesOfNetworkMax = 200;
export const strangerLinesTotalMax = 2000;

/** "Limits" of the interface. */
export const jsonBodyBytesMax = 1024 * 1024;
export const jsonBlobBodyBytesMax = 16 * 1024 * 1024;
export const jsonDepthMax = 64;
/** Members of one object in it: a name of its own for each makes them costly. A series of years has fewer overrides. */
export const jsonMembersMax = 10_000;
/** Values in one body: parsing and checking so many takes the main thread 10 to 20 ms. An event of a thousand attendees has 10,000. */
export const jsonValuesMax = 50_000;
/** Until the answer to a request begins. The longest that anything waits for its turn is 10 minutes (`longWrites`). */
export const httpAnswerMsMax = 15 * 60_000;
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
/** Entries of mailboxes that are changed by one write among the quick ones: a millisecond or two of the writer. */
export const quickEntriesMax = 100;
/** Octets of a write from which on it is not among the quick ones: 5 to 10 ms. */
export const longWriteBytesMin = 4 * 1024 * 1024;
/** Octets of messages that one transaction frees: 5 ms. The sweep frees the rest. */
export const freedBytesMax = 8 * 1024 * 1024;
/** Entries whose flags one transaction of a longer write changes: 5 ms. */
export const flagPieceEntries = 4000;
/** Entries that one of them copies, moves or removes: 8 ms, and up to 20 where their messages go as well. */
export const entryPieceEntries = 1000;
/** Messages that one of them takes from one agent to another, each with a row of its own and its header read before. */
export const transferPieceEntries = 100;

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

/** Octets of memory for messages that come in, kept for the next ones until nobody has needed them for some seconds: fifty of 1 MiB. */
export const sharedMemoryKeptMax = 128 * 1024 * 1024;

/** Size of a stored chunk: one SQLite call for more than this stalls the thread. */
export const blobChunkBytes = 256 * 1024;
/** Rows, and octets, that the move of a store to another engine holds at once and writes in one transaction: a transaction of some tens of
 *  milliseconds, whose end costs little beside it. A row that is longer goes alone. */
export const movedRowsMax = 1024;
export const movedBytesMax = 4 * 1024 * 1024;
/** Octets of a body from which on it goes into the object store, where there is one: a request there takes as long as a hundred rows. */
export const objectBytesMin = 128 * 1024;
/** Octets of a body that one request reads. */
export const objectReadBytesMax = 4 * 1024 * 1024;
/** Bodies under way into the object store; more are refused as busy. */
export const objectWritesMax = 64;
/** A request to the object store, and how often it is made. */
export const objectTimeoutMs = 20_000;
export const objectAttemptsMax = 3;
/** A mail to several accounts puts its body into the object store once for each account, so many at the same time: a hundred requests of
 *  100 ms each take 1.3 s. */
export const objectPutsAtOnce = 8;
/** All bodies of one write are in the object store after so long, or it is refused: a sender waits 10 minutes for the reply to a mail (RFC 5321
 *  section 4.5.3.2.6), and sends it again then although it was stored. */
export const objectsDeadlineMs = 120_000;
/** An object stays for so long after its row went: a backup of the rows that is younger finds it. */
export const freedObjectMs = 30 * 24 * 3_600_000;
/** Objects that one hourly sweep removes. */
export const objectsPerSweep = 10_000;
/** Rows that one read may bring back before the loop is given a turn. */
export const pageRows = 250;
/** Messages whose flags are kept in memory, of all mailboxes together: 8 octets each. A mailbox that has more is always read. */
export const keptFlagsMax = 1_000_000;
/** Keys of contacts that the writer keeps for all mailboxes together, one octet each: of 60 mailboxes with 5,000 contacts, or of 1,000 with 200.
 *  Those of others are searched in the store, as are all keys of a mailbox that has more than 20,000 contacts. */
export const nearKeysOctetsMax = 8 * 1024 * 1024;

/** Octets of one iCalendar or vCard stream that is read at once. A calendar of 20,000 events in one file is about 12 MiB. */
export const contentStreamBytesMax = 32 * 1024 * 1024;
/** Lines of such a stream after unfolding: 20,000 events of 25 lines. Each is an object of about 300 bytes. */
export const contentLinesMax = 500_000;
/** Characters of a rendering of a message, beyond which no further part of it is read. */
export const renderedCharactersMax = 4 * 1024 * 1024;
/** Components inside each other. iCalendar needs 3 (VCALENDAR, VEVENT, VALARM); vCard 2.1 puts AGENT inside VCARD. */
export const contentDepthMax = 16;
/** Parameters of one property, and values of all of its parameters. The longest real list seen is MEMBER with some hundreds. */
export const contentParametersMax = 100;
export const contentParameterValuesMax = 2000;
/** Components of one VCALENDAR whose places are kept while a file is imported: each takes about 200 bytes. The largest calendars
 *  known have some 50,000 events. */
export const scannedComponentsMax = 500_000;
/** Faults of a kind that are told of a stream; the first ones say what is wrong with it. */
export const contentFaultsMax = 20;

/** Times of calendar objects (RFC 4791 sections 5.2.6 and 5.2.7): the years that RFC 5545 section 3.3.4 can write, without the year 0. */
export const calendarTimeMinMs = Date.parse("0001-01-01T00:00:00Z");
export const calendarTimeMaxMs = Date.parse("9999-12-31T23:59:59Z");
/** Instances of one recurrence set in one expansion: daily for 27 years, hourly for a year. RFC 4791 names it max-instances. */
export const recurrenceInstancesMax = 10_000;
/** Periods of a rule (days of a DAILY one) that one query walks through, and date-times that it tries: thirteen years of days. Only
 *  rules with COUNT are walked through from their start. 0.1 s at most. */
export const recurrenceIterationsMax = 5000;
export const recurrenceCandidatesMax = 5000;
/** Times of one day that BYHOUR, BYMINUTE and BYSECOND select together; the largest of the outside vectors has 4,096. */
export const recurrenceDayTimesMax = 4096;
/** Rules of one component; more than two are not seen, and each may cost a tenth of a second. */
export const recurrenceRulesMax = 5;
/** Dates, and exceptions, of one component: a daily event with each instance of 27 years excepted. */
export const recurrenceDatesMax = 10_000;
/** Members and entries of a series times the instances that differ from it: each of these is a whole copy. A daily meeting of 40
 *  people whose every instance of 14 years was moved. */
export const overrideEntriesMax = 200_000;
/** Octets of the instances of one calendar object that are written at once. */
export const calendarObjectBytesMax = 4 * 1024 * 1024;
/** Observances of one VTIMEZONE, and changes of offset of all of them. The longest of the tz database has 220 changes. */
export const zoneObservancesMax = 400;
/** Rules of all VTIMEZONEs that one object has evaluated. Thunderbird writes zones with 28. */
export const zoneRulesMax = 60;
export const zoneChangesMax = 5000;
/** Repetitions of one alarm: every minute for an hour and a half. */
export const alarmRepeatsMax = 100;

/** XML of one DAV request. A calendar-multiget of 10,000 hrefs is about 1 MiB. */
export const davXmlBytesMax = 2 * 1024 * 1024;
/** Elements of it, each an object of some 200 bytes; the largest multigets of clients ask for some thousands. */
export const davXmlElementsMax = 50_000;
/** Elements inside each other: a calendar-query has 8, dead properties are what a client invents. */
export const davXmlDepthMax = 64;
/** Attributes of one element, with declarations of namespaces; the parser compares each with the others. */
export const davXmlAttributesMax = 64;
/** Names of elements, of their namespaces and languages: an answer may write one of them with each of its elements. */
export const davXmlNameCharactersMax = 256;
/** Properties that one request names: each is looked up for each resource that is answered. Clients ask for 30. */
export const davPropertiesMax = 500;

/** Attendees of one component (RFC 4791 section 5.2.9, max-attendees-per-instance): each may cost a mail and a copy. */
export const attendeesOfInstanceMax = 200;
/** Components of an object that has an organizer: a weekly meeting of ten years with each instance changed. Every attendee's view
 *  of it is computed anew with each change. */
export const schedulingInstancesMax = 500;
/** Components of one arriving iTIP message that are applied. */
export const messageInstancesMax = 100;
/** Characters of the comment that an attendee's answer leaves on the organizer's copy. */
export const attendeeCommentMax = 1000;

/** Octets of one calendar or address object (max-resource-size of RFC 4791 and RFC 6352): a card with a large photo. */
export const itemBytesMax = 4 * 1024 * 1024;
/** Octets of items that one reader has in memory at once; of usual size they are thousands. */
export const itemPortionBytesMax = 8 * 1024 * 1024;
/** Mail addresses of one contact that are known by it; each is a row. */
export const contactAddressesMax = 100;
/** Calendar and address objects of one agent: ten times the largest calendars known. */
export const itemsMax = 1_000_000;
/** Calendars and addressbooks of one agent; a home is answered whole. */
export const collectionsMax = 1000;
/** Items that one write changes: it holds the writer while it runs. */
export const itemChangesMax = 1000;
/** Octets of what a client says of a collection: each of its properties. A VTIMEZONE of real clients has up to 30 KiB. */
export const collectionTextBytesMax = 64 * 1024;
/** Items of a collection that is copied whole (COPY of RFC 4918): each is read, understood and written again. */
export const copiedItemsMax = 10_000;
/** Dead properties of one collection or item, and octets of the XML of each. */
export const deadPropertiesMax = 100;
export const deadPropertyBytesMax = 16 * 1024;
/** Dead properties of all items of an agent: they are not counted in its quota. */
export const itemPropertiesMax = 10_000;
/** The last segment of an href that a client chooses, and a UID, in octets: keys of indexes. RFC 7986 wants UIDs below 255. */
export const segmentBytesMax = 255;
export const uidBytesMax = 1024;
/** Characters of an item that are searched. */
export const itemSearchLengthMax = 100_000;
/** Periods of one item in the index of occurrences; what has more is merged until it has not. */
export const itemPeriodsMax = 200;

/** Conditions of one filter of CalDAV or CardDAV: each may look at all of an object. Clients send five at most. */
export const filterPartsMax = 50;
/** Time that one query over calendars or addressbooks may take, in turns of the loop: 100,000 events of
 *  whom each is parsed and expanded. */
export const collectionWorkMs = 10_000;
/** Periods of one answer about busy time before they are merged. */
export const busyPeriodsMax = 200_000;
/** Items that one answer to sync-collection tells; the client goes on with its token. */
export const syncChangesMax = 10_000;
/** Resources in one answer to expand-property, and properties inside each other: a principal's groups and their members. */
export const expandedResourcesMax = 1000;
export const expandedDepthMax = 5;
/** Characters of its answer, which is put together in memory: a resource with all that Apple's clients ask is about 2,000. */
export const expandedCharactersMax = 8 * 1024 * 1024;
/** Octets of one managed attachment (RFC 8607 section 6.2), which is read and written whole. */
export const attachmentBytesMax = 16 * 1024 * 1024;
/** Octets of attachments that one invitation carries by mail: what most servers take, in base64. */
export const mailedAttachmentBytesMax = 7 * 1024 * 1024;
/** Octets of a file that is imported: the mail of a large office, in one file. */
export const importedFileBytesMax = 256 * 1024 * 1024 * 1024;
/** Messages or objects of one file, folder or account that is imported: what each has is remembered until the end. */
export const importedPartsMax = 1_000_000;
/** Lines of a message that is imported, and of a file with calendars or contacts; a message of 50 MiB in base64 has 700,000. */
export const importedLinesMax = 20_000_000;
/** Octets of one object of a file that is imported, with its attachments in base64: three of the largest. It is in memory. */
export const importedObjectBytesMax = 72 * 1024 * 1024;
/** Checks, backups, imports and exports that programs with an operator token have running at once: each is a process, or reads all of the store. */
export const operatorJobsMax = 8;
/** Managed attachments that one calendar object names (RFC 8607 section 6.3): each is looked for with every change of it. */
export const attachmentsOfItemMax = 100;
/** Instances of a series that one change of attachments names: each can become an override. */
export const attachmentInstancesMax = 100;
/** Calendars that are asked whether a login reads an attachment by them. */
export const attachmentPlacesMax = 100;
/** Locks of WebDAV of one login and of all logins: they are in memory, and none is longer there than an hour. */
export const locksOfLoginMax = 200;
export const locksMax = 10_000;
/** Octets of one file, which is read and written whole. */
export const fileBytesMax = 16 * 1024 * 1024;
/** Octets of the path of a file: the key of an index. */
export const filePathBytesMax = 1024;

/** Octets of a calendar part in an arriving mail, encoded; longer ones are for people. Real invitations have at most 100 KiB. */
export const arrivingCalendarBytesMax = 1024 * 1024;
/** Messages in one scheduling inbox; the oldest go, since not every owner has a program that reads them. */
export const schedulingInboxItemsMax = 500;

/** How often one attendee is sent the same event again on REFRESH: each answer is a mail, and a change of the organizer's object. */
export const refreshIntervalMs = 3_600_000;

/** What a start does by itself to the schema of a store; more waits for `waypost upgrade`. Rows are written at some 200,000 a second, and a
 *  copy at some 400 MB a second: half a minute, in which clients try again. */
export const schemaRowsUnaskedMax = 1_000_000;
export const schemaBytesUnaskedMax = 8 * 1024 * 1024 * 1024;

/** How much larger than its file an archive of an account may become: text of mail is packed to a fifth as a rule, copies of one attachment to
 *  a hundredth. A small archive may have one large file of nothing. */
export const archiveGrowthMax = 200;
export const archiveGrowthFreeBytes = 256 * 1024 * 1024;
/** Levels, values, and members of an object, in a page or the manifest of an archive, which is read in one turn of the event loop: 250 messages
 *  with every keyword that an agent has come to 125,000 values, and no object of the format has 20 members. */
export const archiveJsonDepthMax = 16;
export const archiveJsonValuesMax = 200_000;
export const archiveJsonMembersMax = 1000;
