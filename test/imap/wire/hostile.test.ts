import { existsSync, readFileSync } from "node:fs";
import net from "node:net";
import { describe, expect, test, vi } from "vitest";
import { type ImapServer, startImap } from "../server.ts";

const loggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
`;

/** Sends octets and gives what the server says until it closes or is silent for a while after `until`. */
function talk(
  server: ImapServer,
  octets: string | Buffer,
  until: RegExp | "close",
  login = false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(server.port, "127.0.0.1");
    let said = "";
    const timer = setTimeout(() => finish(new Error(`only said: ${said.slice(0, 500)}`)), 60_000);
    const finish = (error?: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve(said);
    };
    socket.on("data", (chunk) => {
      said += chunk.toString("latin1");
      if (until !== "close" && until.test(said)) finish();
    });
    socket.on("error", () => {});
    socket.on("close", () => (until === "close" ? finish() : finish(new Error(`closed: ${said}`))));
    if (login) socket.write(`l LOGIN robin@example.test "${server.robin.password}"\r\n`);
    socket.write(octets);
  });
}

describe("before login", () => {
  test("answers five thousand pipelined NOOPs in order", async () => {
    await using server = await startImap();
    const script = Array.from({ length: 5000 }, (_, index) => `n${index} NOOP\r\n`).join("");
    const said = await talk(server, script, /n4999 OK[^\n]*\n$/);
    const tags = said.match(/^n\d+(?= OK)/gm)!;
    expect(tags).toEqual(Array.from({ length: 5000 }, (_, index) => `n${index}`));
  });

  test("closes the connection on a line without an end", async () => {
    await using server = await startImap();
    expect(await talk(server, Buffer.alloc(1_000_000, "x"), "close")).toMatch(/BYE \[TOOBIG\] .*\r\n$/);
  });

  test("closes the connection on a non-synchronising literal that is too large, without reading it", async () => {
    await using server = await startImap();
    expect(await talk(server, `a LOGIN {2000000000+}\r\n${"x".repeat(5000)}`, "close")).toMatch(
      /BYE \[TOOBIG\]/,
    );
  });

  test("closes a connection that speaks another protocol", async () => {
    await using server = await startImap();
    const said = await talk(server, `GET / HTTP/1.1\r\n${"Host: x\r\n".repeat(30)}\r\n`, "close");
    expect(said.match(/ BAD /g)!.length).toBeLessThan(15);
    expect(said).toMatch(/BYE/);
  });
});

test("gives a minute to log in, whatever is said meanwhile", async () => {
  await using server = await startImap();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const pass = (ms: number) => async () => vi.advanceTimersByTime(ms);
  try {
    await server.converse(
      `
      S: * OK {{*}}
      DO half
      C: a1 NOOP
      S: a1 OK {{*}}
      DO half
      C: a2 NOOP
      S: a2 OK {{*}}
      DO moment
      C: a3 NOOP
      C: a4 LOGOUT
      S: a3 OK {{*}}
      S: * BYE Silent for too long
      CLOSED
    `,
      { timeoutMs: 3_600_000, actions: { half: pass(30_000), moment: pass(1) } },
    );
  } finally {
    vi.useRealTimers();
  }
});

test("refuses literals before they are sent", async () => {
  await using server = await startImap({ maxAppendBytes: 1000 });
  await server.converse(`${loggedIn}
    C: a1 APPEND INBOX {4294967296}
    S: a1 NO [TOOBIG] {{*}}
    C: a2 APPEND INBOX {99999999999999999999}
    S: a2 NO [TOOBIG] {{*}}
    C: a3 SELECT {100000}
    S: a3 BAD [TOOBIG] {{*}}
    C: a4 APPEND {5}
    S: + {{*}}
    C: INBOX {1001}
    S: a4 NO [TOOBIG] {{*}}
    C: a5 NOOP
    S: a5 OK {{*}}
  `);
});

test("lets the messages of one APPEND share the limit, and reads on behind one that is a little too large", async () => {
  await using server = await startImap({ maxAppendBytes: 1000 });
  await server.converse(`${loggedIn}
    C: a1 APPEND INBOX {4+}
    C: a: b {998+}
    C: ${"x".repeat(998)}
    S: a1 NO [TOOBIG] {{*}}
    C: a2 NOOP
    S: a2 OK {{*}}
    C: a3 APPEND INBOX {5000+}
    S: * BYE [TOOBIG] {{*}}
    CLOSED
  `);
});

test.each([
  ["APPEND INBOX {-1}", "BAD"],
  ["APPEND INBOX {}", "BAD"],
  ["APPEND INBOX", "BAD"],
  ['APPEND INBOX "1-Foo-2020 00:00:00 +0000" {3+}\\r\\nabc', "BAD"],
  ["SELECT", "BAD"],
  ["SELECT INBOX x", "BAD"],
  ["UID", "BAD"],
  ["UID NOOP", "BAD"],
  ["FOO", "BAD"],
  ["LIST", "BAD"],
  ['LIST "" "', "BAD"],
  ["\\x00", "BAD"],
  ['CREATE "a\\x01b"', "NO"],
  ['CREATE ""', "NO"],
  ["CREATE ../../etc/x", "NO"],
  ["ENABLE", "BAD"],
])("answers %s with %s", async (command, status) => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 ${command}
    S: a1 ${status} {{*}}
    C: a2 NOOP
    S: a2 OK {{*}}
  `);
});

test("closes a connection that sends too much while it idles or authenticates", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 IDLE
    S: + {{*}}
    C: ${"x".repeat(2000)}
    S: * BYE [TOOBIG] {{*}}
    CLOSED
  `);
});

test("answers a line without a tag", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C:
    S: * BAD {{*}}
    C: +x NOOP
    S: * BAD {{*}}
    C: a1
    S: a1 BAD {{*}}
    C: a2 NOOP
    S: a2 OK {{*}}
  `);
});

const folder = new URL("../../../../shared/corpus/attack/imap", import.meta.url).pathname;
const isAbsent = !existsSync(folder);

describe.skipIf(isAbsent)(`attack corpus${isAbsent ? ` (skipped: no ${folder})` : ""}`, () => {
  const read = (name: string): Buffer => readFileSync(`${folder}/${name}`);

  test.each([
    ["list-wildcards.bin", /a1 (OK|BAD)/],
    ["literal-4gib.bin", /a1 NO \[TOOBIG\]/],
    ["paren-nesting.bin", /a1 BAD/],
    ["search-nesting.bin", /a1 BAD/],
  ])("%s", async (name, expected) => {
    await using server = await startImap();
    const said = await talk(
      server,
      Buffer.concat([Buffer.from("s SELECT INBOX\r\n"), read(name)]),
      expected,
      true,
    );
    expect(said).not.toMatch(/^\+/m);
  });

  test("literal-plus-huge.bin", async () => {
    await using server = await startImap();
    expect(await talk(server, read("literal-plus-huge.bin"), "close")).toMatch(/BYE/);
  });

  test.each(["mailbox-names.txt", "sequence-sets.txt"])("%s", async (name) => {
    await using server = await startImap();
    const lines = read(name).toString("latin1").trim().split("\n");
    const commands = lines.map((line, index) => `x${index}${line.slice(1)}\r\n`).join("");
    const last = new RegExp(`x${lines.length - 1} (OK|NO|BAD)`);
    const said = await talk(server, Buffer.from(`s SELECT INBOX\r\n${commands}`, "latin1"), last, true);
    for (const [index, line] of lines.entries()) {
      expect(said, line).toMatch(new RegExp(`^x${index} (OK|NO|BAD) `, "m"));
    }
  });
});
