import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimedKind, createIdCodec, objectKinds } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";

const codec = createIdCodec(Buffer.alloc(16, 7));
const names = fc.record({
  kind: fc.constantFrom(...objectKinds),
  agent: fc.integer({ min: 1, max: 2 ** 40 - 1 }),
  object: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
});

describe("ids", () => {
  it("decodes an id to the name that it was made of", () => {
    fc.assert(
      fc.property(names, ({ kind, agent, object }) => {
        const id = codec.encode(kind, agent as AgentNumber, object);
        expect(id).toMatch(/^[a-z]+_[0-9a-z]{26}$/);
        expect(codec.decode(id)).toEqual({ kind, agent, object });
        expect(claimedKind(id)).toBe(kind);
      }),
    );
  });

  it("refuses an id with another prefix", () => {
    const id = codec.encode("message", 5 as AgentNumber, 9);
    expect(codec.decode(id.replace("message_", "folder_"))).toBeUndefined();
  });

  it("refuses an id with one character changed, removed or added", () => {
    const id = codec.encode("message", 5 as AgentNumber, 9);
    const other = (character: string): string => (character === "0" ? "1" : "0");
    for (let at = "message_".length; at < id.length; at++)
      expect(codec.decode(id.slice(0, at) + other(id[at]!) + id.slice(at + 1))).toBeUndefined();
    expect(codec.decode(id.slice(0, -1))).toBeUndefined();
    expect(codec.decode(`${id}0`)).toBeUndefined();
  });

  it("refuses an id of another deployment", () => {
    const foreign = createIdCodec(Buffer.alloc(16, 8)).encode("message", 5 as AgentNumber, 9);
    expect(codec.decode(foreign)).toBeUndefined();
  });

  it("takes any text without throwing", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(codec.decode(text)).toBeUndefined();
      }),
    );
  });
});
