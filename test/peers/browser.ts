/** A headless Chromium (the Debian package) without scripts and without a network, told what to do over its debugger. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const binary = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  existsSync(file),
);
export const hasChromium = binary !== undefined;
export const chromiumNote = hasChromium ? "" : " (skipped: no chromium)";

/** Pixels of the window. */
export const windowWidth = 1024;
export const windowHeight = 768;

export interface Tab {
  send<Result>(method: string, params?: object): Promise<Result>;
  /** Loads a document from a file, with all that it loads itself. */
  load(html: string): Promise<void>;
  /** A PNG of a part of the page, also where the window does not show it. */
  picture(width: number, height: number, isBeyondWindow?: boolean, x?: number, y?: number): Promise<Buffer>;
}

export interface Browser extends AsyncDisposable {
  openTab(): Promise<Tab>;
}

interface Answer {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export async function startBrowser(): Promise<Browser> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "waypost-chromium-"));
  const child = spawn(
    binary!,
    [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-renderer-backgrounding",
      "--disable-backgrounding-occluded-windows",
      "--disable-background-timer-throttling",
      "--hide-scrollbars",
      "--no-first-run",
      "--disable-extensions",
      "--disable-background-networking",
      "--disable-component-update",
      "--host-resolver-rules=MAP * ~NOTFOUND",
      "--force-color-profile=srgb",
      "--remote-debugging-port=0",
      `--user-data-dir=${folder}`,
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = async (): Promise<void> => {
    child.kill();
    const patience = setTimeout(() => child.kill("SIGKILL"), endMs);
    await ended;
    clearTimeout(patience);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  let socket: WebSocket;
  try {
    const address = await inTime(debuggerAddress(child), "chromium does not start");
    socket = new WebSocket(address);
    const opened = new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error("chromium does not answer"));
    });
    await inTime(opened, "chromium does not answer");
  } catch (error) {
    await end();
    throw error;
  }
  let last = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const loads = new Map<string, () => void>();
  /** Nothing is answered any more: by nobody, or not by a page that ended. */
  let fault: Error | undefined;
  const fail = (text: string): void => {
    fault ??= new Error(text);
    for (const { reject } of waiting.values()) reject(fault);
    waiting.clear();
  };
  socket.onclose = () => fail("chromium is gone");
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Answer;
    if (message.method === "Page.loadEventFired") loads.get(message.sessionId ?? "")?.();
    // What was asked of such a page is never answered.
    if (message.method === "Inspector.targetCrashed" || message.method === "Inspector.detached")
      fail("a page of chromium ended");
    const one = waiting.get(message.id ?? 0);
    waiting.delete(message.id ?? 0);
    if (message.error !== undefined) one?.reject(new Error(message.error.message));
    else one?.resolve(message.result);
  };
  const sendTo = <Result>(sessionId: string | undefined, method: string, params: object): Promise<Result> =>
    inTime(
      new Promise((resolve, reject) => {
        if (fault !== undefined || socket.readyState !== WebSocket.OPEN)
          throw fault ?? new Error("chromium is gone");
        const id = ++last;
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        socket.send(
          JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }),
        );
      }),
      `chromium does not answer ${method}`,
    );
  let tabs = 0;
  return {
    async openTab() {
      const { targetId } = await sendTo<{ targetId: string }>(undefined, "Target.createTarget", {
        url: "about:blank",
        newWindow: true,
      });
      const { sessionId } = await sendTo<{ sessionId: string }>(undefined, "Target.attachToTarget", {
        targetId,
        flatten: true,
      });
      const file = path.join(folder, `page-${++tabs}.html`);
      const send: Tab["send"] = (method, params = {}) => sendTo(sessionId, method, params);
      await send("Page.enable");
      await send("Inspector.enable");
      await send("Emulation.setScriptExecutionDisabled", { value: true });
      await send("Emulation.setDeviceMetricsOverride", {
        width: windowWidth,
        height: windowHeight,
        deviceScaleFactor: 1,
        mobile: false,
      });
      return {
        send,
        async load(html) {
          writeFileSync(file, html);
          const loaded = new Promise<void>((resolve) => loads.set(sessionId, resolve));
          await send("Page.navigate", { url: `file://${file}` });
          await inTime(loaded, "the page does not load");
        },
        async picture(width, height, isBeyondWindow = true, x = 0, y = 0) {
          const { data } = await send<{ data: string }>("Page.captureScreenshot", {
            format: "png",
            optimizeForSpeed: true,
            captureBeyondViewport: isBeyondWindow,
            clip: { x, y, width, height, scale: 1 },
          });
          return Buffer.from(data, "base64");
        },
      };
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await end();
    },
  };
}

/** Longer takes only what is lost: a page that keeps the browser busy, or an answer of one that ended. */
const answerMs = 60_000;
/** Of a browser that was told to end. */
const endMs = 5_000;

async function inTime<Value>(answer: Promise<Value>, fault: string): Promise<Value> {
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

function debuggerAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const address = /DevTools listening on (ws:\/\/\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", () => reject(new Error(`chromium ended: ${said.slice(-500)}`)));
  });
}
