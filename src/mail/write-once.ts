/** Writes with protection against repeats ("Limits" of the interface): the key is looked up and the result stored in the transaction
 *  of the write. */
import type { Author } from "#/src/model/author.ts";
import { findRepeat } from "#/storage/idempotency.ts";
import type {
  ArgumentsOf,
  ExactArguments,
  Idempotency,
  ResultOf,
  Store,
  TransactionName,
  WriteOptions,
} from "#/storage/store.ts";

export type { Idempotency } from "#/storage/store.ts";

export type Once<R> = R & {
  /** The result belongs to an earlier request with the same key. */
  readonly isReplayed: boolean;
};

export async function writeOnce<N extends TransactionName, A extends ArgumentsOf<N>>(
  store: Store,
  by: Author,
  name: N,
  args: ExactArguments<N, A>,
  idempotency: Idempotency | undefined,
  options?: WriteOptions,
): Promise<Once<ResultOf<N>>> {
  if (idempotency === undefined)
    return { ...(await store.write(by, name, args, options)), isReplayed: false };
  const { result, isReplayed } = await store.writeOnce(by, name, args, idempotency, options);
  return { ...result, isReplayed };
}

export interface Repeats {
  /** The result of the write that first used the key; undefined for a new key. For callers that read objects before the write which a
   *  repeat would find changed. Throws `invalid` if the key was used for another request. */
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
