/** Mail of a login that goes through the queue: to other servers, or from an agent. For an agent the server makes the copy in Sent, and a
 *  person may have to approve the mail first. */

import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { headerAddresses } from "#/src/formats/mime/header-values.ts";
import { isEightBit } from "#/src/formats/mime/line-ends.ts";
import { headerBlock } from "#/src/mail/header-reading.ts";
import { bccField } from "#/src/outbound/composition.ts";
import { normalAddress } from "#/src/outbound/mail-address.ts";
import type { Outbound, SubmitResult } from "#/src/outbound/outbound.ts";
import type { Store } from "#/storage/store.ts";
import { completeSubmission } from "./complete-submission.ts";
import { roomInStore } from "./room-in-store.ts";
import { assertAcceptableHeader } from "./scan-header.ts";
import { formatReceived } from "./trace.ts";
import type { Transport } from "./transport.ts";

export interface SubmissionRooms {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly outbound: Pick<Outbound, "submit">;
  readonly settings: { readonly server: { readonly hostname: string } };
}

export interface SubmittedMail {
  /** Must not change until the promise resolves. */
  readonly bytes: Uint8Array;
  /** Empty for the null reverse path. */
  readonly reversePath: string;
  readonly recipients: readonly {
    readonly address: string;
    readonly notify: readonly string[];
    readonly orcpt: string | undefined;
  }[];
  readonly transport: Transport & { readonly principal: Principal };
  readonly envid: string | undefined;
  readonly ret: "FULL" | "HDRS" | undefined;
  /** REQUIRETLS (RFC 8689). */
  readonly isTlsRequired: boolean;
}

/** Resolves when the mail is durable, in the queue or as a hold that waits for approval. */
export async function submitMail(rooms: SubmissionRooms, mail: SubmittedMail): Promise<SubmitResult> {
  const { transport, recipients, reversePath } = mail;
  const { principal } = transport;
  await assertAcceptableHeader(mail.bytes);
  const at = rooms.store.clock.now();
  const submission = await completeSubmission(rooms.accounts, principal, mail.bytes, at);
  const { bytes, fields, isAuthenticated } = submission;
  const bcc = hiddenRecipients(fields);
  const received = formatReceived(rooms.settings.server.hostname, transport, at);
  const complete = Buffer.concat([Buffer.from(received), bytes]);
  await roomInStore(rooms.store);
  return rooms.outbound.submit(principal.author, {
    principal,
    mailbox: principal.agent,
    bytes: complete,
    fields,
    isAuthenticated,
    envelope: {
      from: reversePath,
      recipients,
      envid: mail.envid ?? null,
      ret: mail.ret ?? null,
      bodyType: isEightBit(complete) ? "8BITMIME" : "7BIT",
      // RFC 6531 section 3.2: needed for addresses and for a header in UTF-8.
      isSmtputf8:
        transport.isUtf8 && needsUtf8(complete, [reversePath, ...recipients.map((one) => one.address)]),
      isTlsRequired: mail.isTlsRequired,
    },
    holdWish: "policy",
    source: "submission",
    // A person's mail client makes the copy.
    hasNoCopy: principal.kind === "person",
    ...(bcc === undefined ? {} : { bcc }),
  });
}

/** The recipients in the Bcc field of the message: the sender's copy keeps the field. */
function hiddenRecipients(fields: readonly HeaderField[]): string | undefined {
  const named = headerAddresses(fields, "bcc").flatMap(({ name, address }) => {
    const normal = normalAddress(address);
    return normal === undefined ? [] : [{ name, address: normal }];
  });
  return named.length === 0 ? undefined : bccField(named);
}

function needsUtf8(bytes: Buffer, addresses: readonly string[]): boolean {
  return addresses.some((address) => /[^\0-\x7f]/.test(address)) || isEightBit(headerBlock(bytes));
}
