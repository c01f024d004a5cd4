/** The memory of the process for what is being received: messages by SMTP, literals of IMAP, bodies of HTTP. It is taken before the
 *  octets come, and held until what was received is stored or refused. What comes below the least rate loses it, and what is still
 *  on its way gives way to others when all memory is in use. */
import { callerOwner } from "#/src/model/caller.ts";
import type { Owner } from "#/src/model/owner.ts";
import { type Arrival, watchArrival } from "./arrival-rate.ts";
import type { Amounts, Fairness } from "./fairness.ts";
import type { Gate, Place, Refusal } from "./gate.ts";
import { shares } from "./shares.ts";

export type LostReason = "gave_way" | "too_slow";

/** Memory for one message or body. */
export interface Received extends Disposable {
  /** Octets have come. */
  arrived(octets: number): void;
  /** Takes more memory at once, or tells why not. */
  grow(octets: number): Refusal | undefined;
  /** All has come: the memory is nobody else's any more until it is given back. */
  complete(): void;
  /** The next part is on its way. */
  resume(): void;
}

export interface Receiving {
  /** At once, or why not. `onLost`: the memory was taken away, and what has come of it has to go. */
  tryBegin(owner: Owner, octets: number, onLost: (reason: LostReason) => void): Received | Refusal;
  /** Waits for it in the caller's turn. Throws as a gate does. */
  begin(octets: number, onLost: (reason: LostReason) => void): Promise<Received>;
}

const mebibyte = 1024 * 1024;
const octetsMin = 256 * mebibyte;
/** So many of the largest message fit. */
const largestMessages = 4;

/** For a process whose largest message is so large. */
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
