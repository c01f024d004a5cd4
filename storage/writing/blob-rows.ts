/** Rows of `blob` and `blob_chunk`. */

import { WaypostError } from "#/src/model/errors.ts";
import { blobChunkBytes, freedBytesMax } from "#/src/model/limits.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { AccountNumber, BlobNumber } from "#/src/model/numbers.ts";
import type { EncodedBlob } from "../blob.ts";
import { sharedMark } from "../objects/objects.ts";
import { insertion } from "../schema/insertion.ts";
import { slicesOf } from "../slices.ts";
import type { Sql, Transaction } from "../sql.ts";

/** Blobs that one transaction frees itself. The sweep frees the rest, so that emptying a large mailbox does not block other writes. */
const freedAtOnceMax = 256;

/** Takes so many numbers of an account in one go, and gives the first of them. */
export async function takeBlobNumbers(tx: Sql, account: AccountNumber, count: number): Promise<BlobNumber> {
  const taken = await tx.get<{ blob: BlobNumber }>(
    `update account
    set next_blob_id = next_blob_id + ?
    where account_id = ?
    returning next_blob_id - ? as blob`,
    count,
    account,
    count,
  );
  if (taken === undefined) throw new WaypostError("not_found", "There is no such account");
  return taken.blob;
}

export async function insertBlob(
  tx: Transaction,
  account: AccountNumber,
  blob: EncodedBlob,
  referenceCount: number,
): Promise<BlobNumber> {
  const { object } = blob;
  if (object?.accounts.includes(account) === false)
    throw new Error(`The object store has the body for other accounts than ${account}`);
  const number = await tx.takeBlobNumber(account);
  await tx.send(
    ...insertion("blob", {
      account_id: account,
      blob_id: number,
      codec: blob.codec,
      size: blob.size,
      stored_size: blob.storedSize,
      sha256: blob.sha256,
      reference_count: referenceCount,
      header_size: blob.headerSize,
      structure: blob.structure,
      header: blob.header,
      data: blob.chunks[0] ?? new Uint8Array(),
      object: object?.name ?? null,
    }),
  );
  for (const [at, chunk] of blob.chunks.entries())
    if (at > 0)
      await tx.send(
        ...insertion("blob_chunk", { account_id: account, blob_id: number, chunk_number: at, data: chunk }),
      );
  return number;
}

/** Adds references to a blob that has at least one. */
export async function claimBlob(tx: Sql, account: AccountNumber, blob: BlobNumber, count = 1): Promise<void> {
  const claimed = await tx.run(
    "update blob set reference_count = reference_count + ? where account_id = ? and blob_id = ?",
    count,
    account,
    blob,
  );
  if (claimed === 0) throw new Error("The bytes are not stored any more");
}

/** Releases references, and frees the blobs that have none left: a small amount at once, the others by the sweep. */
export async function releaseBlobs(
  tx: Transaction,
  account: AccountNumber,
  references: ReadonlyMap<BlobNumber, number>,
): Promise<void> {
  const byCount = new Map<number, BlobNumber[]>();
  for (const [blob, count] of references) {
    const same = byCount.get(count);
    if (same === undefined) byCount.set(count, [blob]);
    else same.push(blob);
  }
  const free: { readonly blob: BlobNumber; readonly storedSize: number }[] = [];
  for (const [count, blobs] of byCount)
    for (const { condition, parameters } of slicesOf(numberSetOf(blobs), "blob_id")) {
      const rows = await tx.all<{ blob: BlobNumber; storedSize: number; referenceCount: number }>(
        `update blob
        set reference_count = reference_count - ?
        where account_id = ? and ${condition}
        returning blob_id as blob, stored_size as "storedSize", reference_count as "referenceCount"`,
        count,
        account,
        ...parameters,
      );
      for (const row of rows) if (row.referenceCount === 0) free.push(row);
    }
  const now: BlobNumber[] = [];
  let bytes = 0;
  for (const { blob, storedSize } of free) {
    if (now.length >= freedAtOnceMax || bytes + storedSize > freedBytesMax) continue;
    bytes += storedSize;
    now.push(blob);
  }
  if (now.length < free.length) tx.sweepLater();
  await deleteBlobs(tx, account, now);
}

/** Deletes the last chunks of a blob without references. False if it had none. */
export async function shortenBlob(tx: Sql, account: AccountNumber, blob: BlobNumber): Promise<boolean> {
  const chunksMax = freedBytesMax / blobChunkBytes;
  const chunks = await tx.all<{ number: number; octets: number }>(
    `select chunk_number as number, length(data) as octets
    from blob_chunk
    where account_id = ? and blob_id = ?
    order by chunk_number desc
    limit ?`,
    account,
    blob,
    chunksMax,
  );
  const first = chunks.at(-1);
  if (first === undefined) return false;
  await tx.run(
    "delete from blob_chunk where account_id = ? and blob_id = ? and chunk_number >= ?",
    account,
    blob,
    first.number,
  );
  await tx.run(
    "update blob set stored_size = stored_size - ? where account_id = ? and blob_id = ?",
    chunks.reduce((sum, { octets }) => sum + octets, 0),
    account,
    blob,
  );
  return true;
}

export async function deleteBlobs(
  tx: Sql,
  account: AccountNumber,
  blobs: readonly BlobNumber[],
): Promise<void> {
  for (const { condition, parameters } of slicesOf(numberSetOf(blobs), "blob_id")) {
    await tx.send(
      `insert into freed_object (account_id, object, remove_after)
      select account_id, object, 0
      from blob
      where account_id = ? and ${condition} and object is not null and substr(object, 1, 1) <> '${sharedMark}'
      on conflict (account_id, object) do nothing`,
      account,
      ...parameters,
    );
    await tx.send(`delete from blob_chunk where account_id = ? and ${condition}`, account, ...parameters);
    await tx.send(`delete from blob where account_id = ? and ${condition}`, account, ...parameters);
  }
}
