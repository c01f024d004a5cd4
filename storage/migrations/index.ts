/** All migrations, in order. The number of a migration is its place in the list, from 1. A released migration is never changed. There
 *  is no way back except the backup that is made before a migration. For a new migration a store of the new schema is kept, for the
 *  test of upgrades: `npm run store:keep`. */
import type { Sql } from "../sql.ts";
import { schema } from "./0001-schema.ts";
import { referenceIds } from "./0002-reference-ids.ts";
import { metadata } from "./0003-metadata.ts";
import { outbound } from "./0004-outbound.ts";
import { recent } from "./0005-recent.ts";
import { sendTimes } from "./0006-send-times.ts";
import { draftKeys } from "./0007-draft-keys.ts";
import { stsPolicies } from "./0008-sts-policies.ts";
import { holdTimes } from "./0009-hold-times.ts";
import { resumed } from "./0010-resumed.ts";
import { queueDomains } from "./0011-queue-domains.ts";
import { scheduled } from "./0012-scheduled.ts";
import { fates } from "./0013-fates.ts";
import { noSearchMarks } from "./0014-no-search-marks.ts";
import { pauses } from "./0015-pauses.ts";
import { correspondents } from "./0016-correspondents.ts";
import { grantObjects } from "./0017-grant-objects.ts";
import { collections } from "./0018-collections.ts";
import { files } from "./0019-files.ts";
import { itemAddresses } from "./0020-item-addresses.ts";
import { itemProperties } from "./0021-item-properties.ts";
import { calendarMail } from "./0022-calendar-mail.ts";
import { itemAttachments } from "./0023-item-attachments.ts";
import { unfinishedCopies } from "./0024-unfinished-copies.ts";
import { collectionTimes } from "./0025-collection-times.ts";
import { availability } from "./0026-availability.ts";
import { familiarNetworks } from "./0027-familiar-networks.ts";
import { queueAgents } from "./0028-queue-agents.ts";
import { operatorCalls } from "./0029-operator-calls.ts";
import { decidedHolds } from "./0030-decided-holds.ts";
import { keyStates } from "./0031-key-states.ts";
import { domainReports } from "./0032-domain-reports.ts";
import { daemons } from "./0033-daemons.ts";
import { tlsWishes } from "./0034-tls-wishes.ts";
import { objects } from "./0035-objects.ts";
import { requestedBy } from "./0036-requested-by.ts";
import { authors } from "./0037-authors.ts";
import { signIns } from "./0038-sign-ins.ts";
import { pageSettings } from "./0039-page-settings.ts";
import { accessChanges } from "./0040-access-changes.ts";
import { calendarMessages } from "./0041-calendar-messages.ts";
import { accessOwners } from "./0042-access-owners.ts";
import { operatorSignIns } from "./0043-operator-sign-ins.ts";
import { unfinishedTransfers } from "./0044-unfinished-transfers.ts";
import { passwordScopes } from "./0045-password-scopes.ts";
import { pushSubscriptions } from "./0046-push-subscriptions.ts";
import { authorKeys } from "./0047-author-keys.ts";
import { listFields } from "./0048-list-fields.ts";
import { collectionPushes } from "./0049-collection-pushes.ts";
import { failedAddresses } from "./0050-failed-addresses.ts";
import { noticed } from "./0051-noticed.ts";
import { otherFields } from "./0052-other-fields.ts";

export interface Migration {
  readonly name: string;
  /** For the operator, before an upgrade: it … */
  readonly does: string;
  /** Tables whose rows it reads or writes one by one; without any it takes no longer on a large store. */
  readonly goesThrough?: readonly string[];
  run(tx: Sql): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: "schema", does: "makes accounts, agents, mailboxes and messages", run: schema },
  { name: "reference ids", does: "keeps References beside each message for THREAD", run: referenceIds },
  { name: "metadata", does: "keeps annotations of mailboxes", run: metadata },
  { name: "outbound", does: "makes the queue, drafts, holds, keys that sign, and webhooks", run: outbound },
  {
    name: "recent",
    does: "keeps up to which message a mailbox was seen as \\Recent",
    goesThrough: ["mailbox"],
    run: recent,
  },
  { name: "send times", does: "keeps when each mailbox has sent, for its limits", run: sendTimes },
  { name: "draft keys", does: "keeps by what a draft of a mail client is known again", run: draftKeys },
  { name: "sts policies", does: "keeps the TLS policies of other domains", run: stsPolicies },
  {
    name: "hold times",
    does: "keeps when the approver of a hold was told of it",
    goesThrough: ["hold", "sending_policy"],
    run: holdTimes,
  },
  { name: "resumed", does: "keeps since when a mailbox sends again", run: resumed },
  {
    name: "queue domains",
    does: "makes an index of the queue by domain",
    goesThrough: ["submission_recipient"],
    run: queueDomains,
  },
  {
    name: "scheduled",
    does: "marks mail in the queue that leaves at a time of its own",
    goesThrough: ["submission", "submission_recipient"],
    run: scheduled,
  },
  {
    name: "fates",
    does: "keeps what became of sent mail for each recipient",
    goesThrough: ["submission", "submission_recipient"],
    run: fates,
  },
  {
    name: "no search marks",
    does: "removes a table that nothing uses",
    goesThrough: ["search_mark"],
    run: noSearchMarks,
  },
  {
    name: "pauses",
    does: "keeps why and since when a mailbox is paused",
    goesThrough: ["agent"],
    run: pauses,
  },
  { name: "correspondents", does: "keeps correspondents by address too", run: correspondents },
  {
    name: "grant objects",
    does: "writes each grant by the numbers of what it names",
    goesThrough: ["agent_grant"],
    run: grantObjects,
  },
  { name: "collections", does: "makes calendars, addressbooks and their items", run: collections },
  { name: "files", does: "makes files and folders", run: files },
  { name: "item addresses", does: "keeps the mail addresses of contacts", run: itemAddresses },
  { name: "item properties", does: "keeps properties of events and contacts", run: itemProperties },
  {
    name: "calendar mail",
    does: "keeps which event a mail in the queue is about",
    goesThrough: ["submission"],
    run: calendarMail,
  },
  { name: "item attachments", does: "makes attachments of events", run: itemAttachments },
  { name: "unfinished copies", does: "keeps how far a long copy has come", run: unfinishedCopies },
  {
    name: "collection times",
    does: "keeps when a calendar or addressbook was changed",
    goesThrough: ["collection"],
    run: collectionTimes,
  },
  { name: "availability", does: "keeps when the owner of a calendar can be met", run: availability },
  { name: "familiar networks", does: "keeps the networks that an agent logs in from", run: familiarNetworks },
  {
    name: "queue agents",
    does: "makes an index of the queue by mailbox",
    goesThrough: ["submission_recipient"],
    run: queueAgents,
  },
  { name: "operator calls", does: "makes operator tokens and the audit log", run: operatorCalls },
  {
    name: "decided holds",
    does: "makes an index of holds that were decided",
    goesThrough: ["hold"],
    run: decidedHolds,
  },
  { name: "key states", does: "keeps which key of a domain signs, and which comes next", run: keyStates },
  { name: "domain reports", does: "keeps reports about domains (TLS, DMARC)", run: domainReports },
  { name: "daemons", does: "keeps which daemons share the store", run: daemons },
  { name: "tls wishes", does: "keeps what the sender of a mail in the queue asks of TLS", run: tlsWishes },
  {
    name: "objects",
    does: "keeps which bodies are in an object store",
    goesThrough: ["blob"],
    run: objects,
  },
  { name: "requested by", does: "keeps who asked to send a mail in the queue", run: requestedBy },
  { name: "authors", does: "keeps who made each change", run: authors },
  {
    name: "sign-ins",
    does: "makes invitations, passkeys and sessions of the pages, and keeps what is said to a declined mail",
    goesThrough: ["hold"],
    run: signIns,
  },
  { name: "page settings", does: "keeps what a person has chosen for the pages", run: pageSettings },
  { name: "access changes", does: "makes the log of access", run: accessChanges },
  {
    name: "calendar messages",
    does: "keeps what calendars have told others, and what came for them",
    run: calendarMessages,
  },
  { name: "access owners", does: "keeps whose access was changed last", run: accessOwners },
  {
    name: "operator sign-ins",
    does: "makes links, passkeys and sessions of operators at the pages",
    run: operatorSignIns,
  },
  {
    name: "unfinished transfers",
    does: "keeps which large folders are being copied and moved",
    run: unfinishedTransfers,
  },
  {
    name: "password scopes",
    does: "bounds what a new app password may do; those that exist keep all rights (waypost password list), and so do operator tokens, for which there are kinds of scope now (waypost operator list)",
    run: passwordScopes,
  },
  { name: "push subscriptions", does: "keeps who is told by Web Push", run: pushSubscriptions },
  {
    name: "author keys",
    does: "keeps whose mail has come, to whom people have written, and by which names and addresses mailboxes are found",
    goesThrough: ["agent"],
    run: authorKeys,
  },
  {
    name: "list fields",
    does: "keeps the header fields that lists of messages show; those of older mail are added hourly",
    run: listFields,
  },
  {
    name: "collection pushes",
    does: "keeps which programs are told of changes of a calendar or an addressbook",
    run: collectionPushes,
  },
  { name: "failed addresses", does: "keeps where mail of a mailbox failed for good", run: failedAddresses },
  { name: "noticed", does: "keeps who was told last of mail that waits", run: noticed },
  {
    name: "other fields",
    does: "keeps which header fields new mail does not have, so that lists that ask for them read no header",
    run: otherFields,
  },
];
