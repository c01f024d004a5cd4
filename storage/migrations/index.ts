/** All steps of the schema, in order. The number of a step is its place, from 1; a step that has been released never
 *  changes, and there is no way back but the backup that is taken before it. With a new step a store of it is kept for the
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

export interface Migration {
  readonly name: string;
  run(tx: Sql): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: "schema", run: schema },
  { name: "reference ids", run: referenceIds },
  { name: "metadata", run: metadata },
  { name: "outbound", run: outbound },
  { name: "recent", run: recent },
  { name: "send times", run: sendTimes },
  { name: "draft keys", run: draftKeys },
  { name: "sts policies", run: stsPolicies },
  { name: "hold times", run: holdTimes },
  { name: "resumed", run: resumed },
  { name: "queue domains", run: queueDomains },
  { name: "scheduled", run: scheduled },
  { name: "fates", run: fates },
  { name: "no search marks", run: noSearchMarks },
  { name: "pauses", run: pauses },
  { name: "correspondents", run: correspondents },
  { name: "grant objects", run: grantObjects },
  { name: "collections", run: collections },
  { name: "files", run: files },
  { name: "item addresses", run: itemAddresses },
  { name: "item properties", run: itemProperties },
  { name: "calendar mail", run: calendarMail },
  { name: "item attachments", run: itemAttachments },
  { name: "unfinished copies", run: unfinishedCopies },
  { name: "collection times", run: collectionTimes },
  { name: "availability", run: availability },
  { name: "familiar networks", run: familiarNetworks },
  { name: "queue agents", run: queueAgents },
  { name: "operator calls", run: operatorCalls },
  { name: "decided holds", run: decidedHolds },
  { name: "key states", run: keyStates },
  { name: "domain reports", run: domainReports },
  { name: "daemons", run: daemons },
  { name: "tls wishes", run: tlsWishes },
];
