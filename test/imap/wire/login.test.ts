import net from "node:net";
import { createInterface } from "node:readline";
import tls from "node:tls";
import { expect, test } from "vitest";
import { listCapabilities } from "#/protocols/imap/capabilities.ts";
import { commands } from "#/protocols/imap/commands/index.ts";
import { createToken } from "#/src/accounts/administration/credentials.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { scramClient } from "../../support/clients/scram-client.ts";
import { startImap } from "../server.ts";

function plainMessage(...fields: string[]): string {
  return Buffer.from(fields.join("\0")).toString("base64");
}

test("takes PLAIN with and without an initial response", async () => {
  await using server = await startImap();
  const plain = plainMessage("", "robin@example.test", server.robin.password);
  await server.converse(
    `
    S: * OK {{*}}
    C: a1 AUTHENTICATE PLAIN {{=plain}}
    S: a1 OK [CAPABILITY {{*}}] Logged in
    C: a2 AUTHENTICATE PLAIN {{=plain}}
    S: a2 BAD {{*}}
    S2: * OK {{*}}
    C2: a1 AUTHENTICATE PLAIN
    S2: +{{*}}
    C2: {{=plain}}
    S2: a1 OK {{*}}
    S3: * OK {{*}}
    C3: a1 AUTHENTICATE PLAIN
    S3: +{{*}}
    C3: *
    S3: a1 BAD {{*}}
    C3: a2 AUTHENTICATE PLAIN =
    S3: a2 NO [AUTHENTICATIONFAILED] {{*}}
    C3: a3 AUTHENTICATE PLAIN AAA
    S3: a3 BAD {{*}}
    C3: a4 AUTHENTICATE X-FOO
    S3: a4 NO {{*}}
    C3: a5 AUTHENTICATE PLAIN {{=other}}
    S3: a5 NO [AUTHENTICATIONFAILED] {{*}}
  `,
    {
      variables: {
        plain,
        other: plainMessage("kim@example.test", "robin@example.test", server.robin.password),
      },
    },
  );
});

test("takes an agent's token for a password", async () => {
  await using server = await startImap();
  await server.converse(
    `
    S: * OK {{*}}
    C: a1 LOGIN robin@example.test {{=token}}
    S: a1 OK {{*}}
  `,
    { variables: { token: server.robin.token! } },
  );
});

test("refuses wrong passwords alike, and ends after a few", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: a1 LOGIN robin@example.test wrong
    S: a1 NO [AUTHENTICATIONFAILED] {{text:.*}}
    C: a2 LOGIN nobody@example.test wrong
    S: a2 NO [AUTHENTICATIONFAILED] {{=text}}
    C: a3 SELECT INBOX
    S: a3 BAD {{*}}
    C: a4 LOGIN x {2}
    S: + {{*}}
    C: yy
    S: a4 NO [{{*}}
    C: a5 LOGIN x y
    S: a5 NO [{{*}}
    C: a6 LOGIN x y
    S: * BYE {{*}}
    CLOSED
  `);
});

test("speaks TLS after STARTTLS and on its own port", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: a1 STARTTLS
    S: a1 OK {{*}}
    TLS
    C: a2 CAPABILITY
    S: * CAPABILITY IMAP4rev1 IMAP4rev2 LITERAL+ ID SASL-IR AUTH=SCRAM-SHA-256-PLUS AUTH=SCRAM-SHA-256 AUTH=OAUTHBEARER AUTH=PLAIN
    S: a2 OK {{*}}
    C: a3 STARTTLS
    S: a3 BAD {{*}}
    C: a4 LOGIN {{=login}}
    S: a4 OK {{*}}
  `);
  await server.converse(
    `
    TLS
    S: * OK {{*}}
    C: a1 LOGIN {{=login}}
    S: a1 OK {{*}}
  `,
    { port: server.securePort },
  );
});

test("runs nothing that was sent in the clear behind STARTTLS", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: a1 STARTTLS\\r\\na2 LOGIN {{=login}}
    S: a1 OK {{*}}
    CLOSED
  `);
});

test("takes SCRAM, bound to the TLS connection where it can be", async () => {
  await using server = await startImap();
  const socket = tls.connect({ port: server.securePort, rejectUnauthorized: false });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value as string;
  expect(await next()).toMatch(/SASL-IR AUTH=SCRAM-SHA-256-PLUS AUTH=SCRAM-SHA-256 /);
  const binding = socket.exportKeyingMaterial(32, "EXPORTER-Channel-Binding", Buffer.alloc(0));
  const client = scramClient("robin@example.test", server.robin.password, {
    gs2: "p=tls-exporter,,",
    binding,
  });
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  socket.write(`a1 AUTHENTICATE SCRAM-SHA-256-PLUS ${base64(client.first)}\r\n`);
  const serverFirst = Buffer.from((await next()).slice(2), "base64").toString();
  const { final, serverFinal } = client.finish(serverFirst);
  socket.write(`${base64(final)}\r\n`);
  expect(await next()).toBe(`+ ${base64(serverFinal)}`);
  socket.write("\r\n");
  expect(await next()).toMatch(/^a1 OK \[CAPABILITY /);
  socket.destroy();
});

test("accepts a token by OAUTHBEARER, and answers the error of a wrong one", async () => {
  await using server = await startImap();
  const message = (token: string): string =>
    Buffer.from(`n,a=robin@example.test,\x01auth=Bearer ${token}\x01\x01`).toString("base64");
  await server.converse(
    `
    S: * OK {{*}}
    C: a1 AUTHENTICATE OAUTHBEARER {{=bad}}
    S: + eyJzdGF0dXMiOiJpbnZhbGlkX3Rva2VuIiwic2NvcGUiOiJtYWlsIn0=
    C: AQ==
    S: a1 NO [AUTHENTICATIONFAILED] {{*}}
    C: a2 AUTHENTICATE SCRAM-SHA-256-PLUS
    S: a2 NO [CANNOT] {{*}}
    C: a3 AUTHENTICATE OAUTHBEARER {{=good}}
    S: a3 OK [CAPABILITY {{*}}
  `,
    { variables: { bad: message("wp_wrong"), good: message(server.robin.token!) } },
  );
});

test("lets a token with mail:read read mail, and change nothing", async () => {
  await using server = await startImap();
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const row = (await findAgent(server.store, agent))!;
  const facts = { name: "r", scopes: ["mail:read"], expiresAt: null };
  const { secret } = await createToken(atCommandLine, server.store, row, facts);
  await server.converse(
    `
    S: * OK {{*}}
    C: a1 LOGIN robin@example.test {{=token}}
    S: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: a2 OK [READ-ONLY] {{*}}
    C: a3 CREATE Work
    S: a3 NO [NOPERM] {{*}}
    C: a4 STORE 1:* +FLAGS (\\Seen)
    S: a4 NO [NOPERM] {{*}}
    C: a5 APPEND INBOX {4+}
    C: a: b
    S: a5 NO [NOPERM] {{*}}
    C: a6 LIST "" INBOX
    S: * LIST {{*}}
    S: a6 OK {{*}}
  `,
    { variables: { token: secret } },
  );
});

test("takes the name and the password of LOGIN in every form of a string, and no other", async () => {
  await using server = await startImap();
  const name = "robin@example.test";
  const { password } = server.robin;
  const size = password.length;
  const forms = [
    `"${name}" "${password}"`,
    `{18+}\\r\\n${name} {${size}+}\\r\\n${password}`,
    `"robin\\@example.test" x`,
    `{0+}\\r\\n {0+}\\r\\n`,
    `"" ""`,
    `{18+}\\r\\n${name} {3+}\\r\\na\\x00b`,
    `~{18+}\\r\\n${name} x`,
    `{18+}\\r\\n${name}{${size}+}\\r\\n${password}`,
    `${name} {${size}+}\\r\\n${password} x`,
    `${name} {-1}`,
    `${name} {4294967296}`,
    `(${name}) x`,
    `${name}`,
    `${name} NIL`,
    `"Grüße" "ß"`,
  ];
  const answers = [
    "OK",
    "OK",
    "BAD",
    "NO",
    "NO",
    "BAD",
    "BAD",
    "BAD",
    "BAD",
    "BAD",
    "BAD",
    "BAD",
    "BAD",
    "NO",
    "NO",
  ];
  for (const [index, form] of forms.entries())
    await server.converse(`
      S: * OK {{*}}
      C: a1 LOGIN ${form}
      S: a1 ${answers[index]} {{*}}
    `);
  // One literal after the other, each waited for.
  await server.converse(`
    S: * OK {{*}}
    C: a1 login {18}
    S: + {{*}}
    C: ${name} {${size}}
    S: + {{*}}
    C: ${password}
    S: a1 OK {{*}}
  `);
});

test("limits the connections of one mailbox owner", async () => {
  await using server = await startImap({ maxConnectionsPerLogin: 1 });
  await server.converse(`
    S: * OK {{*}}
    C: a1 LOGIN {{=login}}
    S: a1 OK {{*}}
    S2: * OK {{*}}
    C2: a1 LOGIN {{=login}}
    S2: a1 NO [LIMIT] {{*}}
    C: a2 LOGOUT
    S: * BYE {{*}}
    S: a2 OK {{*}}
    CLOSED
    C2: a2 LOGIN {{=login}}
    S2: a2 OK {{*}}
  `);
});

test("a client that has been told the end of its connection logs in again before it has closed it", async () => {
  await using server = await startImap({ maxConnectionsPerLogin: 1 });
  const { port, robin } = server;
  const first = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  first.write(`a1 LOGIN robin@example.test "${robin.password}"\r\na2 LOGOUT\r\n`);
  let heard = "";
  for await (const chunk of first.setEncoding("latin1").iterator({ destroyOnReturn: false })) {
    heard += chunk;
    if (heard.includes("a2 OK")) break;
  }
  expect(heard).toContain("a1 OK");
  await server.converse(`
    S: * OK {{*}}
    C: b1 LOGIN {{=login}}
    S: b1 OK {{*}}
  `);
  first.destroy();
});

test("limits the connections of one network until they have logged in", async () => {
  await using server = await startImap({ maxConnectionsPerNetwork: 1 }, undefined, () => "192.0.2.0/24");
  await server.converse(`
    S: * OK {{*}}
    S2: * BYE [LIMIT] {{*}}
    CLOSED2
    C: a1 LOGIN {{=login}}
    S: a1 OK {{*}}
    S3: * OK {{*}}
    C3: b1 NOOP
    S3: b1 OK {{*}}
    C: a2 UNAUTHENTICATE
    S: * BYE [LIMIT] {{*}}
    CLOSED
    C3: b2 LOGIN {{=login}}
    S3: b2 OK {{*}}
  `);
});

test("limits all connections", async () => {
  await using server = await startImap({ maxConnections: 1 });
  await server.converse(`
    S: * OK {{*}}
    S2: * BYE {{*}}
    CLOSED2
  `);
});

test("refuses a token without the scope for mail", async () => {
  await using server = await startImap();
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const row = (await findAgent(server.store, agent))!;
  const { secret } = await createToken(atCommandLine, server.store, row, {
    name: "r",
    scopes: ["calendar"],
    expiresAt: null,
  });
  await server.converse(
    `
    S: * OK {{*}}
    C: a1 LOGIN robin@example.test {{=token}}
    S: a1 NO [AUTHENTICATIONFAILED] {{*}}
  `,
    { variables: { token: secret } },
  );
});

test("disables LOGIN where a password would cross the line in the clear", () => {
  const context = {
    canStartTls: true,
    isCompressed: false,
    mayUsePlainText: false,
    hasChannelBinding: false,
    maxAppendBytes: 1000,
    messageLimit: 2000,
  };
  expect(listCapabilities(commands, { ...context, state: "unauthenticated" })).toEqual([
    "IMAP4rev1",
    "IMAP4rev2",
    "LITERAL+",
    "ID",
    "STARTTLS",
    "SASL-IR",
    "AUTH=SCRAM-SHA-256",
    "LOGINDISABLED",
  ]);
});

test("announces after login the capabilities of a logged-in session", () => {
  const context = {
    canStartTls: true,
    isCompressed: false,
    mayUsePlainText: true,
    hasChannelBinding: false,
    maxAppendBytes: 1000,
    messageLimit: 2000,
  };
  expect(listCapabilities(commands, { ...context, state: "authenticated" }).join(" ")).toMatchInlineSnapshot(
    `"IMAP4rev1 IMAP4rev2 LITERAL+ ID ENABLE UIDONLY UTF8=ACCEPT INPROGRESS QRESYNC OBJECTID CREATE-SPECIAL-USE LIST-EXTENDED LIST-STATUS SPECIAL-USE CHILDREN LIST-MYRIGHTS LIST-METADATA NAMESPACE STATUS=SIZE ACL RIGHTS=texk QUOTA QUOTA=RES-STORAGE QUOTA=RES-MESSAGE METADATA UIDPLUS MULTIAPPEND CATENATE APPENDLIMIT=1000 IDLE UNSELECT ESEARCH SEARCHRES WITHIN SEARCH=FUZZY CONTEXT=SEARCH MULTISEARCH SORT SORT=DISPLAY ESORT CONTEXT=SORT I18NLEVEL=1 THREAD=ORDEREDSUBJECT THREAD=REFERENCES BINARY CONDSTORE SAVEDATE PREVIEW PARTIAL MESSAGELIMIT=2000 MOVE REPLACE COMPRESS=DEFLATE UNAUTHENTICATE UIDBATCHES NOTIFY"`,
  );
});

test("reads the fields of ID and does not keep them", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: a1 ID ("name" "curl" "version" NIL)
    S: * ID ("name" "Waypost")
    S: a1 OK {{*}}
    C: a2 ID NIL
    S: * ID {{*}}
    S: a2 OK {{*}}
    C: a3 ID ("name")
    S: a3 BAD {{*}}
  `);
});
