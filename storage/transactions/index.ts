/** Every write by its name. There is no other way to change the store. */
import type { Transaction } from "../sql.ts";
import { addAddress } from "./add-address.ts";
import { addDomainKeys } from "./add-domain-keys.ts";
import { appendMessages } from "./append-messages.ts";
import { cancelScheduled } from "./cancel-scheduled.ts";
import { changeFile } from "./change-file.ts";
import { changeItemProperties } from "./change-item-properties.ts";
import { changeItems } from "./change-items.ts";
import { copyMessages } from "./copy-messages.ts";
import { createAccount } from "./create-account.ts";
import { createAgent } from "./create-agent.ts";
import { createCollection } from "./create-collection.ts";
import { createDefaultCollections } from "./create-default-collections.ts";
import { createDomain } from "./create-domain.ts";
import { createDraft } from "./create-draft.ts";
import { createGrant } from "./create-grant.ts";
import { createMailbox } from "./create-mailbox.ts";
import { createPassword } from "./create-password.ts";
import { createToken } from "./create-token.ts";
import { createUpload } from "./create-upload.ts";
import { createWebhook } from "./create-webhook.ts";
import { decideHold } from "./decide-hold.ts";
import { deleteAgent } from "./delete-agent.ts";
import { deleteCollection } from "./delete-collection.ts";
import { deleteDomain } from "./delete-domain.ts";
import { deleteDraft } from "./delete-draft.ts";
import { deleteMailbox } from "./delete-mailbox.ts";
import { deleteMessage } from "./delete-message.ts";
import { deleteUpload } from "./delete-upload.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { deliverMessage } from "./deliver-message.ts";
import { editHold } from "./edit-hold.ts";
import { emptyMailbox } from "./empty-mailbox.ts";
import { expungeMessages } from "./expunge-messages.ts";
import { keepFamiliarNetwork } from "./keep-familiar-network.ts";
import { keepRecent } from "./keep-recent.ts";
import { keepStsPolicy } from "./keep-sts-policy.ts";
import { keepZonesDigest } from "./keep-zones-digest.ts";
import { moveCollection } from "./move-collection.ts";
import { moveMessages } from "./move-messages.ts";
import { placeScheduled } from "./place-scheduled.ts";
import { pruneChanges } from "./prune-changes.ts";
import { pruneHolds } from "./prune-holds.ts";
import { pruneIdempotency } from "./prune-idempotency.ts";
import { pruneSubmissions } from "./prune-submissions.ts";
import { pruneThreadKeys } from "./prune-thread-keys.ts";
import { pruneUploads } from "./prune-uploads.ts";
import { releaseHold } from "./release-hold.ts";
import { removeAddress } from "./remove-address.ts";
import { removeSuppression } from "./remove-suppression.ts";
import { renameMailbox } from "./rename-mailbox.ts";
import { replaceMessage } from "./replace-message.ts";
import { reportDelivery } from "./report-delivery.ts";
import { reportWebhook } from "./report-webhook.ts";
import { rescheduleMessage } from "./reschedule-message.ts";
import { resumeWebhook } from "./resume-webhook.ts";
import { retellPeriods } from "./retell-periods.ts";
import { retrySubmission } from "./retry-submission.ts";
import { revokeGrant } from "./revoke-grant.ts";
import { revokePassword } from "./revoke-password.ts";
import { revokeToken } from "./revoke-token.ts";
import { setAgentState } from "./set-agent-state.ts";
import { setMetadata } from "./set-metadata.ts";
import { setSendingPolicy } from "./set-sending-policy.ts";
import { setSubscription } from "./set-subscription.ts";
import { startScheduled } from "./start-scheduled.ts";
import { storeFlags } from "./store-flags.ts";
import { submitMessage } from "./submit-message.ts";
import { tellApprover } from "./tell-approver.ts";
import { transferMessages } from "./transfer-messages.ts";
import { undoCopy } from "./undo-copy.ts";
import { updateAccount } from "./update-account.ts";
import { updateAgent } from "./update-agent.ts";
import { updateCollection } from "./update-collection.ts";
import { updateDraft } from "./update-draft.ts";
import { updateMessages } from "./update-messages.ts";

/** Awaits nothing but the transaction, takes its time from the arguments, and may be run again from the start. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments differ from entry to entry
export type Mutation = (tx: Transaction, args: any) => Promise<unknown>;

export const transactions = {
  addAddress,
  addDomainKeys,
  appendMessages,
  cancelScheduled,
  changeFile,
  changeItemProperties,
  changeItems,
  copyMessages,
  createAccount,
  createAgent,
  createCollection,
  createDefaultCollections,
  createDomain,
  createDraft,
  createGrant,
  createMailbox,
  createPassword,
  createToken,
  createUpload,
  createWebhook,
  decideHold,
  deleteAgent,
  deleteCollection,
  deleteDomain,
  deleteDraft,
  deleteMailbox,
  deleteMessage,
  deleteUpload,
  deleteWebhook,
  deliverMessage,
  editHold,
  emptyMailbox,
  expungeMessages,
  keepFamiliarNetwork,
  keepRecent,
  keepStsPolicy,
  keepZonesDigest,
  moveCollection,
  moveMessages,
  placeScheduled,
  pruneChanges,
  pruneHolds,
  pruneIdempotency,
  pruneSubmissions,
  pruneThreadKeys,
  pruneUploads,
  releaseHold,
  removeAddress,
  removeSuppression,
  renameMailbox,
  replaceMessage,
  reportDelivery,
  reportWebhook,
  rescheduleMessage,
  retellPeriods,
  resumeWebhook,
  retrySubmission,
  revokeGrant,
  revokePassword,
  revokeToken,
  setAgentState,
  setMetadata,
  setSendingPolicy,
  setSubscription,
  startScheduled,
  storeFlags,
  submitMessage,
  tellApprover,
  transferMessages,
  undoCopy,
  updateAccount,
  updateAgent,
  updateCollection,
  updateDraft,
  updateMessages,
} satisfies Record<string, Mutation>;

export type TransactionName = keyof typeof transactions;
export type ArgumentsOf<N extends TransactionName> = Parameters<(typeof transactions)[N]>[1];
export type ResultOf<N extends TransactionName> = Awaited<ReturnType<(typeof transactions)[N]>>;
