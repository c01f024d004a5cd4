/** Public identifiers: `<prefix>_<26 characters of Crockford base32>`.
 *
 *  The 26 characters are one AES-128 block over (kind, agent number, object number) under the deployment's key. So an id reveals
 *  nothing, an id of a wrong kind or a made-up one is recognised without reading the store, and a valid one gives a primary key.
 *  It is legal as an objectid (RFC 8474 section 7), a DAV path segment and in a URL. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { type KindWith, kinds, kindsWith } from "./kinds.ts";
import { keptIdsMax } from "./limits.ts";
import type { AgentNumber } from "./numbers.ts";
import { RecentValues } from "./recent-values.ts";

export type ObjectKind = KindWith<"id">;
export const objectKinds = kindsWith("id");

const kindByPrefix = new Map<string, ObjectKind>(objectKinds.map((kind) => [kinds[kind].id.prefix, kind]));
const kindByByte = new Map<number, ObjectKind>(objectKinds.map((kind) => [kinds[kind].id.byte, kind]));

export interface ObjectName {
  readonly kind: ObjectKind;
  readonly agent: AgentNumber;
  /** 0 for the agent itself. */
  readonly object: number;
}

export interface IdCodec {
  encode(kind: ObjectKind, agent: AgentNumber, object?: number): string;
  /** The object that an id names, or undefined for text that is not an id of this deployment. */
  decode(id: string): ObjectName | undefined;
}

/** The kind that the prefix of a string stands for; the rest is not checked. */
export function claimedKind(id: string): ObjectKind | undefined {
  return kindByPrefix.get(id.slice(0, Math.max(0, id.lastIndexOf("_"))));
}

export function idPrefix(kind: ObjectKind): string {
  return `${kinds[kind].id.prefix}_`;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const digitOf = new Map([...alphabet].map((character, digit) => [character, digit]));
const idTextLength = 26;

export function createIdCodec(key: Uint8Array): IdCodec {
  // ECB with single blocks: each update takes and gives one block, so the ciphers can be used as long as the codec.
  const cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const decipher = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  /** A block costs 6 µs, and listings show the same messages again and again. */
  const recent = new RecentValues<string>(keptIdsMax / 2);
  return {
    encode(kind, agent, object = 0) {
      const { prefix, byte } = kinds[kind].id;
      const name = `${byte} ${agent} ${object}`;
      const known = recent.find(name);
      if (known !== undefined) return known;
      const block = Buffer.alloc(16);
      block[0] = byte;
      block.writeUIntBE(agent, 3, 5);
      block.writeBigUInt64BE(BigInt(object), 8);
      const id = `${prefix}_${toBase32(cipher.update(block))}`;
      recent.keep(name, id);
      return id;
    },
    decode(id) {
      const split = id.lastIndexOf("_");
      const kind = kindByPrefix.get(id.slice(0, Math.max(0, split)));
      const sealed = fromBase32(id.slice(split + 1));
      if (kind === undefined || sealed === undefined) return undefined;
      const block = decipher.update(sealed);
      if (kindByByte.get(block[0]!) !== kind || block[1] !== 0 || block[2] !== 0) return undefined;
      const object = block.readBigUInt64BE(8);
      if (object > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
      return { kind, agent: block.readUIntBE(3, 5) as AgentNumber, object: Number(object) };
    },
  };
}

function toBase32(block: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of block) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return text + alphabet[(value << (5 - bits)) & 31];
}

function fromBase32(text: string): Buffer | undefined {
  if (text.length !== idTextLength) return undefined;
  const block = Buffer.alloc(16);
  let at = 0;
  let bits = 0;
  let value = 0;
  for (const character of text) {
    const digit = digitOf.get(character);
    if (digit === undefined) return undefined;
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      block[at++] = (value >>> bits) & 255;
      value &= (1 << bits) - 1;
    }
  }
  return value === 0 ? block : undefined;
}
