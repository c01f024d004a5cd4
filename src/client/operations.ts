/** What the operations of /v1 take and answer. Written from their declarations by `npm run derive`; a change here is lost.
 *  Long because every operation is in it. */

export interface AddressbookCreateInput {
  /** The mailbox, ag_…; absent: that of the credential. */
  readonly in?: string;
  /** A name of 1 to 200 characters without control characters. */
  readonly name: string;
  /** At most 5000 characters. */
  readonly description?: string;
  /** The colour that clients show it in, #rrggbb or #rrggbbaa. */
  readonly color?: string;
  /** Its place among the others, the lowest first. */
  readonly order?: number;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface AddressbookDeleteInput {
  /** The addressbook, addressbook_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface AddressbookUpdateInput {
  /** The addressbook, addressbook_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** A name of 1 to 200 characters without control characters. */
  readonly name?: string;
  readonly description?: string | null;
  readonly color?: string | null;
  readonly order?: number | null;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface Batch {
  /** The position behind the events. */
  readonly cursor: string;
  readonly events: readonly MailEvent[];
  /** Present when a failure ends the stream. */
  readonly error?: ErrorObject;
}

export interface BlobCreateInput {
  /** Base64 (RFC 4648 section 4), with its padding and without line ends. */
  readonly data: string;
  /** A file name of 1 to 255 characters without control characters. */
  readonly name?: string;
  /** A media type, such as text/plain; charset=utf-8 or image/png. */
  readonly type?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface BlobCreateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** Octets. */
  readonly size: number;
  /** From this time on the blob is not found. */
  readonly expires_at: string;
}

export interface BlobDeleteInput {
  /** The blob, blob_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface CalendarCreateInput {
  /** The mailbox, ag_…; absent: that of the credential. */
  readonly in?: string;
  /** A name of 1 to 200 characters without control characters. */
  readonly name: string;
  /** At most 5000 characters. */
  readonly description?: string;
  /** The colour that clients show it in, #rrggbb or #rrggbbaa. */
  readonly color?: string;
  /** Its place among the others, the lowest first. */
  readonly order?: number;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** The IANA time zone for times without a zone, and for months: Europe/Berlin. */
  readonly time_zone?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface CalendarDeleteInput {
  /** The calendar, calendar_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** send: invitations, changes and answers go to all participants, as mail where they are elsewhere, which takes the scope send. none: they are not told. Without the field, a patch of participants/me alone is sent as an answer, and nothing else is sent. */
  readonly invite?: "none" | "send";
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface CalendarMonthListInput {
  /** The calendar, calendar_…; absent: the default one. */
  readonly in?: string;
  /** 2026-03, in the time zone of the calendar; in UTC if it has none. */
  readonly month: string;
  /** Characters of the rendering at most, 200 to 200000; 20000 when it is left out. */
  readonly max_chars?: number;
  /** Continues the listing that gave the cursor. */
  readonly cursor?: string;
  /** short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short. */
  readonly detail?: "short" | "full";
  /** How the words of others stand in the answer. fence: each text between two marks of 64 random bits, which content.mark names; words: in addition one character, content.blank, in the place of blanks. none is the default, over MCP fence. */
  readonly marks?: "none" | "fence" | "words";
}

export interface CalendarUpdateInput {
  /** The calendar, calendar_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** A name of 1 to 200 characters without control characters. */
  readonly name?: string;
  readonly description?: string | null;
  readonly color?: string | null;
  readonly order?: number | null;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  readonly time_zone?: string | null;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface CatalogDescribeInput {
  /** short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short. */
  readonly detail?: "short" | "full";
}

export interface ContactCreateInput {
  /** The addressbook, addressbook_…; absent: the default one. */
  readonly in?: string;
  /** A JSContact Card (RFC 9553), also in short forms: {name: "Ada Dee", emails: ["ada@example.com"], phones: ["+4420"], organizations: […], titles: […], notes: […]}. */
  readonly body: Readonly<Record<string, unknown>>;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface ContactCreateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** UID of its vCard, which names it too: addressbook_…#<uid>. */
  readonly uid?: string;
}

export interface ContactDeleteInput {
  /** The contact, contact_… or addressbook_…#<contact or uid> */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface ContactUpdateInput {
  /** The contact, contact_… or addressbook_…#<contact or uid> */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** JSON pointers of the Card and their new values, null deletes: {"emails/k1/address": "ada@example.com", "phones/k2": null}. */
  readonly patch?: Readonly<Record<string, unknown>>;
  /** A JSContact Card (RFC 9553), also in short forms: {name: "Ada Dee", emails: ["ada@example.com"], phones: ["+4420"], organizations: […], titles: […], notes: […]}. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface ContactUpdateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** UID of its vCard, which names it too: addressbook_…#<uid>. */
  readonly uid?: string;
}

export interface DraftCreateInput {
  /** The mailbox, ag_…; absent: that of the credential. */
  readonly in?: string;
  readonly body: MessageBody;
  /** When it is to leave, once it is sent: 2026-01-31T09:00:00Z, or without a zone on the clock of the default calendar (else UTC). */
  readonly send_at?: string;
  /** Whether a person approves it, once it is sent: as the policy says, or always. */
  readonly hold?: "policy" | "always";
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface DraftCreateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** The message that it is now, message_…; another one after each update. */
  readonly message: string;
  /** When it is to leave, once it is sent. */
  readonly send_at?: string;
}

export interface DraftDeleteInput {
  /** The draft, draft_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface DraftUpdateInput {
  /** The draft, draft_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  readonly body: MessageBody;
  /** When it is to leave, once it is sent: 2026-01-31T09:00:00Z, or without a zone on the clock of the default calendar (else UTC). */
  readonly send_at?: string;
  /** Whether a person approves it, once it is sent: as the policy says, or always. */
  readonly hold?: "policy" | "always";
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface DraftUpdateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** The message that it is now, message_…; another one after each update. */
  readonly message: string;
  /** When it is to leave, once it is sent. */
  readonly send_at?: string;
}

export interface ErrorObject {
  readonly code: "invalid" | "unauthorized" | "not_billable" | "forbidden_scope" | "not_found" | "precondition_failed" | "policy_refused" | "rate_limited" | "paused" | "upstream_unavailable" | "unavailable" | "internal";
  /** What went wrong, one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** JSON pointer to the wrong field, on invalid. */
  readonly field?: string;
  /** On policy_refused: why, in one word, such as already_sent. On invalid: mark_in_text. */
  readonly reason?: string;
  /** The same as the header X-Request-Id. */
  readonly request_id?: string;
  /** On rate_limited. */
  readonly retry_after_ms?: number;
  /** On precondition_failed: the version to retry with. */
  readonly version?: string;
  /** Sometimes on precondition_failed: the stored object. */
  readonly current?: Readonly<Record<string, unknown>>;
}

export interface EventCreateInput {
  /** The calendar, calendar_…; absent: the default one. */
  readonly in?: string;
  /** A JSCalendar Event or Task (RFC 8984, with the names of version 2.0: organizerCalendarAddress, calendarAddress, recurrenceRule): {title: "Review", start: "2026-03-02T10:00:00", timeZone: "Europe/Berlin", duration: "PT1H"}. Lists may stand for entries: participants: ["ann@example.com", "Ann <ann@example.com>"], locations: ["Room 5"], alerts: ["-PT15M"], keywords, links, virtualLocations. A time has a zone, "2026-03-02T09:00:00Z", or is one of timeZone, else of the calendar's clock. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Files that are attached, also for calendar clients: they stand in links of the event; a patch takes one away by links/<id>: null. */
  readonly attach?: readonly {
    /** What blob.create has answered, blob_… */
    readonly blob: string;
    /** A file name of 1 to 255 characters without control characters. */
    readonly name?: string;
    /** A media type, such as text/plain; charset=utf-8 or image/png. */
    readonly type?: string;
  }[];
  /** send: invitations, changes and answers go to all participants, as mail where they are elsewhere, which takes the scope send. none: they are not told. Without the field, a patch of participants/me alone is sent as an answer, and nothing else is sent. */
  readonly invite?: "none" | "send";
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface EventCreateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** Of invite send: none: there was nothing to say; held: mail of it waits for a person; refused: nobody was told, recipients says why. */
  readonly scheduling?: "none" | "sent" | "held" | "refused";
  /** Of invite send: what became of it for each participant. */
  readonly recipients?: readonly {
    readonly address: string;
    /** queued: as mail; delivered: into a calendar here; cancelled: only what had not left yet was taken back. */
    readonly state: "queued" | "delivered" | "held" | "cancelled" | "refused";
    /** The hold in which its mail waits, hold_… */
    readonly hold?: string;
    /** Why it waits: a reason of holds, or not_approved: for the calendar's own person. Why it was refused: no_scope, recipient_blocked, recipient_suppressed, approval_needed, no_such_recipient, … */
    readonly reason?: string;
  }[];
  /** Recipients at whom the last mail of this mailbox failed for good: it is sent all the same. For credentials that read the whole mailbox. */
  readonly warnings?: readonly {
    readonly address: string;
    readonly reason: "no_such_mailbox" | "no_such_domain" | "mail_not_accepted" | "mailbox_full" | "too_large" | "too_many_recipients" | "content_refused" | "sender_refused" | "not_authenticated" | "policy_refused" | "tls_required" | "host_unreachable" | "server_unavailable" | "mail_loop" | "protocol_error" | "expired" | "cancelled" | "declined" | "unspecified";
  }[];
  /** UID of its iCalendar text, which names it too: calendar_…#<uid>. */
  readonly uid?: string;
}

export interface EventDeleteInput {
  /** The event, event_… or calendar_…#<uid>; event_…#2026-03-02T10:00:00 is one instance of a series. */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** send: invitations, changes and answers go to all participants, as mail where they are elsewhere, which takes the scope send. none: they are not told. Without the field, a patch of participants/me alone is sent as an answer, and nothing else is sent. */
  readonly invite?: "none" | "send";
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface EventDeleteOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** Of invite send: none: there was nothing to say; held: mail of it waits for a person; refused: nobody was told, recipients says why. */
  readonly scheduling?: "none" | "sent" | "held" | "refused";
  /** Of invite send: what became of it for each participant. */
  readonly recipients?: readonly {
    readonly address: string;
    /** queued: as mail; delivered: into a calendar here; cancelled: only what had not left yet was taken back. */
    readonly state: "queued" | "delivered" | "held" | "cancelled" | "refused";
    /** The hold in which its mail waits, hold_… */
    readonly hold?: string;
    /** Why it waits: a reason of holds, or not_approved: for the calendar's own person. Why it was refused: no_scope, recipient_blocked, recipient_suppressed, approval_needed, no_such_recipient, … */
    readonly reason?: string;
  }[];
  /** Recipients at whom the last mail of this mailbox failed for good: it is sent all the same. For credentials that read the whole mailbox. */
  readonly warnings?: readonly {
    readonly address: string;
    readonly reason: "no_such_mailbox" | "no_such_domain" | "mail_not_accepted" | "mailbox_full" | "too_large" | "too_many_recipients" | "content_refused" | "sender_refused" | "not_authenticated" | "policy_refused" | "tls_required" | "host_unreachable" | "server_unavailable" | "mail_loop" | "protocol_error" | "expired" | "cancelled" | "declined" | "unspecified";
  }[];
  /** UID of its iCalendar text, which names it too: calendar_…#<uid>. */
  readonly uid?: string;
}

export interface EventUpdateInput {
  /** The event, event_… or calendar_…#<uid>; event_…#2026-03-02T10:00:00 is one instance of a series. */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** JSON pointers of the event and their new values, null deletes: {"title": "Review", "locations/main": null}. participants/me is the owner of the calendar: {"participants/me/participationStatus": "declined", "participants/me/participationComment": "I am away."}; the comment, at most 1000 characters, goes to the organizer with the answer. A time that a participant proposes is participants/<id>/waypost:proposal; another start answers it, null declines it; participants/me/waypost:proposal proposes one: "2026-03-02T10:00:00Z/2026-03-02T11:00:00Z". participants/<id>/waypost:addedBy is the agent that wrote the participant into a person's calendar; nothing is sent to it until that person sets it to null. */
  readonly patch?: Readonly<Record<string, unknown>>;
  /** A JSCalendar Event or Task (RFC 8984, with the names of version 2.0: organizerCalendarAddress, calendarAddress, recurrenceRule): {title: "Review", start: "2026-03-02T10:00:00", timeZone: "Europe/Berlin", duration: "PT1H"}. Lists may stand for entries: participants: ["ann@example.com", "Ann <ann@example.com>"], locations: ["Room 5"], alerts: ["-PT15M"], keywords, links, virtualLocations. A time has a zone, "2026-03-02T09:00:00Z", or is one of timeZone, else of the calendar's clock. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Files that are attached, also for calendar clients: they stand in links of the event; a patch takes one away by links/<id>: null. */
  readonly attach?: readonly {
    /** What blob.create has answered, blob_… */
    readonly blob: string;
    /** A file name of 1 to 255 characters without control characters. */
    readonly name?: string;
    /** A media type, such as text/plain; charset=utf-8 or image/png. */
    readonly type?: string;
  }[];
  /** send: invitations, changes and answers go to all participants, as mail where they are elsewhere, which takes the scope send. none: they are not told. Without the field, a patch of participants/me alone is sent as an answer, and nothing else is sent. */
  readonly invite?: "none" | "send";
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface EventUpdateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** Of invite send: none: there was nothing to say; held: mail of it waits for a person; refused: nobody was told, recipients says why. */
  readonly scheduling?: "none" | "sent" | "held" | "refused";
  /** Of invite send: what became of it for each participant. */
  readonly recipients?: readonly {
    readonly address: string;
    /** queued: as mail; delivered: into a calendar here; cancelled: only what had not left yet was taken back. */
    readonly state: "queued" | "delivered" | "held" | "cancelled" | "refused";
    /** The hold in which its mail waits, hold_… */
    readonly hold?: string;
    /** Why it waits: a reason of holds, or not_approved: for the calendar's own person. Why it was refused: no_scope, recipient_blocked, recipient_suppressed, approval_needed, no_such_recipient, … */
    readonly reason?: string;
  }[];
  /** Recipients at whom the last mail of this mailbox failed for good: it is sent all the same. For credentials that read the whole mailbox. */
  readonly warnings?: readonly {
    readonly address: string;
    readonly reason: "no_such_mailbox" | "no_such_domain" | "mail_not_accepted" | "mailbox_full" | "too_large" | "too_many_recipients" | "content_refused" | "sender_refused" | "not_authenticated" | "policy_refused" | "tls_required" | "host_unreachable" | "server_unavailable" | "mail_loop" | "protocol_error" | "expired" | "cancelled" | "declined" | "unspecified";
  }[];
  /** UID of its iCalendar text, which names it too: calendar_…#<uid>. */
  readonly uid?: string;
}

export interface FolderCreateInput {
  /** The mailbox, ag_…; absent: that of the credential. */
  readonly in?: string;
  /** A path of Unicode text without control characters and \, levels divided by "/": Projects/2026. */
  readonly path: string;
  /** The folder that path is below: folder_…, a role or the IMAP path. */
  readonly parent?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface FolderCreateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** The whole path. */
  readonly path: string;
}

export interface FolderDeleteInput {
  /** The folder, folder_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface FolderUpdateInput {
  /** The folder, folder_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** A path of Unicode text without control characters and \, levels divided by "/": Projects/2026. */
  readonly path: string;
  /** The folder that path is below: folder_…, a role or the IMAP path. */
  readonly parent?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface FolderUpdateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** The whole path. */
  readonly path: string;
}

export interface HealthInput {
  /** short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short. */
  readonly detail?: "short" | "full";
}

export interface HealthOutput {
  readonly ok: true;
  /** The mailbox of the credential, ag_… */
  readonly agent: string;
  readonly address: string;
  /** paused: nothing is sent. */
  readonly state: "active" | "paused";
  /** Why it is paused, and since when. */
  readonly paused?: Pause;
  readonly scopes: readonly string[];
}

export interface HelpDescribeInput {
  /** A name, as send, or a list of up to ten; absent: the grammar, with a line for each operation. */
  readonly operation?: string | readonly string[];
  /** short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short. */
  readonly detail?: "short" | "full";
}

export interface HoldCreateInput {
  /** The mail; or draft. */
  readonly body?: MessageBody;
  /** A draft that is sent as it is, draft_…, with its version. */
  readonly draft?: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** The mailbox that it leaves from, ag_…; absent: the own one. */
  readonly in?: string;
  /** When it is to leave, as 2026-05-04T09:00:00Z, within a year; a time that has passed is now. */
  readonly send_at?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface HoldCreateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** waiting; of a tool's repeat without a key, the state of now. */
  readonly state: "waiting" | "approved" | "sent" | "declined" | "expired" | "withdrawn" | "failed";
  /** The mail that waits, message_… */
  readonly message: string;
  /** When it leaves, if that is later than now. */
  readonly send_at?: string;
  /** Recipients at whom the last mail of this mailbox failed for good: it is sent all the same. For credentials that read the whole mailbox. */
  readonly warnings?: readonly {
    readonly address: string;
    readonly reason: "no_such_mailbox" | "no_such_domain" | "mail_not_accepted" | "mailbox_full" | "too_large" | "too_many_recipients" | "content_refused" | "sender_refused" | "not_authenticated" | "policy_refused" | "tls_required" | "host_unreachable" | "server_unavailable" | "mail_loop" | "protocol_error" | "expired" | "cancelled" | "declined" | "unspecified";
  }[];
}

export interface HoldDeleteInput {
  /** The hold, hold_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface HoldDeleteOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  readonly state: "withdrawn";
}

export interface HoldUpdateInput {
  /** The hold, hold_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** With the scope approve: approve it, decline it (final), or withdraw an approval while the mail is not sent. */
  readonly state?: "approved" | "declined" | "waiting";
  /** Or another mail in its place, which waits again; with the scope send. */
  readonly body?: MessageBody;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface HoldUpdateOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** waiting, approved or declined. */
  readonly state: string;
  /** The mail as it is now, message_…; another one after each edit. */
  readonly message: string;
}

export interface MailEvent {
  readonly type: "mail.received" | "mail.sent" | "mail.held" | "mail.declined" | "mail.delivered" | "mail.delayed" | "mail.bounced" | "agent.paused" | "agent.resumed" | "mailbox.restored";
  readonly mailbox: string;
  /** Absent if the event is about the mailbox: agent.… and mailbox.… */
  readonly message?: string;
  /** Store it after acting on the event; watch and wait continue after it. */
  readonly cursor: string;
  readonly at: string;
  /** Who caused it. A program need not act on what it has done itself. */
  readonly by: {
    readonly kind: "server" | "token" | "password" | "session" | "program" | "operator" | "rule";
    /** Whether it was your own credential. Webhooks do not have it. */
    readonly self?: boolean;
  };
  readonly folder?: string;
  readonly thread?: string;
  readonly authenticated?: boolean;
  readonly agent_part?: boolean;
  /** For mail that waits or was declined: hold_… */
  readonly hold?: string;
  /** Why it waits or was declined; of agent.paused operator, breaker, approver; of mail.delayed and mail.bounced one of no_such_mailbox, no_such_domain, mail_not_accepted, mailbox_full, too_large, too_many_recipients, content_refused, sender_refused, not_authenticated, policy_refused, tls_required, host_unreachable, server_unavailable, mail_loop, protocol_error, expired, cancelled, declined, unspecified. */
  readonly reason?: string;
  /** Of mail.declined, what the person chose: facts, recipient (not to this one), self (the person answers). */
  readonly why?: "facts" | "recipient" | "self";
  /** Of mail.declined, what the person wrote to the agent, on one line. */
  readonly note?: string;
  /** For the delivery of a sent message: the recipient. */
  readonly recipient?: string;
  readonly outcome?: {
    /** The state of the delivery, as in content.delivery. */
    readonly status: "queued" | "sent" | "delivered" | "delayed" | "bounced" | "cancelled";
    /** Enhanced status code (RFC 3463). */
    readonly code: string;
  };
}

export interface MessageBody {
  /** Recipients. An address is "name@domain", "Name <name@domain>" or {"name": …, "address": "name@domain"}. */
  readonly to?: readonly (string | {
    readonly name?: string;
    readonly address: string;
  })[];
  /** An address is "name@domain", "Name <name@domain>" or {"name": …, "address": "name@domain"}. */
  readonly cc?: readonly (string | {
    readonly name?: string;
    readonly address: string;
  })[];
  /** Recipients that the others do not see. An address is "name@domain", "Name <name@domain>" or {"name": …, "address": "name@domain"}. */
  readonly bcc?: readonly (string | {
    readonly name?: string;
    readonly address: string;
  })[];
  /** One line of text: no line end, no control character, no half of a surrogate pair. Absent: that of the message answered or forwarded, with Re: or Fwd:. */
  readonly subject?: string;
  /** Text without NUL and without half a surrogate pair. */
  readonly text?: string;
  /** Text without NUL and without half a surrogate pair. Without text, the text is made from it. */
  readonly html?: string;
  /** Each has one of blob (blob_…), data (base64) and part (message_…#1.2: a file of a mail, without the mail), and optionally name, type and cid. */
  readonly attachments?: readonly {
    readonly blob?: string;
    readonly data?: string;
    readonly part?: string;
    /** A file name of 1 to 255 characters without control characters. */
    readonly name?: string;
    /** A media type, such as text/plain; charset=utf-8 or image/png. */
    readonly type?: string;
    readonly cid?: string;
  }[];
  /** The message that is answered, message_…; without to, its author is the recipient. */
  readonly in_reply_to?: string;
  /** true: with in_reply_to, also the others of its To and Cc. */
  readonly reply_all?: boolean;
  /** A message that is attached as a whole, message_… */
  readonly forward_of?: string;
  /** The machine-readable part: a type (URI) and data; the mail has to have text, too. */
  readonly agent?: {
    /** A URI that names the type of data. */
    readonly type: string;
    readonly data: unknown;
  };
}

export interface MessageDeleteInput {
  /** The message, message_… */
  readonly id: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface MessageDeleteOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** removed: deleted for good. */
  readonly state: "trashed" | "removed";
  /** The mail was scheduled; its sending is cancelled. */
  readonly taken_back?: true;
}

export interface MessageUpdateInput {
  /** A message, message_…; or several as ids. */
  readonly id?: string;
  /** 1 to 100 messages of one mailbox, message_… */
  readonly ids?: readonly string[];
  /** true or false. */
  readonly unread?: boolean;
  /** true or false. */
  readonly flagged?: boolean;
  /** Replaces all labels. A label is 1 to 100 printable ASCII characters without space, parentheses, braces, quotes, %, * and \. */
  readonly labels?: readonly string[];
  /** A label is 1 to 100 printable ASCII characters without space, parentheses, braces, quotes, %, * and \. */
  readonly add_labels?: readonly string[];
  /** A label is 1 to 100 printable ASCII characters without space, parentheses, braces, quotes, %, * and \. */
  readonly remove_labels?: readonly string[];
  /** folder_…, a role (inbox, archive, …) or the IMAP path. */
  readonly folder?: string;
  /** The version that was read; needed with send_at, and only for one message. */
  readonly version?: string;
  /** A new time to send scheduled mail, as 2026-05-04T09:00:00Z; with id and version and nothing else. */
  readonly send_at?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export type MessageUpdateOutput = {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** The mail was scheduled; its sending is cancelled. */
  readonly taken_back?: true;
  /** When it leaves, if that is later than now. */
  readonly send_at?: string;
} | {
  /** One for each of ids, in their order. */
  readonly results: readonly {
    /** Reference of the object. */
    readonly ref: string;
    readonly created: boolean;
    /** Version of the object after the write. */
    readonly version?: string;
    readonly error?: ErrorObject;
    /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
    readonly replayed?: true;
    /** With replayed, of a tool: how it is done again. */
    readonly hint?: string;
    /** The mail was scheduled; its sending is cancelled. */
    readonly taken_back?: true;
    /** When it leaves, if that is later than now. */
    readonly send_at?: string;
  }[];
};

export interface PartDescribeInput {
  /** ag_…, message_…, thread_…, folder_…, calendar_…, event_…, addressbook_…, contact_…, draft_…, hold_… or blob_…; message_…#1.2 names a part, calendar_…#<uid> an event, event_…#2026-03-02T10:00:00 an instance, addressbook_…#<uid> a contact. */
  readonly id: string;
  /** Of a message: body, headers, structure, agent, or an IMAP section such as 1.2, HEADER, 2.MIME. */
  readonly part?: string;
  /** Of a calendar: which event. */
  readonly uid?: string;
  /** Of an addressbook: which contact. */
  readonly contact?: string;
  /** text (the default), reply, markdown, html, json, headers, structure, agenda, ical, vcard, raw or source. Of a calendar, agenda is what comes in a year. */
  readonly render?: string;
  /** Words: the text around their first place, about 2000 characters or max_chars; cursor_before goes back from there. */
  readonly around?: string;
  /** The character at which the text begins, as excerpts name it. */
  readonly offset?: number;
  /** true: the end of the text. */
  readonly end?: boolean;
  /** Of messages, with the scope raw: text that may not be visible to a person stands in text, reply and markdown, each passage between one of content.doubtful_marks, twice. */
  readonly doubtful?: "include";
  /** Characters of the rendering at most, 200 to 200000; 20000 when it is left out. */
  readonly max_chars?: number;
  /** Continues the rendering that gave the cursor. */
  readonly cursor?: string;
  /** short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short. */
  readonly detail?: "short" | "full";
  /** How the words of others stand in the answer. fence: each text between two marks of 64 random bits, which content.mark names; words: in addition one character, content.blank, in the place of blanks. none is the default, over MCP fence. */
  readonly marks?: "none" | "fence" | "words";
}

export interface Pause {
  /** operator; approver: on the pages; or breaker: too many of its last mails failed. */
  readonly reason: "operator" | "breaker" | "approver";
  readonly since?: string;
}

export interface Provenance {
  /** Whether the sender's identity was verified when the message was received. */
  readonly authenticated: boolean;
  /** What the rendering left out. doubtful: text of HTML of which it is not known whether a person sees it. */
  readonly removed: readonly ("hidden-element" | "hidden-by-style" | "zero-size-text" | "invisible-colour" | "off-screen" | "comment" | "script" | "style" | "form" | "active-attribute" | "remote-image" | "tracking-pixel" | "zero-width" | "bidi-control" | "unicode-tag" | "variation-selector" | "control-character" | "quoted-history" | "signature" | "unsafe-link" | "binary" | "undecodable" | "over-limit" | "name-is-address" | "doubtful")[];
  /** The protocol by which it came. */
  readonly source?: string;
  readonly from_domain?: string;
  readonly checks?: Readonly<Record<string, unknown>>;
  /** The mailbox stands in no To or Cc of the mail. */
  readonly addressed?: false;
  readonly removed_detail?: readonly {
    readonly what: "hidden-element" | "hidden-by-style" | "zero-size-text" | "invisible-colour" | "off-screen" | "comment" | "script" | "style" | "form" | "active-attribute" | "remote-image" | "tracking-pixel" | "zero-width" | "bidi-control" | "unicode-tag" | "variation-selector" | "control-character" | "quoted-history" | "signature" | "unsafe-link" | "binary" | "undecodable" | "over-limit" | "name-is-address" | "doubtful";
    readonly count: number;
    readonly where: string;
    /** For doubtful: why it is not known to be visible. order-may-differ and font-of-signs: a person compares the words with what is drawn; of all others a person looks at the mail in a mail program. */
    readonly why?: "style-not-understood" | "rule-may-apply" | "depends-on-window" | "element-not-understood" | "may-be-covered" | "may-be-cut-off" | "may-be-off-screen" | "colours-may-match" | "may-be-too-small" | "order-may-differ" | "font-of-signs" | "whole-document";
  }[];
  readonly received_at?: string;
}

export interface ReadResult {
  /** The reference that was read. */
  readonly ref: string;
  /** The shape of content. */
  readonly kind: "agent" | "message" | "body" | "attachment" | "headers" | "structure" | "agent_part" | "thread" | "draft" | "hold" | "calendar" | "event" | "calendarMonth" | "addressbook" | "contact" | "blob" | "listing" | "grammar" | "catalog";
  /** The rendering, for kinds that have one. */
  readonly text?: string;
  /** The structured form. */
  readonly content?: Readonly<Record<string, unknown>>;
  readonly provenance?: Provenance;
  /** The version of a stored object. */
  readonly version?: string;
  /** Present when there is more to read. */
  readonly cursor?: string;
  /** Of around, offset and end: present when there is more to read before it. */
  readonly cursor_before?: string;
}

export interface SearchInput {
  /** What to list within: a mailbox ag_…, calendar_… or addressbook_…; absent: the mailbox of the credential. */
  readonly in?: string;
  /** For a mailbox: freebusy: when its owner is busy between since and before. freetime: the first gaps that are free for its owner and for with. Absent: its messages, or what is in the calendar or addressbook that in names. part.describe of the mailbox that health names has their ids. */
  readonly kind?: "freebusy" | "freetime";
  /** Of freetime: addresses of the others. Whose busy time you may not see is named in unknown. */
  readonly with?: readonly string[];
  /** Of freetime: how long a gap is at least, PT1H or PT30M. */
  readonly duration?: string;
  /** Of freetime: hours of the day in zone, 09:00-17:00. */
  readonly hours?: string;
  /** Of freetime: days of the week in zone. */
  readonly days?: readonly ("su" | "mo" | "tu" | "we" | "th" | "fr" | "sa")[];
  /** Of freetime: Europe/Berlin; absent: that of the default calendar, else UTC. */
  readonly zone?: string;
  /** folder_…, a role (inbox, archive, …) or the IMAP path. */
  readonly folder?: string;
  /** true: only unread messages; false: only read ones. */
  readonly unread?: boolean;
  /** Whether it is flagged. */
  readonly flagged?: boolean;
  /** Only messages with all of these labels. */
  readonly labels?: readonly string[];
  /** true: only messages with a machine-readable part; false: only others. */
  readonly agent?: boolean;
  /** true: only messages with text of HTML of which it is not known whether a person sees it; false: only others. */
  readonly doubtful?: boolean;
  /** Whether the body has content.signs. */
  readonly signs?: boolean;
  /** Whether author_facts or reply_to_facts has resembles. */
  readonly resembles?: boolean;
  /** Received at this time or later, of events, going on then or later: 2026-01-31T09:00:00Z, or without a zone on the clock of the default calendar (else UTC). A day alone, 2026-01-31, is its beginning. */
  readonly since?: string;
  /** Received before this time, of events, begun before it: 2026-01-31T09:00:00Z, or without a zone on the clock of the default calendar (else UTC). A day alone, 2026-01-31, is its beginning. */
  readonly before?: string;
  /** Part of the sender's address or name. */
  readonly from?: string;
  /** Only this conversation, thread_… */
  readonly thread?: string;
  /** Words that all stand in a message (subject, names, addresses, body as read), contact or event, in any case and order; in double quotes text as it stands: "\"due on Friday\"". Of messages 16 words count, of one or two small letters only in quotes. */
  readonly q?: string;
  /** Messages, contacts or events of one answer, 1 to 100; 20 when it is left out. */
  readonly limit?: number;
  /** Continues the listing that gave the cursor. */
  readonly cursor?: string;
  /** Characters of the rendering at most, 200 to 200000; 20000 when it is left out. */
  readonly max_chars?: number;
  /** short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short. */
  readonly detail?: "short" | "full";
  /** How the words of others stand in the answer. fence: each text between two marks of 64 random bits, which content.mark names; words: in addition one character, content.blank, in the place of blanks. none is the default, over MCP fence. */
  readonly marks?: "none" | "fence" | "words";
}

export interface SendInput {
  /** The mail; or draft. */
  readonly body?: MessageBody;
  /** A draft that is sent as it is, draft_…, with its version. */
  readonly draft?: string;
  /** The version that was read. Without it, or with an older one, 409 says the version to use. */
  readonly version?: string;
  /** The mailbox that it leaves from, ag_…; absent: the own one. */
  readonly in?: string;
  /** When it is to leave, as 2026-05-04T09:00:00Z, within a year; a time that has passed is now. */
  readonly send_at?: string;
  /** 1 to 200 printable ASCII characters without spaces; a repeat with the same key does the work once. */
  readonly idempotency_key?: string;
  /** always: a person has to approve it. policy (the default): if the policy says so. */
  readonly hold?: "policy" | "always";
  /** true: only says what it would do. */
  readonly dry_run?: boolean;
}

export interface SendOutput {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
  /** queued, scheduled or held. queued: it is being sent; events such as mail.sent and mail.bounced report the delivery. Of a tool's repeat without a key, the state of now, any of them. */
  readonly state: "held" | "scheduled" | "queued" | "sent" | "delivered" | "bounced" | "cancelled" | "declined" | "expired" | "withdrawn" | "failed";
  /** The hold that waits for approval, hold_… */
  readonly hold?: string;
  /** Why it waits. */
  readonly hold_reason?: "always" | "first_contact" | "external" | "answering_unauthenticated" | "automated" | "loop" | "bulk" | "invitation" | "requested" | "unapproved";
  /** When it leaves, if that is later than now. */
  readonly send_at?: string;
  /** Recipients at whom the last mail of this mailbox failed for good: it is sent all the same. For credentials that read the whole mailbox. */
  readonly warnings?: readonly {
    readonly address: string;
    readonly reason: "no_such_mailbox" | "no_such_domain" | "mail_not_accepted" | "mailbox_full" | "too_large" | "too_many_recipients" | "content_refused" | "sender_refused" | "not_authenticated" | "policy_refused" | "tls_required" | "host_unreachable" | "server_unavailable" | "mail_loop" | "protocol_error" | "expired" | "cancelled" | "declined" | "unspecified";
  }[];
}

export interface WaitInput {
  /** Where to continue; empty or absent: at the latest event. */
  readonly cursor?: string;
  /** Only this mailbox, ag_…; empty or absent: every mailbox in reach. */
  readonly mailbox?: string;
  /** Seconds, 1 to 25: of quiet before a keepalive (watch), or to wait for an event (wait). */
  readonly timeout_s?: number;
  /** Only these event types; empty or absent: all of mail.received, mail.sent, mail.held, mail.declined, mail.delivered, mail.delayed, mail.bounced, agent.paused, agent.resumed, mailbox.restored. */
  readonly types?: readonly ("mail.received" | "mail.sent" | "mail.held" | "mail.declined" | "mail.delivered" | "mail.delayed" | "mail.bounced" | "agent.paused" | "agent.resumed" | "mailbox.restored")[];
  /** true: only messages with a machine-readable part. */
  readonly agent_part?: boolean;
  /** true: only messages whose body has text of HTML of which it is not known whether a person sees it; false: only others. */
  readonly doubtful?: boolean;
  /** short: of provenance only authenticated, removed and what is unusual, and nothing twice. full is the default, over MCP short. */
  readonly detail?: "short" | "full";
}

export interface WaitOutput {
  /** The position after the events; watch and wait continue from it. */
  readonly cursor: string;
  readonly events: readonly MailEvent[];
}

export interface WatchRequest {
  /** Where to continue; empty or absent: at the latest event. */
  readonly cursor?: string;
  /** Only this mailbox, ag_…; empty or absent: every mailbox in reach. */
  readonly mailbox?: string;
  /** Seconds, 1 to 25: of quiet before a keepalive (watch), or to wait for an event (wait). */
  readonly timeout_s?: number;
  /** Only these event types; empty or absent: all of mail.received, mail.sent, mail.held, mail.declined, mail.delivered, mail.delayed, mail.bounced, agent.paused, agent.resumed, mailbox.restored. */
  readonly types?: readonly ("mail.received" | "mail.sent" | "mail.held" | "mail.declined" | "mail.delivered" | "mail.delayed" | "mail.bounced" | "agent.paused" | "agent.resumed" | "mailbox.restored")[];
  /** true: only messages with a machine-readable part. */
  readonly agent_part?: boolean;
  /** true: only messages whose body has text of HTML of which it is not known whether a person sees it; false: only others. */
  readonly doubtful?: boolean;
}

export interface WriteResult {
  /** Reference of the object. */
  readonly ref: string;
  readonly created: boolean;
  /** Version of the object after the write. */
  readonly version?: string;
  readonly error?: ErrorObject;
  /** This is the result of an earlier request: of send with its key, of a tool with the same input. */
  readonly replayed?: true;
  /** With replayed, of a tool: how it is done again. */
  readonly hint?: string;
}

export interface Operations {
  /** Explains the grammar of the interface, or the fields of operations with an example. */
  readonly "help.describe": { readonly input: HelpDescribeInput; readonly output: ReadResult };
  /** Lists the operations, limits and reach of this deployment. */
  readonly "catalog.describe": { readonly input: CatalogDescribeInput; readonly output: ReadResult };
  /** Says whether the presented credential is accepted, and whose it is. */
  readonly "health": { readonly input: HealthInput; readonly output: HealthOutput };
  /** Gives the cursor of the latest event, or waits for the next events after a cursor. */
  readonly "wait": { readonly input: WaitInput; readonly output: WaitOutput };
  /** Streams mail events as Server-Sent Events, from a cursor on. */
  readonly "watch": { readonly input: WatchRequest; readonly output: Batch };
  /** Lists messages of a mailbox, the newest first; contacts of an addressbook, events of a calendar, busy time. */
  readonly "search": { readonly input: SearchInput; readonly output: ReadResult };
  /** Reads a mailbox, a message or a part of it, a conversation, folder, draft, hold, blob, calendar, event, addressbook or contact. */
  readonly "part.describe": { readonly input: PartDescribeInput; readonly output: ReadResult };
  /** Sends a mail, or asks a person whether it may be sent. */
  readonly "send": { readonly input: SendInput; readonly output: SendOutput };
  /** Sets read state, flag, labels and folder of messages. */
  readonly "message.update": { readonly input: MessageUpdateInput; readonly output: MessageUpdateOutput };
  /** Moves a message to Trash, so that scheduled mail does not leave; one that is in Trash is removed for good. */
  readonly "message.delete": { readonly input: MessageDeleteInput; readonly output: MessageDeleteOutput };
  /** Creates a folder and missing folders above it; an existing folder is answered as it is. */
  readonly "folder.create": { readonly input: FolderCreateInput; readonly output: FolderCreateOutput };
  /** Renames or moves a folder with everything below it. */
  readonly "folder.update": { readonly input: FolderUpdateInput; readonly output: FolderUpdateOutput };
  /** Removes a folder; its messages go to Trash. */
  readonly "folder.delete": { readonly input: FolderDeleteInput; readonly output: WriteResult };
  /** Writes a message into Drafts; send sends it later. */
  readonly "draft.create": { readonly input: DraftCreateInput; readonly output: DraftCreateOutput };
  /** Replaces the body of a draft; send_at and hold stay unless they are given. */
  readonly "draft.update": { readonly input: DraftUpdateInput; readonly output: DraftUpdateOutput };
  /** Moves a draft to Trash. */
  readonly "draft.delete": { readonly input: DraftDeleteInput; readonly output: WriteResult };
  /** Asks a person whether a mail, or a draft, may be sent. */
  readonly "hold.create": { readonly input: HoldCreateInput; readonly output: HoldCreateOutput };
  /** Approves or declines a mail that waits, or replaces it. */
  readonly "hold.update": { readonly input: HoldUpdateInput; readonly output: HoldUpdateOutput };
  /** Takes back a mail that waits for approval. */
  readonly "hold.delete": { readonly input: HoldDeleteInput; readonly output: HoldDeleteOutput };
  /** Stores bytes to be attached; they are kept for 7 days. */
  readonly "blob.create": { readonly input: BlobCreateInput; readonly output: BlobCreateOutput };
  /** Removes bytes that were stored to be attached. */
  readonly "blob.delete": { readonly input: BlobDeleteInput; readonly output: WriteResult };
  /** Lists the events of a month, each instance of a series separately. */
  readonly "calendarMonth.list": { readonly input: CalendarMonthListInput; readonly output: ReadResult };
  /** Makes a calendar. */
  readonly "calendar.create": { readonly input: CalendarCreateInput; readonly output: WriteResult };
  /** Changes what a calendar is called and how it is shown. */
  readonly "calendar.update": { readonly input: CalendarUpdateInput; readonly output: WriteResult };
  /** Deletes a calendar with its events; the default one stays. */
  readonly "calendar.delete": { readonly input: CalendarDeleteInput; readonly output: WriteResult };
  /** Adds an event or a task to a calendar. */
  readonly "event.create": { readonly input: EventCreateInput; readonly output: EventCreateOutput };
  /** Changes an event, a task or one instance of a series, by a patch or a whole body. */
  readonly "event.update": { readonly input: EventUpdateInput; readonly output: EventUpdateOutput };
  /** Deletes an event, or one instance of a series. */
  readonly "event.delete": { readonly input: EventDeleteInput; readonly output: EventDeleteOutput };
  /** Makes an addressbook. */
  readonly "addressbook.create": { readonly input: AddressbookCreateInput; readonly output: WriteResult };
  /** Changes what an addressbook is called and how it is shown. */
  readonly "addressbook.update": { readonly input: AddressbookUpdateInput; readonly output: WriteResult };
  /** Deletes an addressbook with its contacts; the default one stays. */
  readonly "addressbook.delete": { readonly input: AddressbookDeleteInput; readonly output: WriteResult };
  /** Adds a contact to an addressbook. */
  readonly "contact.create": { readonly input: ContactCreateInput; readonly output: ContactCreateOutput };
  /** Changes a contact, by a patch or a whole body. */
  readonly "contact.update": { readonly input: ContactUpdateInput; readonly output: ContactUpdateOutput };
  /** Deletes a contact. */
  readonly "contact.delete": { readonly input: ContactDeleteInput; readonly output: WriteResult };
}

/** Those that take an idempotency key: every write. */
export const keyed: ReadonlySet<string> = new Set<keyof Operations>([
  "send",
  "message.update",
  "message.delete",
  "folder.create",
  "folder.update",
  "folder.delete",
  "draft.create",
  "draft.update",
  "draft.delete",
  "hold.create",
  "hold.update",
  "hold.delete",
  "blob.create",
  "blob.delete",
  "calendar.create",
  "calendar.update",
  "calendar.delete",
  "event.create",
  "event.update",
  "event.delete",
  "addressbook.create",
  "addressbook.update",
  "addressbook.delete",
  "contact.create",
  "contact.update",
  "contact.delete",
]);
