/** The two messages of a SCRAM client (RFC 5802 section 7).
 *
 *  client-first-message = gs2-header "n=" saslname ",r=" c-nonce ["," extensions]
 *  client-final-message = "c=" base64 ",r=" nonce ["," extensions] ",p=" base64 */
import { decodeSaslName, type Gs2Header, parseGs2Header } from "./gs2-header.ts";

export interface ClientFirst {
  readonly header: Gs2Header;
  readonly user: string;
  readonly nonce: string;
  /** Without the header: a part of what is proved. */
  readonly bare: string;
}

export interface ClientFinal {
  readonly channelBinding: Buffer;
  readonly nonce: string;
  readonly proof: Buffer;
  readonly withoutProof: string;
}

const messageBytesMax = 4096;
/** Printable ASCII but the comma. */
const first = /^n=([^,]{1,1024}),r=([!-+\--~]{1,512})(?:,[A-Za-z]=[^,]*)*$/;
const final =
  /^(c=([A-Za-z0-9+/=]{1,1024}),r=([!-+\--~]{1,1024})(?:,[A-Za-z]=[^,]*)*),p=([A-Za-z0-9+/]{1,200}={0,2})$/;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** undefined for what is none. A mandatory extension (`m=`) is none of ours, and makes it one (section 5.1). */
export function parseClientFirst(message: Uint8Array): ClientFirst | undefined {
  const text = messageText(message);
  const header = text === undefined ? undefined : parseGs2Header(text);
  if (text === undefined || header === undefined) return undefined;
  const bare = text.slice(header.text.length);
  const match = first.exec(bare);
  const user = match === null ? undefined : decodeSaslName(match[1]!);
  if (match === null || user === undefined) return undefined;
  return { header, user, nonce: match[2]!, bare };
}

export function parseClientFinal(message: Uint8Array): ClientFinal | undefined {
  const text = messageText(message);
  const match = text === undefined ? null : final.exec(text);
  if (match === null) return undefined;
  const [, withoutProof, binding, nonce, proof] = match;
  return {
    channelBinding: Buffer.from(binding!, "base64"),
    nonce: nonce!,
    proof: Buffer.from(proof!, "base64"),
    withoutProof: withoutProof!,
  };
}

function messageText(message: Uint8Array): string | undefined {
  if (message.byteLength > messageBytesMax) return undefined;
  try {
    return strictUtf8.decode(message);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
