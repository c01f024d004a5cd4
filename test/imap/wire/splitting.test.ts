import fc from "fast-check";
import { afterAll, beforeAll, test } from "vitest";
import { type ImapServer, startImap } from "../server.ts";

let server: ImapServer;
beforeAll(async () => {
  server = await startImap();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Literals of both kinds, quoted strings, pipelining, IDLE and errors; leaves the store as it was. */
const script = `
  S: * OK {{*}}
  C: a1 LOGIN {18}
  S: + {{*}}
  C: robin@example.test {{=secret}}
  S: a1 OK {{*}}
  C: a2 CREATE Box\\r\\na3 APPEND Box (\\Seen) {12+}\\r\\na: b\\r\\n\\r\\ntext\\r\\na4 SELECT Box
  S: a2 OK {{*}}
  S: a3 OK [APPENDUID {{*}}
  S*: a4 OK {{*}}
  C: a5 FETCH 1 (FLAGS BODY.PEEK[])\\r\\na6 FOO\\r\\na7 SEARCH SUBJECT {1+}\\r\\nx\\r\\na8 IDLE\\r\\nDONE
  S: * 1 FETCH (FLAGS (\\Recent \\Seen) BODY[] {12}
  S: a: b
  S:
  S: text)
  S: a5 OK {{*}}
  S: a6 BAD {{*}}
  S: * SEARCH
  S: a7 OK {{*}}
  S: + {{*}}
  S: a8 OK {{*}}
  C: a9 CLOSE\\r\\nb1 DELETE Box\\r\\nb2 LOGOUT
  S: a9 OK {{*}}
  S: b1 OK {{*}}
  S: * BYE {{*}}
  S: b2 OK {{*}}
  CLOSED
`;

test("any chunking of what a client sends gives the same answers", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      async (sizes) => {
        await server.converse(script, {
          variables: { secret: `"${server.robin.password}"` },
          split(bytes) {
            const pieces: Buffer[] = [];
            for (let at = 0, turn = 0; at < bytes.length; turn++) {
              const size = sizes[turn % sizes.length]!;
              pieces.push(bytes.subarray(at, at + size));
              at += size;
            }
            return pieces;
          },
        });
      },
    ),
    { numRuns: 25 },
  );
});
