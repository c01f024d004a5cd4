/** A quiet user: gets mail, is told of it, reads it over IMAP and asks an operation, again and again, and notes how long each took.
 *  Comes from a network of its own. */
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { ChildDaemon } from "../../support/daemon.ts";
import { connectRawImap } from "../../support/raw-imap.ts";
import { connectRawSmtp, stuff } from "../../support/raw-smtp.ts";
import { addressIn } from "./networks.ts";

/** No attack comes from these. */
const readerNetwork = 60_001;
const senderNetwork = 60_002;
/** Below the rate of requests that a token has. */
const pauseMs = 150;
/** Somebody who waits longer has given up. */
const patienceMs = 30_000;

export interface Measured {
  /** Milliseconds, ascending, by what was waited for. */
  readonly times: ReadonlyMap<string, readonly number[]>;
  readonly failures: readonly string[];
}

export type VictimAgent = ChildDaemon["agents"][number];

/** What else the user does, by name; each throws when it was refused. */
export type Deeds = Readonly<Record<string, () => Promise<void>>>;

/** Until the signal aborts. */
export async function measureVictim(
  daemon: ChildDaemon,
  agent: VictimAgent,
  deeds: Deeds,
  until: AbortSignal,
): Promise<Measured> {
  const times = new Map<string, number[]>();
  const failures: string[] = [];
  const repeat = async (act: () => Promise<void>): Promise<void> => {
    while (!until.aborted) {
      await act().catch((error: unknown) => {
        failures.push(error instanceof Error ? error.message : String(error));
      });
      await delay(pauseMs);
    }
  };
  const timed = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const begunAt = performance.now();
    const result = await within(what, act());
    const list = times.get(what) ?? [];
    times.set(what, list);
    list.push(performance.now() - begunAt);
    return result;
  };

  const own = (operation: string, body: object): Promise<string> => ask(daemon, agent.token, operation, body);
  const tail = JSON.parse(await own("wait", {})) as { cursor: string };
  let { cursor } = tail;
  await using imap = await connectRawImap({
    ...daemon.imaps,
    isTls: true,
    localAddress: addressIn(readerNetwork),
  });
  await imap.command(`LOGIN ${agent.address} ${agent.password}`);
  await imap.command("SELECT INBOX");

  await Promise.all([
    repeat(async () => {
      await timed("mail", () => deliver(daemon, agent));
      await timed("event", async () => {
        const answer = await own("wait", { cursor, timeout_s: 25 });
        ({ cursor } = JSON.parse(answer) as { cursor: string });
      });
    }),
    repeat(() => timed("part.describe", async () => void (await own("part.describe", { id: agent.id })))),
    ...Object.entries(deeds).map(([what, act]) => repeat(() => timed(what, act))),
    repeat(() =>
      timed("FETCH", async () => {
        const { status } = await imap.command("FETCH * (FLAGS ENVELOPE BODY.PEEK[TEXT])");
        // Before the first mail there is no message.
        if (!status.startsWith("OK") && !status.startsWith("BAD")) throw new Error(`FETCH: ${status}`);
      }),
    ),
  ]);
  for (const list of times.values()) list.sort((one, other) => one - other);
  return { times, failures };
}

async function deliver(daemon: ChildDaemon, agent: VictimAgent): Promise<void> {
  await using smtp = await connectRawSmtp({ ...daemon.smtp, localAddress: addressIn(senderNetwork) });
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

/** An operation, from the network of the quiet user. Throws unless it is answered with 200. */
export function ask(daemon: ChildDaemon, token: string, operation: string, body: object): Promise<string> {
  const url = `${daemon.http.url}/v1/${operation}`;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = http.request(url, { agent: client, method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${operation}: ${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    request.on("error", reject).end(JSON.stringify(body));
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
