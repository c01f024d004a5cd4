/** The verifiers of app passwords that were correct in the last minutes. A client that sends its password with every request then
 *  costs one PBKDF2, not one for each request.
 *
 *  Only the verifier is kept (`deriveVerifier`), under an HMAC of the password with a random key of this process. Every request
 *  reads from the store whether a password with that verifier exists and is not revoked, so an entry here alone never permits a
 *  login. */
import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "#/src/model/clock.ts";
import { provenPasswordMs, provenPasswordsMax } from "#/src/model/limits.ts";
import { deriveVerifier } from "./scram.ts";

/** What a verifier is derived from. */
export interface TypedPassword {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly iterations: number;
}

export interface ProvenPasswords {
  /** The stored key of a password (RFC 5802 section 3), right or wrong. */
  storedKeyOf(typed: TypedPassword): Promise<Buffer>;
  /** Called if the stored key is that of a valid password. */
  keep(typed: TypedPassword, storedKey: Buffer): void;
  /** Called if it is not, or no longer. */
  drop(typed: TypedPassword): void;
  /** Entries in memory, for tests. */
  readonly size: number;
}

interface Proof {
  readonly at: number;
  readonly storedKey: Buffer;
}

export function createProvenPasswords(clock: Clock, derive = deriveVerifier): ProvenPasswords {
  const key = randomBytes(32);
  /** In the order of their times. */
  const proofs = new Map<string, Proof>();

  function nameOf({ password, salt, iterations }: TypedPassword): string {
    // The length of the salt comes first, so that two different inputs never give the same octets.
    const head = Buffer.alloc(8);
    head.writeUInt32BE(salt.byteLength, 0);
    head.writeUInt32BE(iterations, 4);
    return createHmac("sha256", key).update(head).update(salt).update(password).digest("base64");
  }

  /** If the clock was set back, an entry does not last longer. */
  function isFresh({ at }: Proof): boolean {
    const age = clock.now() - at;
    return age >= 0 && age < provenPasswordMs;
  }

  return {
    async storedKeyOf(typed) {
      const known = proofs.get(nameOf(typed));
      if (known !== undefined && isFresh(known)) return known.storedKey;
      return (await derive(typed.password, typed.salt, typed.iterations)).storedKey;
    },
    keep(typed, storedKey) {
      const name = nameOf(typed);
      const known = proofs.get(name);
      // A known entry keeps its time, so that even a password that is used all the time is derived again.
      if (known !== undefined && isFresh(known)) return;
      proofs.delete(name);
      proofs.set(name, { at: clock.now(), storedKey });
      for (const [oldest, proof] of proofs) {
        if (proofs.size <= provenPasswordsMax && isFresh(proof)) break;
        proofs.delete(oldest);
      }
    },
    drop(typed) {
      proofs.delete(nameOf(typed));
    },
    get size() {
      return proofs.size;
    },
  };
}
