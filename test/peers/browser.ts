/** A headless Chromium (the Debian package) without scripts and without a network, told what to do over its debugger. What is asked of
 *  a page here can be asked of Firefox too (`firefox.ts`). */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { usualWindow, type Window } from "../long/adversary/windows.ts";
import { inTime, startRemote } from "./remote.ts";

const binary = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  existsSync(file),
);
export const hasChromium = binary !== undefined;
export const chromiumNote = hasChromium ? "" : " (skipped: no chromium)";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Tab {
  setWindow(window: Window): Promise<void>;
  /** Loads a document from a file, with all that it loads itself. */
  load(html: string): Promise<void>;
  /** The value of an expression in the page, which has a form in JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** What can be scrolled to, in CSS pixels. */
  contentSize(): Promise<Size>;
  /** A PNG of a part of the page, also where the window does not show it. */
  picture(width: number, height: number, isBeyondWindow?: boolean, x?: number, y?: number): Promise<Buffer>;
}

export interface Browser<OneTab extends Tab = Tab> extends AsyncDisposable {
  openTab(): Promise<OneTab>;
}

export interface ChromiumTab extends Tab {
  send<Result>(method: string, params?: object): Promise<Result>;
}

export async function startBrowser(): Promise<Browser<ChromiumTab>> {
  const loads = new Map<string, () => void>();
  const remote = await startRemote({
    name: "chromium",
    binary: binary!,
    args: (folder) => [
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
    address: /DevTools listening on (ws:\/\/\S+)/,
    onEvent({ method, sessionId }, fail) {
      if (method === "Page.loadEventFired") loads.get(sessionId ?? "")?.();
      // What was asked of such a page is never answered.
      if (method === "Inspector.targetCrashed" || method === "Inspector.detached")
        fail("a page of chromium ended");
    },
  });
  let tabs = 0;
  return {
    async openTab() {
      const { targetId } = await remote.send<{ targetId: string }>("Target.createTarget", {
        url: "about:blank",
        newWindow: true,
      });
      const { sessionId } = await remote.send<{ sessionId: string }>("Target.attachToTarget", {
        targetId,
        flatten: true,
      });
      const file = path.join(remote.folder, `page-${++tabs}.html`);
      const send: ChromiumTab["send"] = (method, params = {}) => remote.send(method, params, { sessionId });
      await send("Page.enable");
      await send("Inspector.enable");
      await send("Emulation.setScriptExecutionDisabled", { value: true });
      const tab: ChromiumTab = {
        send,
        async setWindow({ width, height, density, scheme }) {
          await send("Emulation.setDeviceMetricsOverride", {
            width,
            height,
            deviceScaleFactor: density,
            mobile: false,
          });
          await send("Emulation.setEmulatedMedia", {
            features: [{ name: "prefers-color-scheme", value: scheme }],
          });
        },
        async load(html) {
          writeFileSync(file, html);
          const loaded = new Promise<void>((resolve) => loads.set(sessionId, resolve));
          await send("Page.navigate", { url: `file://${file}` });
          await inTime(loaded, "the page does not load");
        },
        async evaluate<Value>(expression: string) {
          const { result, exceptionDetails } = await send<{
            result: { value: Value };
            exceptionDetails?: object;
          }>("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
          if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
          return result.value;
        },
        async contentSize() {
          const { cssContentSize } = await send<{ cssContentSize: Size }>("Page.getLayoutMetrics");
          return cssContentSize;
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
      await tab.setWindow(usualWindow);
      return tab;
    },
    [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose](),
  };
}
