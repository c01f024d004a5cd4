/** One draft in two clients: an agent writes it over `/v1`, a person edits it in a mail client, and the agent sends it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { converse } from "../support/clients/conversation.ts";
import { postJson } from "../support/clients/events.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

let daemon: InProcessDaemon;
beforeAll(async () => {
  daemon = await startInProcessDaemon({ agents: 2 });
});
afterAll(() => daemon[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
const call = (operation: string, input: object): Promise<any> =>
  postJson(daemon.http.url, operation, daemon.agents[0]!.token, input);

async function edit(script: string, variables: Readonly<Record<string, string>> = {}): Promise<void> {
  const { address, token } = daemon.agents[0]!;
  await converse(
    `S: * OK {{*}}
     C: a LOGIN ${address} ${token}
     S*: a OK {{*}}
     C: b SELECT Drafts
     S*: b OK {{*}}
     ${script}
     C: z LOGOUT
     S*: z OK {{*}}`,
    { port: daemon.imap.port, variables },
  );
}

const written = (id: string, subject: string): string =>
  `Message-ID: <${id}>\\r\\nFrom: ${daemon.agents[0]!.address}\\r\\nTo: ${daemon.agents[1]!.address}\\r\\nSubject: ${subject}\\r\\n\\r\\nBy hand\\r\\n`;
const octets = (text: string): number => text.replaceAll("\\r", "\r").replaceAll("\\n", "\n").length;

describe("a draft of an agent that a person edits over IMAP", () => {
  it.each([
    [
      "APPEND and EXPUNGE with the Message-ID that it had",
      (id: string) => {
        const text = written(id, "Edited");
        return `C: c APPEND Drafts (\\Draft) {${octets(text)}+}
          C-: ${text}
          C:
          S*: c OK {{*}}
          C: d STORE 1 +FLAGS.SILENT (\\Deleted)
          S*: d OK {{*}}
          C: e EXPUNGE
          S*: e OK {{*}}`;
      },
    ],
    [
      "REPLACE, whatever the new Message-ID",
      () => {
        const text = written("new@client.example", "Edited");
        return `C: c REPLACE 1 Drafts (\\Draft) {${octets(text)}+}
          C-: ${text}
          C:
          S*: c OK {{*}}`;
      },
    ],
  ])("keeps its name and gets a new version by %s, and is sent as it is", async (_, script) => {
    const to = [daemon.agents[1]!.address];
    const draft = await call("draft.create", { body: { to, subject: "Draft", text: "First" } });
    const { content } = await call("part.describe", { id: draft.ref });
    await edit(script(content.message_id.replace(/[<>]/g, "")));
    const edited = await call("part.describe", { id: draft.ref });
    expect(edited).toMatchObject({ kind: "draft", content: { subject: "Edited" } });
    expect(edited.version).not.toBe(draft.version);
    const stale = await call("send", { draft: draft.ref, version: draft.version });
    expect(stale.error).toMatchObject({ code: "precondition_failed", version: edited.version });
    const sent = await call("send", { draft: draft.ref, version: edited.version });
    expect(sent.error).toBeUndefined();
    expect((await call("part.describe", { id: sent.ref })).content.subject).toBe("Edited");
    expect((await call("part.describe", { id: draft.ref })).error.code).toBe("not_found");
    const { items } = (await call("search", { folder: "drafts" })).content;
    expect(items).toEqual([]);
  });
});
