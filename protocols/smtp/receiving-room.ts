import { receivingBytesMin, receivingMessagesFactor } from "./limits.ts";

/** Memory that messages on their way in may take together; who finds no room is told to come back (452). */
export interface ReceivingRoom {
  reserve(bytes: number): boolean;
  release(bytes: number): void;
}

export function createReceivingRoom(maxMessageBytes: number): ReceivingRoom {
  const limit = Math.max(receivingBytesMin, receivingMessagesFactor * maxMessageBytes);
  let taken = 0;
  return {
    reserve(bytes) {
      if (taken + bytes > limit) return false;
      taken += bytes;
      return true;
    },
    release(bytes) {
      taken -= bytes;
    },
  };
}
