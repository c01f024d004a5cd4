/** Memory for octets that are on their way, which goes back to the system when they are given up: without it, it stays until the next
 *  collection of garbage, and a server that has nothing to do collects none. */

/** Not cleared. Of much, the system gives what is written to. */
export function takeMemory(octets: number): Buffer<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(octets);
}

/** Nobody looks at the octets any more: a view of them is empty from now on. Only for what `takeMemory` gave. */
export function giveBackMemory({ buffer }: Buffer<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}
