/** A headless Firefox (the Debian package of the extended support release) without scripts and without a network, told what to do over
 *  WebDriver BiDi (https://w3c.github.io/webdriver-bidi). It answers what Chromium answers (`browser.ts`). */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { usualWindow } from "../long/adversary/windows.ts";
import type { Browser, Tab } from "./browser.ts";
import { startRemote } from "./remote.ts";

const binary = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((file) => existsSync(file));
export const hasFirefox = binary !== undefined;

/** Nothing is fetched: each request goes to a port of this machine that nobody listens on. The rest keeps a start short. */
const preferences: Readonly<Record<string, unknown>> = {
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "network.proxy.allow_hijacking_localhost": true,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.cache.disk.enable": false,
  "browser.region.network.url": "",
  "browser.safebrowsing.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.ipc.processPrelaunch.enabled": false,
  "extensions.getAddons.cache.enabled": false,
  "fission.webContentIsolationStrategy": 0,
  "gfx.color_management.mode": 0,
  "media.gmp-manager.updateEnabled": false,
  "nimbus.rollouts.enabled": false,
  "remote.prefs.recommended": true,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.reportingpolicy.firstRun": false,
  "ui.useOverlayScrollbars": 1,
  "layout.testing.overlay-scrollbars.always-visible": false,
};

interface Evaluated {
  readonly result: { readonly value?: string };
  readonly exceptionDetails?: { readonly text: string };
}

export async function startFirefox(): Promise<Browser> {
  const remote = await startRemote({
    name: "firefox",
    binary: binary!,
    args: (folder) => [
      "--headless",
      "--no-remote",
      "--remote-debugging-port=0",
      // For scripts and the scheme, which BiDi does not set in this release.
      "--remote-allow-system-access",
      "--profile",
      folder,
      "about:blank",
    ],
    address: /WebDriver BiDi listening on (ws:\/\/\S+)/,
    path: "/session",
    prepare(folder) {
      const lines = Object.entries(preferences).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
      );
      writeFileSync(path.join(folder, "user.js"), lines.join(""));
    },
  });
  const evaluateIn = async (target: object, expression: string): Promise<string | undefined> => {
    const { result, exceptionDetails } = await remote.send<Evaluated>("script.evaluate", {
      expression,
      target,
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result.value;
  };
  let tabs = 0;
  let chrome: { readonly context: string };
  try {
    await remote.send("session.new", { capabilities: {} });
    const { contexts } = await remote.send<{ contexts: { context: string }[] }>("browsingContext.getTree", {
      "moz:scope": "chrome",
      maxDepth: 0,
    });
    chrome = { context: contexts[0]!.context };
  } catch (error) {
    await remote[Symbol.asyncDispose]();
    throw error;
  }
  return {
    async openTab() {
      const { context } = await remote.send<{ context: string }>("browsingContext.create", {
        type: "window",
      });
      const file = path.join(remote.folder, `page-${++tabs}.html`);
      /** Applies to the page's context what the debugger has no request for. */
      const change = (statement: string): Promise<unknown> =>
        evaluateIn(
          chrome,
          `for (const { gBrowser } of Services.wm.getEnumerator("navigator:browser")) { const page = gBrowser.selectedBrowser.browsingContext; ${statement} }`,
        );
      await change("page.allowJavascript = false");
      const tab: Tab = {
        async setWindow({ width, height, density, scheme }) {
          await remote.send("browsingContext.setViewport", {
            context,
            viewport: { width, height },
            devicePixelRatio: density,
          });
          await change(`page.prefersColorSchemeOverride = "${scheme}"`);
        },
        async load(html) {
          writeFileSync(file, html);
          await remote.send("browsingContext.navigate", { context, url: `file://${file}`, wait: "complete" });
        },
        async evaluate<Value>(expression: string) {
          // Scripts of pages do not run; those of a sandbox do.
          const said = await evaluateIn(
            { context, sandbox: "judge" },
            `JSON.stringify(eval(${JSON.stringify(expression)}))`,
          );
          return (said === undefined ? undefined : JSON.parse(said)) as Value;
        },
        contentSize: () =>
          tab.evaluate(
            "{const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.documentElement; ({ width: scrollWidth, height: scrollHeight })}",
          ),
        async picture(width, height, isBeyondWindow = true, x = 0, y = 0) {
          const { data } = await remote.send<{ data: string }>("browsingContext.captureScreenshot", {
            context,
            origin: isBeyondWindow ? "document" : "viewport",
            clip: { type: "box", x, y, width, height },
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
