/** Thunderbird under the control of a program: a new profile on its own X display, and privileged JavaScript over Marionette. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";

export type Preferences = Readonly<Record<string, string | number | boolean>>;

export interface Thunderbird extends AsyncDisposable {
  /** Runs a script in Thunderbird's main window and returns its result. `args` are the arguments of the script. */
  run(script: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Waits until a script returns something true. */
  until(what: string, script: string, ...args: readonly unknown[]): Promise<unknown>;
  screenshot(file: string): Promise<void>;
}

/** Preferences that prevent wizards, first pages and all network traffic of Thunderbird's own. */
const quiet: Preferences = {
  "mail.provider.suppress_dialog_on_startup": true,
  "mail.spotlight.firstRunDone": true,
  "mailnews.start_page.enabled": false,
  "mailnews.start_page.override_url": "",
  "mail.rights.version": 1,
  "app.donation.eoy.version.viewed": 999,
  "mail.shell.checkDefaultClient": false,
  "mail.inappnotifications.enabled": false,
  "mail.inappnotifications.url": "",
  "mail.chat.enabled": false,
  "datareporting.policy.dataSubmissionPolicyBypassNotification": true,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.server": "",
  "app.update.enabled": false,
  "app.update.url": "",
  "extensions.update.enabled": false,
  "extensions.systemAddon.update.enabled": false,
  "extensions.blocklist.enabled": false,
  "extensions.getAddons.cache.enabled": false,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "network.dns.disablePrefetch": true,
  "network.proxy.type": 0,
  "network.manage-offline-status": false,
  "mailnews.auto_config.fetchFromISP.enabled": false,
  "calendar.timezone.local": "UTC",
  "calendar.timezone.useSystemTimezone": false,
  "calendar.alarms.show": false,
  // Shows the message below the list.
  "mail.pane_config.dynamic": 0,
  // A password prompt at the start would hide the main window.
  "offline.startup_state": 3,
  "offline.send.unsent_messages": 2,
  "offline.download.download_messages": 2,
};

const width = 1100;
const height = 640;
const patienceMs = 60_000;

export async function startThunderbird(folder: string, preferences: Preferences): Promise<Thunderbird> {
  const profile = path.join(folder, "profile");
  fs.mkdirSync(profile, { recursive: true });
  const port = await freePort();
  const lines = Object.entries({ ...quiet, ...preferences, "marionette.port": port }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  fs.writeFileSync(path.join(profile, "prefs.js"), `${lines.join("\n")}\n`);
  const log = fs.openSync(path.join(folder, "thunderbird.log"), "w");
  const display = await startDisplay(log);
  const program = spawn(
    "thunderbird",
    ["--profile", profile, "--no-remote", "--marionette", "--remote-allow-system-access"],
    {
      stdio: ["ignore", log, log],
      detached: true,
      env: {
        ...process.env,
        HOME: folder,
        DISPLAY: display.name,
        TZ: "UTC",
        LC_ALL: "C.UTF-8",
        NO_AT_BRIDGE: "1",
      },
    },
  );
  const connection = await connect(port);
  await connection.command("WebDriver:NewSession", { capabilities: {} });
  await connection.command("Marionette:SetContext", { value: "chrome" });
  await findMainWindow(connection);
  await connection.command("WebDriver:SetWindowRect", { x: 0, y: 0, width, height });

  const run: Thunderbird["run"] = async (script, ...args) => {
    const { value } = (await connection.command("WebDriver:ExecuteAsyncScript", {
      args,
      newSandbox: false,
      sandbox: "system",
      script: `const done = arguments[arguments.length - 1]; (async (...args) => {${script}})(...Array.from(arguments).slice(0, -1))
        .then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) + String(error?.stack) }))`,
    })) as { value: { value?: unknown; error?: string } };
    if (value.error !== undefined) throw new Error(value.error);
    return value.value;
  };

  return {
    run,
    async until(what, script, ...args) {
      const deadline = performance.now() + patienceMs;
      let last: unknown;
      while (performance.now() < deadline) {
        last = await run(script, ...args).catch((error: unknown) => error);
        if (last && !(last instanceof Error)) return last;
        await wait(300);
      }
      throw new Error(`${what}: ${last}`);
    },
    async screenshot(file) {
      const { value } = (await connection.command("WebDriver:TakeScreenshot", {
        id: null,
        full: true,
        hash: false,
        scroll: false,
      })) as { value: string };
      fs.writeFileSync(file, Buffer.from(value, "base64"));
    },
    async [Symbol.asyncDispose]() {
      connection.end();
      if (program.pid !== undefined && program.exitCode === null) {
        const ended = once(program, "exit");
        process.kill(-program.pid, "SIGKILL");
        await ended;
      }
      display.end();
      fs.closeSync(log);
    },
  };
}

async function startDisplay(log: number): Promise<{ readonly name: string; end(): void }> {
  const server: ChildProcess = spawn(
    "Xvfb",
    ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"],
    { stdio: ["ignore", log, log, "pipe"] },
  );
  const [number] = (await once(server.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
  return { name: `:${number.toString().trim()}`, end: () => server.kill() };
}

interface Connection {
  command(name: string, parameters: object): Promise<unknown>;
  end(): void;
}

/** Packets are `length:[type, id, error, result]`. Each command gets one answer. */
async function connect(port: number): Promise<Connection> {
  const socket = await open(port);
  let buffer = Buffer.alloc(0);
  let last = 0;
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  socket.on("data", (data: Buffer) => {
    buffer = Buffer.concat([buffer, data]);
    for (let colon = buffer.indexOf(":"); colon > 0; colon = buffer.indexOf(":")) {
      const end = colon + 1 + Number(buffer.subarray(0, colon));
      if (buffer.length < end) return;
      const packet = JSON.parse(buffer.subarray(colon + 1, end).toString()) as unknown[];
      buffer = buffer.subarray(end);
      // The first packet is a greeting.
      if (!Array.isArray(packet)) continue;
      const [, id, error, result] = packet as [number, number, { message: string } | null, unknown];
      const one = waiting.get(id);
      waiting.delete(id);
      if (error === null) one?.resolve(result);
      else one?.reject(new Error(error.message));
    }
  });
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Thunderbird has ended"));
  });
  return {
    command(name, parameters) {
      const id = ++last;
      const text = JSON.stringify([0, id, name, parameters]);
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        socket.write(`${Buffer.byteLength(text)}:${text}`);
      });
    },
    end: () => socket.destroy(),
  };
}

async function open(port: number): Promise<net.Socket> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return socket;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await wait(300);
    }
  }
}

async function findMainWindow(connection: Connection): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    for (const handle of (await connection.command("WebDriver:GetWindowHandles", {})) as string[]) {
      await connection.command("WebDriver:SwitchToWindow", { handle, focus: false });
      const { value } = (await connection.command("WebDriver:ExecuteScript", {
        args: [],
        sandbox: "system",
        script: `return document.location.href.includes("messenger.xhtml") && document.readyState === "complete" && !!document.getElementById("tabmail")`,
      })) as { value: boolean };
      if (value) return;
    }
    await wait(300);
  }
  throw new Error("Thunderbird shows no main window");
}
