/** A place in a gate: an amount that an owner has in use. */
import type { Owner } from "#/src/model/owner.ts";

/** The limit that was reached: for all owners, for the owner, for its account. */
export type Refusal = "total" | "share" | "account";

/** An amount that one owner has in use. */
export interface Place extends Disposable {
  readonly owner: Owner;
  readonly amount: number;
  /** Increases the amount. A refusal changes nothing. */
  grow(amount: number): Refusal | undefined;
  shrink(amount: number): void;
  /** Moves the place to another owner. A refusal changes nothing. */
  moveTo(owner: Owner): Refusal | undefined;
  /** Allows the gate to take the place back, which calls `onTaken`; with undefined it is not allowed any more. */
  giveWay(onTaken: (() => void) | undefined): void;
}

/** The functions of the gate that its places call. */
export interface HeldIn {
  now(): number;
  grow(place: Held, amount: number): Refusal | undefined;
  free(place: Held, amount: number): void;
  move(place: Held, owner: Owner): Refusal | undefined;
  yield(place: Held, mayBeTaken: boolean): void;
}

export class Held implements Place {
  owner: Owner;
  amount: number;
  yieldingSince = 0;
  readonly #gate: HeldIn;
  #onTaken: (() => void) | undefined;
  #hasLeft = false;

  constructor(owner: Owner, amount: number, gate: HeldIn) {
    this.owner = owner;
    this.amount = amount;
    this.#gate = gate;
  }

  grow(amount: number): Refusal | undefined {
    if (this.#hasLeft) return "total";
    const refusal = this.#gate.grow(this, amount);
    if (refusal === undefined) this.amount += amount;
    return refusal;
  }

  shrink(amount: number): void {
    const less = Math.min(amount, this.amount);
    if (this.#hasLeft || less === 0) return;
    this.amount -= less;
    this.#gate.free(this, less);
  }

  moveTo(owner: Owner): Refusal | undefined {
    if (this.#hasLeft || owner.key === this.owner.key) return undefined;
    const onTaken = this.#onTaken;
    this.#gate.yield(this, false);
    const refusal = this.#gate.move(this, owner);
    if (refusal === undefined) this.owner = owner;
    this.giveWay(onTaken);
    return refusal;
  }

  giveWay(onTaken: (() => void) | undefined): void {
    if (this.#hasLeft) return;
    this.#onTaken = onTaken;
    this.yieldingSince = this.#gate.now();
    this.#gate.yield(this, onTaken !== undefined);
  }

  /** Takes the place back. */
  take(): void {
    const onTaken = this.#onTaken;
    this[Symbol.dispose]();
    onTaken?.();
  }

  [Symbol.dispose](): void {
    if (this.#hasLeft) return;
    this.#gate.yield(this, false);
    this.#hasLeft = true;
    const { amount } = this;
    this.amount = 0;
    this.#gate.free(this, amount);
  }
}
