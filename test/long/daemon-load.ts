/** Load on a whole daemon through its ports, and a ledger of what it acknowledged: messages by SMTP and APPEND, flags by STORE, labels
 *  by message.update, events of calendars (`calendar-load.ts`). The ledger is in the process that kills the daemon, so it has every
 *  answer that came before the kill. */
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type ChildDaemon, type DaemonOptions, manyRequests, startScript } from "../support/daemon.ts";
import { type CalendarLedger, changeEvents, findEventLosses, openCalendarLedger } from "./calendar-load.ts";

const agents = 6;

/** A daemon with enough mailboxes for the load and without limits on requests. */
export const loadedDaemon: DaemonOptions = {
  agents,
  set: ["log.level=fatal", ...manyRequests, "limits.login_failures_per_network=1000000"],
};

export interface Ledger {
  /** Acknowledged messages: the mark of each, and the number of its agent. */
  readonly delivered: Map<string, number>;
  /** Marks of the messages that were found again after a restart. */
  readonly found: Set<string>;
  /** Acknowledged flags and labels, with the UID or the id of the message. */
  readonly flagged: { readonly agent: number; readonly uid: number }[];
  readonly labelled: { readonly agent: number; readonly id: string; readonly label: string }[];
  readonly events: CalendarLedger;
  /** How often each refusal came. */
  readonly refusals: Map<string, number>;
  acknowledged: number;
  /** UIDNEXT of each INBOX at the last check. */
  readonly seenUids: number[];
}

export function openLedger(): Ledger {
  return {
    delivered: new Map(),
    found: new Set(),
    flagged: [],
    labelled: [],
    events: openCalendarLedger(),
    refusals: new Map(),
    acknowledged: 0,
    seenUids: Array.from({ length: agents }, () => 1),
  };
}

export interface Load {
  /** Stops the clients. Resolves when their last requests have ended. */
  stop(): Promise<void>;
}

let lastMark = 0;

/** Starts clients of all kinds. They end when the load is stopped or the daemon ends. */
export function startLoad(
  daemon: ChildDaemon,
  ledger: Ledger,
  /** Statuses after which the write may be stored although the answer is a refusal. */
  { isDoubtful = () => false }: { readonly isDoubtful?: (status: number) => boolean } = {},
): Load {
  const state = { isStopped: false };
  const clients: Promise<void>[] = [];
  for (let number = 0; number < 12; number++) clients.push(sendMail(daemon, ledger, number, state));
  for (let agent = 0; agent < agents; agent++) {
    clients.push(appendAndStore(daemon, ledger, agent, state));
    clients.push(labelMessages(daemon, ledger, agent, state));
    clients.push(
      changeEvents(daemon, ledger.events, {
        agent,
        isStopped: () => state.isStopped,
        isDoubtful,
        acknowledged: () => ledger.acknowledged++,
        refused: (status) => refused(ledger, String(status)),
      }),
    );
  }
  return {
    async stop() {
      state.isStopped = true;
      await Promise.all(clients);
    },
  };
}

interface LoadState {
  isStopped: boolean;
}

function message(mark: string): string {
  const lines = 1 + (Number(mark) % 7 === 0 ? 4000 : Number(mark) % 80);
  return `From: load@outside.example\r\nSubject: ${mark}\r\nX-Mark: ${mark}\r\n\r\n${`.line of ${mark}\r\n`.repeat(lines)}`;
}

function refused(ledger: Ledger, text: string): void {
  const word = /^\d{3} \d\.\d+\.\d+|^NO \[\w+\]|^\w+/.exec(text)?.[0] ?? text.slice(0, 40);
  ledger.refusals.set(word, (ledger.refusals.get(word) ?? 0) + 1);
}

async function sendMail(
  daemon: ChildDaemon,
  ledger: Ledger,
  number: number,
  state: LoadState,
): Promise<void> {
  while (!state.isStopped) {
    await using smtp = await connectRawSmtp(daemon.smtp);
    if ((await smtp.command("EHLO load.example")) === "closed") return;
    for (let count = 0; count < 50 && !state.isStopped; count++) {
      const mark = String(++lastMark);
      const agent = (number + count) % agents;
      const [mail, rcpt, data] = await smtp.send(
        `MAIL FROM:<load@outside.example>\r\nRCPT TO:<${daemon.agents[agent]!.address}>\r\nDATA\r\n`,
        3,
      );
      if (data === "closed") return;
      if (!data!.startsWith("354")) {
        refused(ledger, mail!.startsWith("250") ? rcpt! : mail!);
        await smtp.command("RSET");
        await delay(20);
        continue;
      }
      const reply = (await smtp.send(stuff(message(mark))))[0]!;
      if (reply === "closed") return;
      if (reply.startsWith("250 ")) {
        ledger.delivered.set(mark, agent);
        ledger.acknowledged++;
      } else {
        refused(ledger, reply);
        await delay(20);
      }
    }
  }
}

async function login(daemon: ChildDaemon, agent: number): Promise<RawImap> {
  const imap = await connectRawImap(daemon.imap);
  const { address, password } = daemon.agents[agent]!;
  const { status } = await imap.command(`LOGIN ${address} ${password}`);
  if (!status.startsWith("OK")) throw new Error(`login refused: ${status}`);
  await imap.command("SELECT INBOX");
  return imap;
}

async function appendAndStore(
  daemon: ChildDaemon,
  ledger: Ledger,
  agent: number,
  state: LoadState,
): Promise<void> {
  const end = (): undefined => undefined;
  const imap = await login(daemon, agent).catch(end);
  if (imap === undefined) return;
  await using _closed = imap;
  while (!state.isStopped) {
    const mark = String(++lastMark);
    const append = await imap.command("APPEND INBOX", Buffer.from(message(mark))).catch(end);
    if (append === undefined) return;
    const uid = /\[APPENDUID \d+ (\d+)\]/.exec(append.status)?.[1];
    if (!append.status.startsWith("OK") || uid === undefined) {
      refused(ledger, append.status);
      await delay(20);
      continue;
    }
    ledger.delivered.set(mark, agent);
    ledger.acknowledged++;
    const store = await imap.command(`UID STORE ${uid} +FLAGS.SILENT (\\Flagged)`).catch(end);
    if (store === undefined) return;
    if (store.status.startsWith("OK")) {
      ledger.flagged.push({ agent, uid: Number(uid) });
      ledger.acknowledged++;
    } else refused(ledger, store.status);
  }
}

async function labelMessages(
  daemon: ChildDaemon,
  ledger: Ledger,
  agent: number,
  state: LoadState,
): Promise<void> {
  const call = async (
    operation: string,
    body: object,
  ): Promise<{ status: number; text: string } | undefined> => {
    try {
      const response = await fetch(`${daemon.http.url}/v1/${operation}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${daemon.agents[agent]!.token}`,
          "content-type": "application/json",
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      // fetch throws a TypeError for every broken connection: the daemon has gone.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
  while (!state.isStopped) {
    const listing = await call("search", { limit: 20 });
    if (listing === undefined) return;
    const ids = [...new Set(listing.text.match(/message_[0-9a-z]{26}/g) ?? [])];
    if (ids.length === 0) await delay(20);
    for (const id of ids) {
      const label = `label${++lastMark % 20}`;
      const update = await call("message.update", { id, add_labels: [label] });
      if (update === undefined) return;
      if (update.status === 200) {
        ledger.labelled.push({ agent, id, label });
        ledger.acknowledged++;
      } else {
        refused(ledger, String(update.status));
        await delay(20);
      }
      if (state.isStopped) return;
    }
  }
}

/** Acknowledged writes that are lost, as sentences. Looks at messages since the last check, or at all. */
export async function findLosses(daemon: ChildDaemon, ledger: Ledger, isWhole: boolean): Promise<string[]> {
  const losses = await findEventLosses(daemon, ledger.events);
  for (let agent = 0; agent < agents; agent++) {
    await using imap = await login(daemon, agent);
    const from = isWhole ? 1 : ledger.seenUids[agent]!;
    const { untagged, status } = await imap.command(
      `UID FETCH ${from}:* (UID FLAGS EMAILID BODY.PEEK[HEADER.FIELDS (X-MARK)])`,
    );
    if (!status.startsWith("OK")) losses.push(`FETCH of agent ${agent}: ${status}`);
    const flagsOfUid = new Map<number, string>();
    const flagsOfId = new Map<string, string>();
    const marks = new Map<string, number>();
    for (const { text, literals } of untagged) {
      const uid = Number(/ FETCH .*\bUID (\d+)/.exec(text)?.[1] ?? 0);
      if (uid < from) continue;
      const flags = /FLAGS \(([^)]*)\)/.exec(text)?.[1] ?? "";
      flagsOfUid.set(uid, flags);
      flagsOfId.set(/EMAILID \((\S+)\)/.exec(text)?.[1] ?? "", flags);
      const mark = /X-Mark: (\d+)/.exec(literals[0]?.toString() ?? text)?.[1];
      if (mark === undefined) continue;
      if (marks.has(mark)) losses.push(`message ${mark} of agent ${agent} is there twice`);
      marks.set(mark, uid);
      ledger.seenUids[agent] = Math.max(ledger.seenUids[agent]!, uid + 1);
    }
    for (const [mark, owner] of ledger.delivered) {
      if (owner !== agent || (!isWhole && ledger.found.has(mark))) continue;
      if (marks.has(mark)) ledger.found.add(mark);
      else losses.push(`message ${mark} of agent ${agent} is lost`);
    }
    for (const { agent: owner, uid } of ledger.flagged)
      if (owner === agent && uid >= from && !/\\Flagged/.test(flagsOfUid.get(uid) ?? ""))
        losses.push(`UID ${uid} of agent ${agent} has lost its flag`);
    for (const { agent: owner, id, label } of ledger.labelled)
      if (owner === agent && (isWhole || flagsOfId.has(id)) && !flagsOfId.get(id)?.split(" ").includes(label))
        losses.push(`${id} of agent ${agent} has lost the label ${label}`);
  }
  return losses;
}

/** Runs `waypost check` on a store that no daemon has open. */
export function checkStore(folder: string): string[] {
  const [program, ...first] = startScript;
  const run = spawnSync(program!, [...first, "check", "--json", "--data", folder], { encoding: "utf8" });
  if (run.status === 0) return [];
  return [`waypost check ends with ${run.status}: ${run.stdout.trim()} ${run.stderr.trim()}`];
}

/** Kills the daemon with SIGKILL and waits until it has ended. */
export async function kill(daemon: ChildDaemon): Promise<void> {
  const { process } = daemon;
  if (process.exitCode !== null || process.signalCode !== null) return;
  const gone = new Promise((resolve) => process.once("exit", resolve));
  process.kill("SIGKILL");
  await gone;
}
