/** A headless Chromium (the Debian package) without scripts and without a network, told what to do over its debugger. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

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
  const socket = new WebSocket(await debuggerAddress(child));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  let last = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const loads = new Map<string, () => void>();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error("chromium is gone"));
    waiting.clear();
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Answer;
    if (message.method === "Page.loadEventFired") loads.get(message.sessionId ?? "")?.();
    const one = waiting.get(message.id ?? 0);
    waiting.delete(message.id ?? 0);
    if (message.error !== undefined) one?.reject(new Error(message.error.message));
    else one?.resolve(message.result);
  };
  const sendTo = <Result>(sessionId: string | undefined, method: string, params: object): Promise<Result> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
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
          await Promise.race([loaded, tooLate()]);
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
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Longer takes a page that keeps the browser busy. */
const loadMs = 30_000;

async function tooLate(): Promise<never> {
  await sleep(loadMs, undefined, { ref: false });
  throw new Error("the page does not load");
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
