/** The commands for one message: their parameters, and the extensions that a server needs for it. */
import { isEightBit } from "#/src/formats/mime/line-ends.ts";
import type { PreparedMessage } from "#/src/outbound/dispatch.ts";
import { slices } from "#/src/outbound/dkim/sign.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import { keepsTlsRequired, type OpenHost } from "./connector.ts";
import type { MailTransaction } from "./wire-connection.ts";

export interface Unacceptable {
  readonly status: string;
  readonly reason: string;
}

/** The transaction for some recipients of a delivery, or why this server cannot take it. */
export function buildTransaction(
  open: OpenHost,
  delivery: DueDelivery,
  recipients: DueDelivery["recipients"],
  message: PreparedMessage,
): MailTransaction | Unacceptable {
  const { wire } = open;
  const size = message.signatures.length + message.bytes.length;
  if (wire.sizeMax > 0 && size > wire.sizeMax)
    return {
      status: "5.3.4",
      reason: `The server takes at most ${wire.sizeMax} octets, and these are ${size}.`,
    };
  const addresses = [message.reversePath, ...recipients.map(({ address }) => address)];
  const hasUtf8Address = addresses.some((address) => !isAscii(address));
  // Undeclared octets beyond ASCII in a header are sent as they are: refusing such mail would help nobody.
  const isInternational =
    hasUtf8Address || (delivery.isSmtputf8 && isEightBit(message.bytes.subarray(0, message.headerBytes)));
  if (isInternational && !wire.hasExtension("SMTPUTF8"))
    return hasUtf8Address
      ? { status: "5.6.7", reason: "The server does not take addresses beyond ASCII (SMTPUTF8)." }
      : { status: "5.6.9", reason: "The server does not take header fields beyond ASCII (SMTPUTF8)." };
  const isWide = isEightBit(message.bytes);
  if (isWide && !wire.hasExtension("8BITMIME"))
    return { status: "5.6.3", reason: "The server takes 7-bit text only, and the message is not." };
  const parameters: string[] = [];
  if (wire.hasExtension("SIZE")) parameters.push(`SIZE=${size}`);
  if (isWide) parameters.push("BODY=8BITMIME");
  if (isInternational) parameters.push("SMTPUTF8");
  if (delivery.tlsWish === "required" && keepsTlsRequired(open)) parameters.push("REQUIRETLS");
  const hasDsn = wire.hasExtension("DSN");
  if (hasDsn && delivery.ret !== null) parameters.push(`RET=${delivery.ret}`);
  if (hasDsn && message.reversePath !== "") parameters.push(`ENVID=${delivery.envid ?? message.token}`);
  return {
    reversePath: message.reversePath,
    mailParameters: parameters.map((parameter) => ` ${parameter}`).join(""),
    forwardPaths: recipients.map(({ address, notify, orcpt }) => ({
      address,
      parameters: hasDsn ? recipientParameters(notify, orcpt, isInternational) : "",
    })),
    message: messageChunks(message),
  };
}

/** Parameters of RCPT, as the client gave them (RFC 3461 section 5.2.1). Without SMTPUTF8 an original recipient beyond ASCII is
 *  written with \x{…} (RFC 6533 section 3). */
function recipientParameters(
  notify: readonly string[],
  orcpt: string | null,
  isInternational: boolean,
): string {
  const words = notify.length > 0 ? ` NOTIFY=${notify.join(",")}` : "";
  if (orcpt === null) return words;
  const original = isInternational
    ? orcpt
    : orcpt.replace(
        /[\u{80}-\u{10ffff}]/gu,
        (character) => `\\x{${character.codePointAt(0)!.toString(16).toUpperCase()}}`,
      );
  return `${words} ORCPT=${original}`;
}

function* messageChunks({ signatures, bytes }: PreparedMessage): Iterable<Buffer> {
  if (signatures.length > 0) yield signatures;
  yield* slices(bytes);
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}
