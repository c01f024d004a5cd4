/** Memory for octets in transit, which can be given back to the system at once. Otherwise it stays until the next garbage collection,
 *  and an idle server does none. */

/** Memory that is not cleared. For large amounts the system only provides the pages that are written to. */
export function takeMemory(octets: number): Buffer<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(octets);
}

/** Gives memory of `takeMemory` back. The octets must not be used any more: a view of them is empty from now on. */
export function giveBackMemory({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}

/** Below it memory is cheaper to leave to the garbage collection. */
const ownBytesMin = 16 * 1024;

/** Gives back octets that somebody else took memory for, if they have it for themselves: small buffers of Node share some. */
export function giveBackOwnMemory(octets: Uint8Array): void {
  const { buffer, byteLength } = octets;
  if (byteLength >= ownBytesMin && buffer.byteLength === byteLength && buffer instanceof ArrayBuffer)
    giveBackMemory(octets as Uint8Array<ArrayBuffer>);
}
