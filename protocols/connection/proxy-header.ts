/** The PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt sections 2.1 and 2.2): the header that a load balancer sends
 *  first, with the address of its client. */
import { isIPv4, isIPv6 } from "node:net";

export type ProxyHeader =
  /** More octets are needed to decide. */
  | { readonly kind: "partial" }
  /** The octets are not the beginning of a header. */
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  /** `source` is undefined if the connection is the proxy's own, or the proxy does not name the client. */
  | { readonly kind: "header"; readonly length: number; readonly source: string | undefined };

const textSignature = Buffer.from("PROXY ");
const binarySignature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
/** Section 2.1: the longest line of version 1, with its CRLF. */
const lineBytesMax = 107;
const binaryHeaderBytes = 16;
/** Addresses take 36 octets; the rest are extensions, of which certificates of clients are the largest. */
const binaryBytesMax = 4096;
const [tcp4, tcp6] = [0x11, 0x21];

export function readProxyHeader(octets: Buffer): ProxyHeader {
  if (beginsWith(octets, textSignature)) return readText(octets);
  if (beginsWith(octets, binarySignature)) return readBinary(octets);
  return { kind: "none" };
}

/** Whether the octets that have come begin like the signature. */
function beginsWith(octets: Buffer, signature: Buffer): boolean {
  const length = Math.min(octets.length, signature.length);
  return octets.subarray(0, length).equals(signature.subarray(0, length));
}

/** "PROXY TCP4 192.0.2.1 198.51.100.1 56324 25" CRLF, TCP6, or UNKNOWN and anything. */
function readText(octets: Buffer): ProxyHeader {
  const end = octets.subarray(0, lineBytesMax).indexOf("\r\n");
  if (end < 0) return { kind: octets.length >= lineBytesMax ? "malformed" : "partial" };
  const length = end + 2;
  const [, family, source = "", target = "", ...ports] = octets.toString("latin1", 0, end).split(" ");
  if (family === "UNKNOWN") return { kind: "header", length, source: undefined };
  const isAddress = family === "TCP4" ? isIPv4 : family === "TCP6" ? isIPv6 : () => false;
  const isWhole = ports.length === 2 && ports.every((port) => /^\d{1,5}$/.test(port));
  if (!isAddress(source) || !isAddress(target) || !isWhole) return { kind: "malformed" };
  return { kind: "header", length, source };
}

function readBinary(octets: Buffer): ProxyHeader {
  if (octets.length < binaryHeaderBytes) return { kind: "partial" };
  const command = octets[12]!;
  const family = octets[13]!;
  const length = binaryHeaderBytes + octets.readUInt16BE(14);
  if ((command !== 0x20 && command !== 0x21) || length > binaryBytesMax) return { kind: "malformed" };
  if (octets.length < length) return { kind: "partial" };
  // 0x20 (LOCAL): the proxy's own connection, for example a health check.
  if (command === 0x20) return { kind: "header", length, source: undefined };
  const addresses = octets.subarray(binaryHeaderBytes, length);
  if (family === tcp4)
    return addresses.length < 12
      ? { kind: "malformed" }
      : { kind: "header", length, source: addresses.subarray(0, 4).join(".") };
  if (family === tcp6)
    return addresses.length < 36
      ? { kind: "malformed" }
      : { kind: "header", length, source: textOfIPv6(addresses.subarray(0, 16)) };
  return { kind: "header", length, source: undefined };
}

function textOfIPv6(octets: Buffer): string {
  const mapped = octets.subarray(0, 12).equals(Buffer.from("00000000000000000000ffff", "hex"));
  if (mapped) return octets.subarray(12).join(".");
  const groups = Array.from({ length: 8 }, (_, at) => octets.readUInt16BE(2 * at).toString(16));
  return groups.join(":");
}
