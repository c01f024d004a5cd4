/** An agent that has only the MCP tools: it looks around, reads a mail, drafts an answer and sends it, sees that it is held, and sees that
 *  a person has approved it. The client is the official SDK's. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { expect, it } from "vitest";
import { startInProcessDaemon } from "../support/daemon.ts";

// biome-ignore lint/suspicious/noExplicitAny: results differ by tool
type Result = any;

it("an agent does the tour by tools alone, and a person approves in a mail client", async () => {
  await using daemon = await startInProcessDaemon({
    set: ["dns.servers=none", "holds.grace_s=0", "outbound.smarthost_host=127.0.0.1"],
  });
  const [agent] = daemon.agents;
  const [person] = daemon.people;
  const client = new Client({ name: "tour", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.http.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${agent!.token}` } },
    }),
  );
  const use = async (name: string, input: Record<string, unknown> = {}): Promise<Result> => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const { text } = (content as { text: string }[])[0]!;
    expect(isError, text).toBeFalsy();
    return JSON.parse(text);
  };
  /** The next event of a type, from a cursor on. */
  const next = async (type: string, from: string): Promise<Result> => {
    for (let cursor = from; ; ) {
      const answer = await use("wait", { cursor, types: [type], timeout_s: 20 });
      if (answer.events.length > 0) return answer.events[0];
      cursor = answer.cursor;
    }
  };

  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["search", "part_describe", "draft_create", "send", "wait"]));
  expect((await use("health")).address).toBe(agent!.address);
  const start = (await use("wait")).cursor;

  const transport = createTransport({ ...daemon.smtp, tls: { rejectUnauthorized: false } });
  await transport.sendMail({
    from: "Mel <mel@elsewhere.example>",
    to: agent!.address,
    subject: "An offer?",
    text: "Would you make us an offer?",
  });
  transport.close();

  const received = await next("mail.received", start);
  const found = await use("search", { folder: "inbox", unread: true });
  expect(found.content.items.map(({ id }: { id: string }) => id)).toEqual([received.message]);
  const mail = await use("part_describe", { id: received.message });
  expect(mail.text).toContain("Would you make us an offer?");
  expect(mail.provenance.authenticated).toBe(false);

  const draft = await use("draft_create", {
    body: { in_reply_to: received.message, text: "Of course: 42." },
  });
  const read = await use("part_describe", { id: draft.ref });
  expect(read).toMatchObject({ kind: "draft", version: draft.version });
  const sent = await use("send", { draft: draft.ref, version: draft.version, idempotency_key: "tour-1" });
  expect(sent).toMatchObject({ state: "held", hold: expect.stringMatching(/^hold_/) });
  expect(await use("send", { draft: draft.ref, version: draft.version, idempotency_key: "tour-1" })).toEqual({
    ...sent,
    replayed: true,
  });
  expect(await next("mail.held", received.cursor)).toMatchObject({ hold: sent.hold, message: sent.ref });
  expect((await use("part_describe", { id: sent.hold })).content).toMatchObject({
    state: "waiting",
    reason: "answering_unauthenticated",
  });
  // No token of an agent may approve.
  const own = await client.callTool({
    name: "hold_update",
    arguments: {
      id: sent.hold,
      version: (await use("part_describe", { id: sent.hold })).version,
      state: "approved",
    },
  });
  expect(own).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("forbidden_scope") }],
  });

  const imap = new ImapFlow({
    ...daemon.imap,
    auth: { user: person!.address, pass: person!.password },
    tls: { rejectUnauthorized: false },
    logger: false,
  });
  await imap.connect();
  const paths = (await imap.list()).map(({ path }) => path);
  const waiting = paths.find((path) => path.endsWith(`${agent!.address}/Holds/Waiting`))!;
  await imap.mailboxOpen(waiting);
  await imap.messageMove("1", waiting.replace("Waiting", "Approved"));
  await imap.logout();

  await expect
    .poll(async () => (await use("part_describe", { id: sent.hold })).content.state, { timeout: 60_000 })
    .toBe("sent");
  const listed = await use("search", { folder: "sent" });
  expect(listed.content.items.map(({ id }: { id: string }) => id)).toEqual([sent.ref]);
  await client.close();
});
