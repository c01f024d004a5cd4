/** Writes that are protected against being repeated ("Limits" of the interface): the key is looked up and the result kept in
 *  the transaction of the work. */
import { findRepeat } from "#/storage/idempotency.ts";
import type {
  ArgumentsOf,
  Idempotency,
  ResultOf,
  Store,
  TransactionName,
  WriteOptions,
} from "#/storage/store.ts";

export type { Idempotency } from "#/storage/store.ts";

export type Once<R> = R & {
  /** The result is that of an earlier request with the same key. */
  readonly isReplayed: boolean;
};

export async function writeOnce<N extends TransactionName>(
  store: Store,
  name: N,
  args: ArgumentsOf<N>,
  idempotency: Idempotency | undefined,
  options?: WriteOptions,
): Promise<Once<ResultOf<N>>> {
  if (idempotency === undefined) return { ...(await store.write(name, args, options)), isReplayed: false };
  const { result, isReplayed } = await store.writeOnce(name, args, idempotency, options);
  return { ...result, isReplayed };
}

export interface Repeats {
  /** What a write answered when its key was first used; undefined for a new key. For who has to look at things before the
   *  write that a repeat finds changed. Throws `invalid` when the key was used for another request. */
  findRepeat<N extends TransactionName>(
    name: N,
    idempotency: Idempotency | undefined,
  ): Promise<Once<ResultOf<N>> | undefined>;
}

export function createRepeats(store: Store): Repeats {
  return {
    async findRepeat<N extends TransactionName>(_name: N, idempotency: Idempotency | undefined) {
      const found = idempotency && (await findRepeat<ResultOf<N>>(store, idempotency, store.clock.now()));
      return found && { ...found.result, isReplayed: true };
    },
  };
}
