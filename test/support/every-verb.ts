/** Every verb of every door of a daemon, each on a connection of its own, which is then cut. */
import net from "node:net";
import type { MethodName } from "#/protocols/dav/methods/registry.ts";
import type { CommandName } from "#/protocols/imap/commands/index.ts";
import type { OperationName } from "#/protocols/json/registry.ts";
import type { Ready } from "./daemon.ts";

const mail = { to: ["person@waypost.test"], text: "Hello" };

/** Commands of IMAP by name, and the text behind the name. The mailbox has one message. */
export const imapCommands: Readonly<Record<CommandName, string>> = {
  CAPABILITY: "",
  NOOP: "",
  LOGOUT: "",
  ID: "NIL",
  STARTTLS: "",
  AUTHENTICATE: "PLAIN AHgAeA==",
  LOGIN: "nobody x",
  ENABLE: "CONDSTORE",
  SELECT: "INBOX",
  EXAMINE: "INBOX",
  CREATE: "Made",
  DELETE: "Made",
  RENAME: "Trash Bin",
  SUBSCRIBE: "INBOX",
  UNSUBSCRIBE: "INBOX",
  LIST: '"" "*" RETURN (STATUS (MESSAGES))',
  LSUB: '"" "*"',
  NAMESPACE: "",
  STATUS: "INBOX (MESSAGES UNSEEN)",
  MYRIGHTS: "INBOX",
  GETACL: "INBOX",
  LISTRIGHTS: "INBOX anyone",
  SETACL: "INBOX anyone lr",
  DELETEACL: "INBOX anyone",
  GETQUOTA: '""',
  GETQUOTAROOT: "INBOX",
  SETQUOTA: '"" (STORAGE 1)',
  GETMETADATA: 'INBOX "/private/comment"',
  SETMETADATA: 'INBOX ("/private/comment" "x")',
  APPEND: "INBOX {9+}\r\nA: b\r\n\r\nc",
  IDLE: "",
  CHECK: "",
  CLOSE: "",
  UNSELECT: "",
  EXPUNGE: "",
  SEARCH: "FROM x",
  CANCELUPDATE: '"x"',
  ESEARCH: "IN (personal) TEXT hello",
  SORT: "(DATE) UTF-8 TEXT hello",
  THREAD: "REFERENCES UTF-8 TEXT hello",
  FETCH: "1:* (ENVELOPE BODY[] PREVIEW)",
  STORE: "1:* +FLAGS (\\Seen)",
  COPY: "1:* Sent",
  MOVE: "2:* Sent",
  REPLACE: "1 INBOX {9+}\r\nA: b\r\n\r\nd",
  COMPRESS: "DEFLATE",
  UNAUTHENTICATE: "",
  UIDBATCHES: "1000",
  NOTIFY: "SET (selected (MessageNew MessageExpunge)) (personal (MessageNew))",
};

/** Methods of DAV by name, on a resource of the home of the agent. */
export const davRequests: Readonly<Record<MethodName, readonly [path: string, body: string]>> = {
  OPTIONS: ["", ""],
  GET: ["", ""],
  HEAD: ["", ""],
  PUT: ["/one.ics", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n"],
  POST: ["", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"],
  PROPFIND: ["", ""],
  PROPPATCH: [
    "",
    '<propertyupdate xmlns="DAV:"><set><prop><displayname>x</displayname></prop></set></propertyupdate>',
  ],
  REPORT: [
    "",
    '<sync-collection xmlns="DAV:"><sync-token/><sync-level>1</sync-level><prop/></sync-collection>',
  ],
  MKCOL: ["/made/", ""],
  MKCALENDAR: ["/more/", ""],
  COPY: ["/one.ics", ""],
  MOVE: ["/one.ics", ""],
  LOCK: [
    "/one.ics",
    '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>',
  ],
  UNLOCK: ["/one.ics", ""],
  ACL: ["", '<acl xmlns="DAV:"/>'],
  DELETE: ["/one.ics", ""],
};

const nothing = (kind: string) => () => ({ id: `${kind}_000000000000000000000000` });

/** Inputs of the operations of `/v1`. What names an object names one that is not there, or the mailbox. */
export const operationInputs: Readonly<Record<OperationName, (mailbox: string) => object>> = {
  "help.describe": () => ({}),
  "catalog.describe": () => ({}),
  health: () => ({}),
  wait: () => ({ timeout_s: 0 }),
  watch: () => ({}),
  search: () => ({ q: "hello x" }),
  "part.describe": (id) => ({ id }),
  send: () => ({ body: mail, idempotency_key: crypto.randomUUID() }),
  "message.update": (id) => ({ id, unread: true }),
  "message.delete": nothing("message"),
  "folder.create": () => ({ path: "Made here" }),
  "folder.update": nothing("folder"),
  "folder.delete": nothing("folder"),
  "draft.create": () => ({ body: mail }),
  "draft.update": nothing("draft"),
  "draft.delete": nothing("draft"),
  "hold.create": () => ({ body: mail, idempotency_key: crypto.randomUUID() }),
  "hold.update": nothing("hold"),
  "hold.delete": nothing("hold"),
  "blob.create": () => ({ data: "aGk=" }),
  "blob.delete": nothing("blob"),
  "calendarMonth.list": () => ({ month: "2030-01" }),
  "calendar.create": () => ({ name: "Made" }),
  "calendar.update": nothing("calendar"),
  "calendar.delete": nothing("calendar"),
  "event.create": () => ({ body: { title: "One", start: "2030-01-01T10:00:00" } }),
  "event.update": nothing("event"),
  "event.delete": nothing("event"),
  "addressbook.create": () => ({ name: "Made" }),
  "addressbook.update": nothing("addressbook"),
  "addressbook.delete": nothing("addressbook"),
  "contact.create": () => ({ body: { name: "Ada" } }),
  "contact.update": nothing("contact"),
  "contact.delete": nothing("contact"),
};

/** Verbs of SMTP in their order, on the port of submission, too. */
export const smtpLines: readonly string[] = [
  "EHLO x.test",
  "HELP",
  "NOOP",
  "VRFY x",
  "EXPN x",
  "RSET",
  "MAIL FROM:<a@x.test>",
  "RCPT TO:<agent@waypost.test>",
  "DATA",
  "Subject: hello\r\n\r\nhello\r\n.",
  "MAIL FROM:<a@x.test>",
  "RCPT TO:<agent@waypost.test>",
  "BDAT 5 LAST\r\nhello",
  "STARTTLS",
];

/** Sends the text, waits for the answer if there is one to wait for, and cuts the connection. */
export async function cutAfter(port: number, text: string, until: RegExp | undefined): Promise<string> {
  const socket = net.connect({ port, host: "127.0.0.1" });
  let heard = "";
  const over = Promise.withResolvers<void>();
  socket.on("data", (chunk: Buffer) => {
    heard += chunk.toString("latin1");
    if (until?.test(heard) === true) over.resolve();
  });
  socket.on("error", () => over.resolve()).on("close", () => over.resolve());
  socket.write(text, () => {
    if (until === undefined) over.resolve();
  });
  await over.promise;
  socket.destroy();
  return heard;
}

export interface Doors {
  readonly daemon: Ready;
}

const knocks = {
  SMTP: knockSmtp,
  IMAP: knockImap,
  "/v1": knockOperations,
  MCP: knockMcp,
  DAV: knockDav,
  "the pages": knockPages,
} as const;
export type Door = keyof typeof knocks;
export const doors = Object.keys(knocks) as Door[];

/** Every verb of a door twice: cut after its answer, and cut at once. */
export async function knockAt(door: Door, of: Doors): Promise<void> {
  for (const isAnswered of [true, false]) await knocks[door](of, isAnswered);
}

async function knockSmtp({ daemon }: Doors, isAnswered: boolean): Promise<void> {
  for (const { port } of [daemon.smtp, daemon.submission])
    for (let count = 1; count <= smtpLines.length; count++) {
      const text = smtpLines.slice(0, count).join("\r\n");
      await cutAfter(
        port,
        `${text}\r\n${isAnswered ? "QUIT\r\n" : ""}`,
        isAnswered ? /^221|^220 .*TLS/m : undefined,
      );
    }
}

async function knockImap({ daemon }: Doors, isAnswered: boolean): Promise<void> {
  const { address, password } = daemon.agents[0]!;
  for (const [name, text] of Object.entries(imapCommands)) {
    const login = /^(STARTTLS|AUTHENTICATE|LOGIN)$/.test(name)
      ? ""
      : `a LOGIN ${address} "${password}"\r\nb SELECT INBOX\r\n`;
    const command = `${login}c ${name} ${text}`.trimEnd();
    await cutAfter(daemon.imap.port, `${command}\r\n`, isAnswered ? /^(c |\+ idling)/m : undefined);
  }
}

async function knockOperations({ daemon }: Doors, isAnswered: boolean): Promise<void> {
  const agent = daemon.agents[0]!;
  for (const [name, input] of Object.entries(operationInputs))
    await request(daemon, "POST", `/v1/${name}`, JSON.stringify(input(agent.id)), isAnswered);
}

async function knockMcp({ daemon }: Doors, isAnswered: boolean): Promise<void> {
  const call = (method: string, params: object): string =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  await request(daemon, "POST", "/mcp", call("tools/list", {}), isAnswered);
  await request(
    daemon,
    "POST",
    "/mcp",
    call("tools/call", { name: "search", arguments: { q: "hello x" } }),
    isAnswered,
  );
}

async function knockDav({ daemon }: Doors, isAnswered: boolean): Promise<void> {
  const { id } = daemon.agents[0]!;
  for (const [method, [path, body]] of Object.entries(davRequests))
    for (const home of [`/dav/calendars/${id}`, `/dav/addressbooks/${id}`, `/dav/files/${id}`])
      await request(daemon, method, home + (path === "" ? "/" : path), body, isAnswered);
}

async function knockPages({ daemon }: Doors, isAnswered: boolean): Promise<void> {
  const paths = ["/", "/openapi.json", "/.well-known/caldav", "/apple.mobileconfig", "/mail/config-v1.1.xml"];
  for (const path of paths) await request(daemon, "GET", path, "", isAnswered);
}

async function request(
  daemon: Ready,
  method: string,
  path: string,
  body: string,
  isAnswered: boolean,
): Promise<void> {
  const { address, password, token } = daemon.agents[0]!;
  const credential = path.startsWith("/dav/")
    ? `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`
    : `Bearer ${token}`;
  const type = path.startsWith("/dav/") ? "text/xml" : "application/json";
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: ${credential}`,
    `Content-Type: ${type}`,
    "Accept: application/json, text/event-stream",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const { port } = new URL(daemon.http.url);
  const text = `${head.join("\r\n")}\r\n\r\n${body}`;
  await cutAfter(Number(port), text, isAnswered ? /^HTTP\/1.1 [2-5]/ : undefined);
}
