/** Hostile messages of the shared corpus, read with every rendering. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleOf } from "../support/samples.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

const corpus = path.resolve(import.meta.dirname, "../../../shared/corpus");
const files = existsSync(corpus)
  ? ["attack/mime", "attack/html", "injection"].flatMap((folder) =>
      readdirSync(path.join(corpus, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".eml"))
        .map((name) => path.join(folder, name)),
    )
  : [];
/** Parts of one message that are read one by one. */
const partsRead = 40;

describe.skipIf(files.length === 0)("hostile mail (skipped where ../shared is absent)", () => {
  let server: JsonServer;
  beforeAll(async () => {
    server = await openJsonServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("is read part by part without a fault, in bounded size, and without unseen characters", async () => {
    const { client } = await server.token(server.ada, ["mail", "raw"]);
    for (const file of sampleOf(files, 20)) {
      const id = await server.deliver(server.ada, readFileSync(path.join(corpus, file)));
      const read = async (request: object): Promise<unknown> => {
        const answer = await client.call("part.describe", { id, ...request });
        expect([file, request, answer.status === 200 || answer.body.error.code]).toEqual([
          file,
          request,
          answer.status === 200 || expect.stringMatching(/^(?:invalid|not_found)$/),
        ]);
        const text: string = answer.body.text ?? "";
        expect([...text].length).toBeLessThanOrEqual(20_000);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(
          /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b]|[\u{e0000}-\u{e007f}]/u,
        );
        return answer.body;
      };
      const whole = (await read({})) as { content: { parts: { part: string }[] } };
      expect(JSON.stringify(whole).length).toBeLessThan(300_000);
      for (const request of [
        { render: "json" },
        { render: "source" },
        { part: "headers" },
        { part: "structure" },
        { part: "body" },
        { part: "agent" },
      ])
        await read(request);
      for (const { part } of whole.content.parts.slice(0, partsRead))
        for (const render of ["json", "text", "raw", "source", "headers"]) await read({ part, render });
    }
    await client.ok("search", { limit: 100, q: "the" });
  });
});
