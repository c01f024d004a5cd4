/** A program with a debugger that is asked over a WebSocket, in JSON: a browser in a folder of its own. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export interface Remote extends AsyncDisposable {
  /** Where the program keeps its files. */
  readonly folder: string;
  /** Sends a request and waits for its answer. `also` stands beside the method. */
  send<Result>(method: string, params: object, also?: object): Promise<Result>;
}

export interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: string | { readonly message: string };
  /** What happened, where `error` is a name. */
  readonly message?: string;
}

export interface Program {
  readonly name: string;
  readonly binary: string;
  readonly args: (folder: string) => readonly string[];
  /** Finds the address of the debugger in what the program says. */
  readonly address: RegExp;
  /** What is added to that address. */
  readonly path?: string;
  /** Writes files before the program starts. */
  readonly prepare?: (folder: string) => void;
  /** Gets each message that is no answer. All requests fail after `fail`, those that wait too. */
  readonly onEvent?: (message: Message, fail: (fault: string) => void) => void;
}

/** Longer takes only what is lost: a page that keeps the browser busy, or an answer of one that ended. */
const answerMs = 60_000;
/** Of a program that was told to end. */
const endMs = 5_000;

export async function startRemote(program: Program): Promise<Remote> {
  const { name } = program;
  const folder = mkdtempSync(path.join(os.tmpdir(), `waypost-${name}-`));
  program.prepare?.(folder);
  const child = spawn(program.binary, program.args(folder), {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: folder },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = async (): Promise<void> => {
    child.kill();
    const patience = setTimeout(() => child.kill("SIGKILL"), endMs);
    await ended;
    clearTimeout(patience);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const told = new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000);
      const address = program.address.exec(said)?.[1];
      if (address !== undefined) resolve(`${address}${program.path ?? ""}`);
    });
    child.once("exit", () => reject(new Error(`${name} ended: ${said.slice(-500)}`)));
  });
  let socket: WebSocket;
  try {
    socket = new WebSocket(await inTime(told, `${name} does not start`));
    const opened = new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error(`${name} does not answer`));
    });
    await inTime(opened, `${name} does not answer`);
  } catch (error) {
    await end();
    throw error;
  }
  let last = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  /** Nothing is answered any more: by nobody, or not by a page that ended. */
  let fault: Error | undefined;
  const fail = (text: string): void => {
    fault ??= new Error(text);
    for (const { reject } of waiting.values()) reject(fault);
    waiting.clear();
  };
  socket.onclose = () => fail(`${name} is gone`);
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    const one = waiting.get(message.id ?? 0);
    if (message.id === undefined) program.onEvent?.(message, fail);
    waiting.delete(message.id ?? 0);
    if (message.error === undefined) one?.resolve(message.result);
    else
      one?.reject(
        new Error(typeof message.error === "string" ? (message.message ?? "") : message.error.message),
      );
  };
  return {
    folder,
    send: <Result>(method: string, params: object, also: object = {}): Promise<Result> =>
      inTime(
        new Promise((resolve, reject) => {
          if (fault !== undefined || socket.readyState !== WebSocket.OPEN)
            throw fault ?? new Error(`${name} is gone`);
          const id = ++last;
          waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
          socket.send(JSON.stringify({ id, method, params, ...also }));
        }),
        `${name} does not answer ${method}`,
      ),
    async [Symbol.asyncDispose]() {
      socket.close();
      await end();
    },
  };
}

export async function inTime<Value>(answer: Promise<Value>, fault: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(fault)), answerMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
