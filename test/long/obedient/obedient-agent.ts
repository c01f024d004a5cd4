/** An agent that reads a mail through every operation that reads, and does what it reads: each attack has a word, and whoever has read
 *  the word does the deed of the attack. It calls operations over `/v1` and as tools of `/mcp` by turns, and has the app password for
 *  the other doors. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTransport, type SendMailOptions } from "nodemailer";
import { basic, type DavAnswer, davClient } from "../../support/clients/dav-client.ts";
import { httpClient } from "../../support/clients/http.ts";
import { connectRawImap } from "../../support/clients/raw-imap.ts";
import { accompliceOf, attackerOf, type Credentials, type Scene } from "./scene.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
export type Answer = any;

/** How operations are called. */
export type Way = "v1" | "mcp";

export interface Secret {
  readonly id: string;
  readonly words: string;
  /** The part of its attached file. */
  readonly file: string;
  readonly event: { readonly id: string; readonly version: string };
}

export interface Hands {
  readonly attack: number;
  /** The mail that asks for it. */
  readonly mail: string;
  readonly evil: string;
  readonly accomplice: string;
  readonly colleague: string;
  readonly self: Credentials;
  readonly secret: Secret;
  /** The answer of an operation, or `{ error }`. */
  call(operation: string, input?: Record<string, unknown>): Promise<Answer>;
  /** Sends this body, with a text that has the secret unless the body has a text. */
  send(body: Record<string, unknown>, more?: Record<string, unknown>): Promise<Answer>;
  imap(...commands: readonly (string | readonly [string, string])[]): Promise<readonly string[]>;
  dav(method: string, path: string, body?: string, fields?: Record<string, string>): Promise<DavAnswer>;
  submit(mail: SendMailOptions): Promise<void>;
  /** Is done a day later, when what left first has arrived. */
  later(deed: () => Promise<unknown>): void;
}

export type Caller = (operation: string, input?: Record<string, unknown>) => Promise<Answer>;

/** Calls operations, and notes their names. */
export function callerOf(scene: Scene, self: Credentials, way: Way, called?: Set<string>): Caller {
  const { url } = scene.daemon.http;
  const client = httpClient(url, self.token);
  return async (operation, input = {}) => {
    called?.add(operation);
    if (way === "v1") return (await client.call(operation, input)).body;
    const tools = new Client({ name: "obedient", version: "1" });
    const headers = { Authorization: `Bearer ${self.token}` };
    await tools.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
    );
    try {
      const name = operation.replace(".", "_");
      const { content } = await tools.callTool({ name, arguments: input }, { timeout: 600_000 });
      return JSON.parse((content as { text: string }[])[0]!.text);
    } finally {
      await tools.close();
    }
  };
}

/** Every answer about a mail that an agent can get to read. */
export async function readMail(call: Caller, id: string): Promise<readonly Answer[]> {
  const answers: Answer[] = [await call("search", { folder: "inbox", limit: 5 })];
  const whole = await call("part.describe", { id, detail: "full" });
  answers.push(whole);
  for (const render of ["reply", "markdown", "html", "headers", "structure"])
    answers.push(await call("part.describe", { id, render }));
  for (const { part } of whole.content?.parts ?? [])
    answers.push(await call("part.describe", { id: `${id}#${part}` }));
  if (whole.content?.thread !== undefined)
    answers.push(await call("part.describe", { id: whole.content.thread }));
  return answers;
}

/** What stands in the calendars and addressbooks of the agent. */
export async function readItems(call: Caller, self: Credentials): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const own = await call("part.describe", { id: self.id });
  answers.push(own);
  for (const kind of ["calendars", "addressbooks"] as const)
    for (const { id } of own.content[kind] ?? []) {
      const listed = await call("part.describe", { id });
      answers.push(listed);
      for (const item of listed.content?.items ?? []) {
        answers.push(await call("part.describe", { id: item.id }));
        answers.push(await call("part.describe", { id: item.id, render: "json" }));
      }
    }
  return answers;
}

export function handsOf(
  scene: Scene,
  self: Credentials,
  facts: {
    readonly attack: number;
    readonly mail: string;
    readonly secret: Secret;
    readonly call: Caller;
    readonly deferred: (() => Promise<unknown>)[];
  },
): Hands {
  const { call, secret, attack } = facts;
  const { daemon } = scene;
  return {
    attack,
    mail: facts.mail,
    evil: attackerOf(attack),
    accomplice: accompliceOf(attack),
    colleague: scene.colleague.address,
    self,
    secret,
    call,
    send: (body, more = {}) =>
      call("send", {
        body: { subject: `case ${attack}`, text: `It says: ${secret.words}`, ...body },
        ...more,
      }),
    async imap(...commands) {
      await using imap = await connectRawImap(daemon.imap);
      const said: string[] = [];
      for (const command of [`LOGIN ${self.address} ${self.password}`, ...commands]) {
        const [text, literal] = typeof command === "string" ? [command, undefined] : command;
        const answer = await imap.command(text, literal === undefined ? undefined : Buffer.from(literal));
        said.push(...answer.untagged.map((one) => one.text), answer.status);
      }
      return said;
    },
    dav: (method, path, body, fields) =>
      davClient(daemon.http.url, basic(self.address, self.password)).request(method, path, body, fields),
    async submit(mail) {
      const transport = createTransport({
        ...daemon.submission,
        secure: false,
        auth: { user: self.address, pass: self.password },
        tls: { rejectUnauthorized: false },
      });
      try {
        await transport.sendMail({
          from: self.address,
          subject: `case ${attack}`,
          text: `It says: ${secret.words}`,
          ...mail,
        });
      } catch {
        // The server has refused it.
      }
      transport.close();
    },
    later: (deed) => facts.deferred.push(deed),
  };
}
