/** Every write by its name. The store is changed only by these. */
import type { Exact } from "#/src/model/exact.ts";
import type { Transaction } from "../sql.ts";
import { addAddress } from "./accounts/add-address.ts";
import { addDomainKeys } from "./accounts/add-domain-keys.ts";
import { createAccount } from "./accounts/create-account.ts";
import { createAgent } from "./accounts/create-agent.ts";
import { createDomain } from "./accounts/create-domain.ts";
import { createGrant } from "./accounts/create-grant.ts";
import { createPassword } from "./accounts/create-password.ts";
import { createToken } from "./accounts/create-token.ts";
import { deleteAgent } from "./accounts/delete-agent.ts";
import { deleteDomain } from "./accounts/delete-domain.ts";
import { keepFamiliarNetwork } from "./accounts/keep-familiar-network.ts";
import { removeAddress } from "./accounts/remove-address.ts";
import { revokeGrant } from "./accounts/revoke-grant.ts";
import { revokePassword } from "./accounts/revoke-password.ts";
import { revokeToken } from "./accounts/revoke-token.ts";
import { setAgentState } from "./accounts/set-agent-state.ts";
import { setSendingPolicy } from "./accounts/set-sending-policy.ts";
import { switchDomainKeys } from "./accounts/switch-domain-keys.ts";
import { updateAccount } from "./accounts/update-account.ts";
import { updateAgent } from "./accounts/update-agent.ts";
import { changeFile } from "./collections/change-file.ts";
import { changeItemProperties } from "./collections/change-item-properties.ts";
import { changeItems } from "./collections/change-items.ts";
import { createCollection } from "./collections/create-collection.ts";
import { createDefaultCollections } from "./collections/create-default-collections.ts";
import { deleteCollection } from "./collections/delete-collection.ts";
import { keepZonesDigest } from "./collections/keep-zones-digest.ts";
import { moveCollection } from "./collections/move-collection.ts";
import { retellPeriods } from "./collections/retell-periods.ts";
import { beginFolderTransfer, continueFolderTransfer } from "./collections/transfer-folder.ts";
import { updateCollection } from "./collections/update-collection.ts";
import { claimDeliveries } from "./daemons/claim-deliveries.ts";
import { dropLeases } from "./daemons/drop-leases.ts";
import { keepAuthorityRow } from "./daemons/keep-authority-row.ts";
import { keepConditions } from "./daemons/keep-conditions.ts";
import { keepLeases } from "./daemons/keep-leases.ts";
import { keepSeeding } from "./daemons/keep-seeding.ts";
import { proveWrite } from "./daemons/prove-write.ts";
import { releaseDeliveries } from "./daemons/release-deliveries.ts";
import { createWebhook } from "./feed/create-webhook.ts";
import { deleteWebhook } from "./feed/delete-webhook.ts";
import { pruneChanges } from "./feed/prune-changes.ts";
import { pruneIdempotency } from "./feed/prune-idempotency.ts";
import { reportWebhook } from "./feed/report-webhook.ts";
import { resumeWebhook } from "./feed/resume-webhook.ts";
import { appendMessages } from "./mail/append-messages.ts";
import { copyMessages } from "./mail/copy-messages.ts";
import { createDraft } from "./mail/create-draft.ts";
import { createMailbox } from "./mail/create-mailbox.ts";
import { createUpload } from "./mail/create-upload.ts";
import { deleteDraft } from "./mail/delete-draft.ts";
import { deleteMailbox } from "./mail/delete-mailbox.ts";
import { deleteMessage } from "./mail/delete-message.ts";
import { deleteUpload } from "./mail/delete-upload.ts";
import { deliverMessage } from "./mail/deliver-message.ts";
import { emptyMailbox } from "./mail/empty-mailbox.ts";
import { expungeMessages } from "./mail/expunge-messages.ts";
import { keepRecent } from "./mail/keep-recent.ts";
import { moveMessages } from "./mail/move-messages.ts";
import { pruneThreadKeys } from "./mail/prune-thread-keys.ts";
import { pruneUploads } from "./mail/prune-uploads.ts";
import { renameMailbox } from "./mail/rename-mailbox.ts";
import { replaceMessage } from "./mail/replace-message.ts";
import { setMetadata } from "./mail/set-metadata.ts";
import { setSubscription } from "./mail/set-subscription.ts";
import { storeFlags } from "./mail/store-flags.ts";
import { sweepObjects } from "./mail/sweep-objects.ts";
import { transferMessages } from "./mail/transfer-messages.ts";
import { undoCopy } from "./mail/undo-copy.ts";
import { updateDraft } from "./mail/update-draft.ts";
import { updateMessages } from "./mail/update-messages.ts";
import { beginOperatorCall } from "./operators/begin-operator-call.ts";
import { createOperatorLink } from "./operators/create-operator-link.ts";
import { createOperatorToken } from "./operators/create-operator-token.ts";
import { endOperatorCall } from "./operators/end-operator-call.ts";
import { endOperatorSessions } from "./operators/end-operator-sessions.ts";
import { pruneAccessChanges } from "./operators/prune-access-changes.ts";
import { pruneOperatorCalls } from "./operators/prune-operator-calls.ts";
import { removeOperatorPasskey } from "./operators/remove-operator-passkey.ts";
import { revokeOperatorToken } from "./operators/revoke-operator-token.ts";
import { touchOperatorSession } from "./operators/touch-operator-session.ts";
import { useOperatorLink } from "./operators/use-operator-link.ts";
import { useOperatorPasskey } from "./operators/use-operator-passkey.ts";
import { cancelScheduled } from "./outbound/cancel-scheduled.ts";
import { countForReports } from "./outbound/count-for-reports.ts";
import { decideHold } from "./outbound/decide-hold.ts";
import { editHold } from "./outbound/edit-hold.ts";
import { forgetReportCounts } from "./outbound/forget-report-counts.ts";
import { keepReport } from "./outbound/keep-report.ts";
import { keepStsPolicy } from "./outbound/keep-sts-policy.ts";
import { placeScheduled } from "./outbound/place-scheduled.ts";
import { pruneHolds } from "./outbound/prune-holds.ts";
import { pruneSubmissions } from "./outbound/prune-submissions.ts";
import { releaseHold } from "./outbound/release-hold.ts";
import { removeSuppression } from "./outbound/remove-suppression.ts";
import { reportDelivery } from "./outbound/report-delivery.ts";
import { rescheduleMessage } from "./outbound/reschedule-message.ts";
import { retrySubmission } from "./outbound/retry-submission.ts";
import { startScheduled } from "./outbound/start-scheduled.ts";
import { submitMessage } from "./outbound/submit-message.ts";
import { tellApprover } from "./outbound/tell-approver.ts";
import { addPasskey } from "./sign-in/add-passkey.ts";
import { createInvitation } from "./sign-in/create-invitation.ts";
import { createPageSession } from "./sign-in/create-page-session.ts";
import { deletePushSubscription } from "./sign-in/delete-push-subscription.ts";
import { endPageSessions } from "./sign-in/end-page-sessions.ts";
import { keepPushSubscription } from "./sign-in/keep-push-subscription.ts";
import { pruneSignIns } from "./sign-in/prune-sign-ins.ts";
import { removePasskey } from "./sign-in/remove-passkey.ts";
import { reportPush } from "./sign-in/report-push.ts";
import { setPageSettings } from "./sign-in/set-page-settings.ts";
import { touchPageSession } from "./sign-in/touch-page-session.ts";
import { useInvitation } from "./sign-in/use-invitation.ts";
import { usePasskey } from "./sign-in/use-passkey.ts";

/** Awaits nothing but the transaction, takes its time from the arguments, and may be run again from the start. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments differ from entry to entry
export type Mutation = (tx: Transaction, args: any) => Promise<unknown>;

export const transactions = {
  addAddress,
  addDomainKeys,
  addPasskey,
  appendMessages,
  beginOperatorCall,
  cancelScheduled,
  beginFolderTransfer,
  changeFile,
  continueFolderTransfer,
  changeItemProperties,
  changeItems,
  claimDeliveries,
  copyMessages,
  createAccount,
  createAgent,
  createCollection,
  createDefaultCollections,
  createDomain,
  createDraft,
  createGrant,
  createInvitation,
  createMailbox,
  createOperatorLink,
  createOperatorToken,
  createPageSession,
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
  deletePushSubscription,
  deleteUpload,
  deleteWebhook,
  deliverMessage,
  dropLeases,
  editHold,
  emptyMailbox,
  endOperatorCall,
  endOperatorSessions,
  endPageSessions,
  expungeMessages,
  keepFamiliarNetwork,
  keepLeases,
  keepPushSubscription,
  keepRecent,
  countForReports,
  forgetReportCounts,
  keepReport,
  keepStsPolicy,
  keepAuthorityRow,
  keepConditions,
  keepSeeding,
  keepZonesDigest,
  moveCollection,
  moveMessages,
  placeScheduled,
  proveWrite,
  pruneAccessChanges,
  pruneChanges,
  pruneHolds,
  pruneIdempotency,
  pruneOperatorCalls,
  pruneSignIns,
  pruneSubmissions,
  pruneThreadKeys,
  pruneUploads,
  sweepObjects,
  releaseDeliveries,
  releaseHold,
  removeAddress,
  removeOperatorPasskey,
  removePasskey,
  removeSuppression,
  renameMailbox,
  replaceMessage,
  reportDelivery,
  reportPush,
  reportWebhook,
  rescheduleMessage,
  retellPeriods,
  resumeWebhook,
  retrySubmission,
  revokeGrant,
  revokeOperatorToken,
  revokePassword,
  revokeToken,
  setAgentState,
  setPageSettings,
  setMetadata,
  setSendingPolicy,
  setSubscription,
  startScheduled,
  storeFlags,
  submitMessage,
  switchDomainKeys,
  tellApprover,
  touchOperatorSession,
  touchPageSession,
  transferMessages,
  undoCopy,
  updateAccount,
  updateAgent,
  updateCollection,
  updateDraft,
  updateMessages,
  useInvitation,
  useOperatorLink,
  useOperatorPasskey,
  usePasskey,
} satisfies Record<string, Mutation>;

export type TransactionName = keyof typeof transactions;
export type ArgumentsOf<N extends TransactionName> = Parameters<(typeof transactions)[N]>[1];
/** What a write is given where nothing is named that it does not know: a member of another room's shape, spread into the arguments, does not
 *  compile after it has left the storage's type. */
export type ExactArguments<N extends TransactionName, Given> = Given & Exact<Given, ArgumentsOf<N>>;
export type ResultOf<N extends TransactionName> = Awaited<ReturnType<(typeof transactions)[N]>>;
