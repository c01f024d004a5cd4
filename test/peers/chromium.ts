/** A headless Chromium (the Debian package) that draws HTML without scripts and without a network, and says which of its text
 *  can be seen in the picture. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { contrastIn, readPng } from "./png.ts";

const binary = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  existsSync(file),
);
export const hasChromium = binary !== undefined;
export const chromiumNote = hasChromium ? "" : " (skipped: no chromium)";

export interface DrawnText {
  readonly text: string;
  readonly isSeen: boolean;
  /** Elements around it, the innermost first. */
  readonly inside: readonly string[];
}

export interface Chromium extends AsyncDisposable {
  draw(html: string): Promise<readonly DrawnText[]>;
}

/** Pixels of a page that are looked at. */
const heightMax = 6000;
/** Differences below it are smoothing at the edge of something else. */
const contrastMin = 30;

interface FoundText {
  readonly text: string;
  readonly inside: readonly string[];
  readonly boxes: readonly (readonly [left: number, top: number, right: number, bottom: number])[];
}

/** Runs in the page. */
const findTexts = readFileSync(new URL("./find-texts.js", import.meta.url), "utf8").replace("export ", "");

export async function startChromium(): Promise<Chromium> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "waypost-chromium-"));
  const child = spawn(
    binary!,
    [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
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
  const address = await debuggerAddress(child);
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  let last = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, () => void>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as {
      id?: number;
      method?: string;
      result?: unknown;
      error?: { message: string };
    };
    if (message.id === undefined) {
      listeners.get(message.method ?? "")?.();
      return;
    }
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error !== undefined) one?.reject(new Error(message.error.message));
    else one?.resolve(message.result);
  };
  let session: string | undefined;
  const send = <Result>(method: string, params: object = {}): Promise<Result> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      socket.send(
        JSON.stringify({ id, method, params, ...(session === undefined ? {} : { sessionId: session }) }),
      );
    });
  const { targetId } = await send<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
  session = (await send<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true }))
    .sessionId;
  await send("Page.enable");
  await send("Emulation.setScriptExecutionDisabled", { value: true });
  await send("Emulation.setDeviceMetricsOverride", {
    width: 1024,
    height: 768,
    deviceScaleFactor: 1,
    mobile: false,
  });
  const file = path.join(folder, "page.html");

  return {
    async draw(html) {
      // A page that sends its reader elsewhere would be gone before it is looked at.
      writeFileSync(file, `\ufeff${html.replace(/http-equiv\s*=\s*["']?refresh/gi, "data-refresh")}`);
      const loaded = new Promise<void>((resolve) => listeners.set("Page.loadEventFired", resolve));
      await send("Page.navigate", { url: `file://${file}` });
      await loaded;
      const { result } = await send<{ result: { value: FoundText[] } }>("Runtime.evaluate", {
        expression: `${findTexts}\nfindTexts()`,
        returnByValue: true,
      });
      const { cssContentSize } = await send<{ cssContentSize: { height: number } }>("Page.getLayoutMetrics");
      const height = Math.min(heightMax, Math.max(768, Math.ceil(cssContentSize.height)));
      const { data } = await send<{ data: string }>("Page.captureScreenshot", {
        format: "png",
        captureBeyondViewport: true,
        clip: { x: 0, y: 0, width: 1024, height, scale: 1 },
      });
      const picture = readPng(Buffer.from(data, "base64"));
      return result.value.map(({ text, inside, boxes }) => ({
        text,
        inside,
        isSeen: boxes.some(
          ([left, top, right, bottom]) =>
            top >= heightMax || contrastIn(picture, left, top, right, bottom) >= contrastMin,
        ),
      }));
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      socket.close();
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
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
