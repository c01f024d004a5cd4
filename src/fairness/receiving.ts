/** The memory of the process for data that is being received: messages of SMTP, literals of IMAP, bodies of HTTP. It is reserved before
 *  the octets arrive, and held until the data is stored or refused. A transfer below the minimum rate loses it, and an unfinished
 *  transfer may give way to others when all memory is in use. */
import { callerOwner } from "#/src/model/caller.ts";
import type { Owner } from "#/src/model/owner.ts";
import { type Arrival, watchArrival } from "./arrival-rate.ts";
import type { Amounts, Fairness } from "./fairness.ts";
import type { Gate, Place, Refusal } from "./gate.ts";
import { shares } from "./shares.ts";

export type LostReason = "gave_way" | "too_slow";

/** Memory for one message or body. */
export interface Received extends Disposable {
  /** Reports arrived octets. */
  arrived(octets: number): void;
  /** Reserves more memory at once, or returns the limit that was reached. */
  grow(octets: number): Refusal | undefined;
  /** The data is complete: the memory cannot be taken back until it is released. */
  complete(): void;
  /** The next part is being received. */
  resume(): void;
}

export interface Receiving {
  /** Reserves at once, or returns the limit that was reached. `onLost`: the memory was taken back; the received part is discarded. */
  tryBegin(owner: Owner, octets: number, onLost: (reason: LostReason) => void): Received | Refusal;
  /** Waits for memory in turns of the owners. Throws as `Gate.enter` does. */
  begin(octets: number, onLost: (reason: LostReason) => void): Promise<Received>;
}

const mebibyte = 1024 * 1024;
const octetsMin = 256 * mebibyte;
/** The total holds this many messages of the largest size. */
const largestMessages = 4;

/** The amounts for a process with this largest message size. */
export function receivingAmounts(largestMessageBytes: number): Amounts {
  const total = Math.max(octetsMin, largestMessages * largestMessageBytes);
  return { total, share: total / 2 };
}

export function createReceiving(fairness: Fairness, largestMessageBytes: number): Receiving {
  const gate: Gate = fairness.gate("receiving", receivingAmounts(largestMessageBytes));

  function receive(place: Place, onLost: (reason: LostReason) => void): Received {
    let arrival: Arrival | undefined;
    const stop = (): void => {
      arrival?.[Symbol.dispose]();
      arrival = undefined;
      place.giveWay(undefined);
    };
    const leave = (): void => {
      stop();
      place[Symbol.dispose]();
    };
    const lose = (reason: LostReason): void => {
      const { owner } = place;
      leave();
      if (reason === "too_slow") fairness.note("receiving", owner, reason);
      onLost(reason);
    };
    const resume = (): void => {
      arrival ??= watchArrival(shares.receiving.minimumRate, () => lose("too_slow"));
      place.giveWay(() => lose("gave_way"));
    };
    resume();
    return {
      arrived: (octets) => arrival?.add(octets),
      grow: (octets) => place.grow(octets),
      complete: stop,
      resume,
      [Symbol.dispose]: leave,
    };
  }

  return {
    tryBegin(owner, octets, onLost) {
      const place = gate.tryEnter(owner, octets);
      return typeof place === "string" ? place : receive(place, onLost);
    },
    async begin(octets, onLost) {
      return receive(await gate.enter(callerOwner(), octets), onLost);
    },
  };
}
