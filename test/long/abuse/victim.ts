/** A quiet user. In a loop it gets mail and its event, reads mail over IMAP, logs in again, looks at its calendars and calls
 *  operations. Records how long each took. It has a network of its own. */
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { connectRawImap, type RawImap } from "../../support/clients/raw-imap.ts";
import { connectRawSmtp, stuff } from "../../support/clients/raw-smtp.ts";
import type { ChildDaemon, Ready } from "../../support/daemon.ts";
import { addressIn } from "./networks.ts";

/** Networks of the user and of the sender of its mail. No attack uses them. */
const readerNetwork = 60_001;
const senderNetwork = 60_002;
/** Keeps the user below the rate of requests that a token may have. */
const pauseMs = 150;
/** A wait longer than this counts as a failure. */
const patienceMs = 30_000;

export interface Measured {
  /** Waits in milliseconds, ascending, by kind. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  readonly failures: readonly string[];
}

export type VictimAgent = ChildDaemon["agents"][number];
export type Places = Pick<Ready, "smtp" | "submission" | "imap" | "imaps" | "http">;

/** An operation that the user calls as well, and a text that its answer must have. */
export interface Action {
  readonly name: string;
  readonly operation: string;
  readonly body: object;
  readonly says: string;
}

export interface Quiet {
  readonly daemon: Places;
  readonly agent: VictimAgent;
  readonly actions: readonly Action[];
}

/** Measures until the signal aborts. */
export async function measureVictim(
  { daemon, agent, actions }: Quiet,
  until: AbortSignal,
): Promise<Measured> {
  const times: Record<string, number[]> = {};
  const failures: string[] = [];
  const repeat = async (act: () => Promise<void>, restMs = pauseMs): Promise<void> => {
    while (!until.aborted) {
      await act().catch((error: unknown) => {
        failures.push(error instanceof Error ? error.message : String(error));
      });
      await delay(restMs);
    }
  };
  const timed = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const begunAt = performance.now();
    const result = await within(what, act());
    times[what] ??= [];
    times[what].push(performance.now() - begunAt);
    return result;
  };

  const own = (operation: string, body: object): Promise<string> => ask(daemon, agent.token, operation, body);
  let { cursor } = JSON.parse(await own("wait", {})) as { cursor: string };
  await using imap = await logIn(daemon, agent);

  await Promise.all([
    repeat(async () => {
      await timed("mail", () => deliver(daemon, agent));
      await timed("event", async () => {
        const answer = await own("wait", { cursor, timeout_s: 25 });
        ({ cursor } = JSON.parse(answer) as { cursor: string });
      });
    }),
    repeat(() => timed("part.describe", async () => void (await own("part.describe", { id: agent.id })))),
    ...actions.map(({ name, operation, body, says }) =>
      repeat(() =>
        timed(name, async () => {
          const answer = await own(operation, body);
          if (!answer.includes(says)) throw new Error(`${name} says ${answer.slice(0, 300)}`);
        }),
      ),
    ),
    repeat(() =>
      timed("FETCH", async () => {
        const { status } = await imap.command("FETCH * (FLAGS ENVELOPE BODY.PEEK[TEXT])");
        // The mailbox has no message before the first mail arrives.
        if (!status.startsWith("OK") && !status.startsWith("BAD")) throw new Error(`FETCH: ${status}`);
      }),
    ),
    repeat(() => timed("login", async () => (await logIn(daemon, agent))[Symbol.asyncDispose]()), 500),
    repeat(() => timed("PROPFIND", () => propfind(daemon, agent)), 300),
  ]);
  for (const list of Object.values(times)) list.sort((one, other) => one - other);
  return { times, failures };
}

async function logIn({ imaps }: Places, { address, password }: VictimAgent): Promise<RawImap> {
  const imap = await connectRawImap({ ...imaps, isTls: true, localAddress: addressIn(readerNetwork) });
  const { status } = await imap.command(`LOGIN ${address} ${password}`);
  if (!status.startsWith("OK")) throw new Error(`LOGIN: ${status}`);
  await imap.command("SELECT INBOX");
  return imap;
}

async function deliver({ smtp: place }: Places, agent: VictimAgent): Promise<void> {
  await using smtp = await connectRawSmtp({ ...place, localAddress: addressIn(senderNetwork) });
  const replies = await smtp.send(
    `EHLO friend.example\r\nMAIL FROM:<friend@outside.example>\r\nRCPT TO:<${agent.address}>\r\nDATA\r\n`,
    4,
  );
  const mail = `From: friend@outside.example\r\nSubject: how are you\r\n\r\n${"some words of a friend\r\n".repeat(100)}`;
  if (replies[3]!.startsWith("354")) replies.push(...(await smtp.send(stuff(mail))));
  const last = replies.at(-1)!;
  if (replies.length < 5 || !last.startsWith("250"))
    throw new Error(`mail: ${replies.find((reply) => !/^[23]/.test(reply)) ?? last}`);
}

const client = new http.Agent({ keepAlive: true, localAddress: addressIn(readerNetwork) });

/** Calls an operation from the quiet user's network. Throws unless the status is 200. */
export async function ask(daemon: Places, token: string, operation: string, body: object): Promise<string> {
  const fields = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const { status, text } = await exchange(daemon, "POST", `/v1/${operation}`, fields, JSON.stringify(body));
  if (status !== 200) throw new Error(`${operation}: ${status} ${text.slice(0, 200)}`);
  return text;
}

async function propfind(daemon: Places, { id, token }: VictimAgent): Promise<void> {
  const fields = {
    authorization: `Bearer ${token}`,
    depth: "1",
    "content-type": "application/xml",
  };
  const body = '<propfind xmlns="DAV:"><prop><displayname/><sync-token/></prop></propfind>';
  const { status, text } = await exchange(daemon, "PROPFIND", `/dav/calendars/${id}/`, fields, body);
  if (status !== 207) throw new Error(`PROPFIND: ${status} ${text.slice(0, 200)}`);
}

function exchange(
  { http: { url } }: Places,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, { agent: client, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    });
    request.on("error", reject).end(body);
  });
}

async function within<T>(what: string, act: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = delay(patienceMs, undefined, { signal: ended.signal }).then(
    () => {
      throw new Error(`${what}: no answer in ${patienceMs / 1000} s`);
    },
    () => act,
  );
  return Promise.race([act, late]).finally(() => ended.abort());
}
