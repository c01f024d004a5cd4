/** Puts long bodies into the object store before the write that names them, so that no row names a missing object. */

import { randomBytes } from "node:crypto";
import { inBackground } from "#/src/model/background.ts";
import { objectBytesMin, objectsDeadlineMs } from "#/src/model/limits.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { type EncodedBlob, outsideCodecOf } from "../blob.ts";
import { paddedList, placesFor, type Reader } from "../sql.ts";
import { accountsOf, agentsOf } from "../transactions/agents-of.ts";
import { type Objects, objectName } from "./objects.ts";

export interface WithObjects<T> {
  /** The arguments with names instead of bodies. */
  readonly args: T;
  /** Removes the objects again, if no row names them. */
  remove(): Promise<void>;
}

/** `args`: arguments of a named write. Short bodies stay in them. */
export async function putBlobs<T>(
  reader: Reader,
  objects: Pick<Objects, "put" | "remove">,
  args: T,
): Promise<WithObjects<T>> {
  const names: string[] = [];
  const remove = async (): Promise<void> => {
    await Promise.allSettled(names.map((name) => objects.remove(name)));
  };
  if (longOctets(args) === 0) return { args, remove };
  const deadline = AbortSignal.timeout(objectsDeadlineMs);
  const accounts = await listAccounts(reader, args);
  try {
    return { args: (await replace(args)) as T, remove };
  } catch (error) {
    inBackground(remove);
    throw error;
  }

  async function replace(part: unknown): Promise<unknown> {
    if (part === null || typeof part !== "object" || part instanceof Uint8Array) return part;
    if (isBlob(part)) return isLong(part) ? put(part) : part;
    if (Array.isArray(part)) {
      if (typeof part[0] === "number") return part;
      const list: unknown[] = [];
      for (const one of part) list.push(await replace(one));
      return list;
    }
    const copy: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(part)) copy[key] = await replace(field);
    return copy;
  }

  async function put(blob: EncodedBlob): Promise<EncodedBlob> {
    // The name has the hash of the octets and a random part, so that each row has its own object and can be freed alone.
    const object = `${Buffer.from(blob.sha256).toString("hex")}-${randomBytes(8).toString("hex")}`;
    const body = Buffer.concat(blob.chunks);
    const own = accounts.map((account) => objectName(account, object));
    names.push(...own);
    await objects.put(own, body, deadline);
    const lengths = Buffer.alloc(4 * blob.chunks.length);
    for (const [at, { byteLength }] of blob.chunks.entries()) lengths.writeUInt32BE(byteLength, 4 * at);
    const index = new Uint8Array(lengths);
    return {
      ...blob,
      codec: outsideCodecOf(blob.codec),
      storedSize: blob.header.byteLength + index.byteLength,
      chunks: [index],
      object: { name: object, accounts },
    };
  }
}

function isBlob(part: object): part is EncodedBlob {
  const { sha256, chunks, storedSize } = part as Partial<EncodedBlob>;
  return sha256 instanceof Uint8Array && Array.isArray(chunks) && typeof storedSize === "number";
}

function isLong({ chunks, object }: EncodedBlob): boolean {
  return object === undefined && octetsOf(chunks) >= objectBytesMin;
}

function octetsOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Octets of the bodies that belong into the object store. */
export function longOctets(part: unknown): number {
  if (part === null || typeof part !== "object" || part instanceof Uint8Array) return 0;
  if (isBlob(part)) return isLong(part) ? octetsOf(part.chunks) : 0;
  if (Array.isArray(part) && typeof part[0] === "number") return 0;
  return Object.values(part).reduce((sum: number, one) => sum + longOctets(one), 0);
}

/** The accounts of all agents in the arguments: the blobs may be stored in each of them. */
async function listAccounts(reader: Reader, args: unknown): Promise<AccountNumber[]> {
  const named = new Map<AgentNumber, AccountNumber>(accountsOf(args));
  const accounts = new Set(named.values());
  const others = agentsOf(args).filter((agent) => !named.has(agent));
  if (others.length > 0) {
    const list = paddedList(others);
    for (const account of await reader.column<AccountNumber>(
      `select distinct account_id from agent where agent_id in (${placesFor(list)})`,
      ...list,
    ))
      accounts.add(account);
  }
  // A delivery to an account that has the octets already.
  const { stored } = args as { readonly stored?: { readonly account?: AccountNumber } };
  if (stored?.account !== undefined) accounts.delete(stored.account);
  return [...accounts];
}
