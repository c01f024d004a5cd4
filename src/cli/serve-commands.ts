import { isatty } from "node:tty";
import { Command, InvalidArgumentError } from "commander";
import type { ReadSettings } from "#/config/load.ts";
import { listenerSections } from "#/config/schema.ts";
import { withPlaces } from "#/config/wrong-settings.ts";
import type { NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import type { House } from "#/src/daemon/house.ts";
import { after, inBackground } from "#/src/model/background.ts";
import { type CommonOptions, readSettingsOf, withCommonOptions } from "./options.ts";
import { printLine } from "./output.ts";
import { exitCodes, type Shell } from "./shell.ts";

/** The longest time in which connections and the store may close. After it the process exits; the store stays consistent. */
const stopMs = 15_000;

export function startCommand(shell: Shell): Command {
  const command = new Command("start").description(
    "Start the server. The first start in an empty data folder makes an agent and a person and shows their secrets once.",
  );
  return withCommonOptions(command).action(async (options: CommonOptions) => {
    const { seedFirstRun } = await import("./seed.ts");
    await serve(
      shell,
      readSettingsOf(shell, options),
      seedFirstRun,
      options.json === true,
      untilSignal(shell),
    );
  });
}

interface DevOptions extends CommonOptions {
  readonly agents: number;
  readonly people: number;
  readonly stdinLifeline?: boolean;
}

/** A server on free ports in a folder of its own, for tests, benchmarks and other programs. */
export function devCommand(shell: Shell): Command {
  const command = new Command("dev")
    .description(
      "Start a server to try things on: free ports, and a temporary folder unless --data names one.",
    )
    .option("--agents <count>", "agents to make, agent1@… on", readCount, 1)
    .option("--people <count>", "people to make, person1@… on", readCount, 1)
    .option("--stdin-lifeline", "stop when standard input closes, so that it never outlives who started it");
  return withCommonOptions(command).action(async (options: DevOptions) => {
    const { mkdtempSync, rmSync } = await import("node:fs");
    const { tmpdir } = await import("node:os");
    const path = await import("node:path");
    const temporary =
      options.data === undefined ? mkdtempSync(path.join(tmpdir(), "waypost-dev-")) : undefined;
    // This server needs no other network, and sends nothing into it.
    const apart = [...listenerSections.map((section) => `${section}.port=0`), "dns.servers=none"];
    const folder = options.data ?? temporary!;
    const stop = untilSignal(shell);
    if (options.stdinLifeline) stop.alsoWhenInputEnds();
    try {
      const { seedForDevelopment } = await import("./seed.ts");
      const settings = readSettingsOf(shell, { ...options, data: folder }, apart);
      await serve(
        shell,
        settings,
        (house) => seedForDevelopment(house, options),
        options.json === true,
        stop,
      );
    } finally {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    }
  });
}

async function serve(
  shell: Shell,
  { settings, warnings, placeOf }: ReadSettings,
  seed: (house: House) => Promise<NewOwner[]>,
  isJson: boolean,
  stop: StopRequest,
): Promise<void> {
  const [{ startDaemon }, { keepServing, watchOver }, { formatReady, readyLine }, path] = await Promise.all([
    import("#/src/daemon/daemon.ts"),
    import("#/src/daemon/keep-serving.ts"),
    import("./ready.ts"),
    import("node:path"),
  ]);
  const watch = watchOver(settings);
  await using daemon = await startDaemon(settings).catch((error: unknown) => {
    throw withPlaces(error, placeOf);
  });
  keepServing(daemon.log);
  watch();
  for (const warning of warnings) daemon.log.warn(warning);
  const owners = await seed(daemon.house);
  const line = readyLine(daemon, path.resolve(settings.storage.folder), owners);
  printLine(shell, isJson ? JSON.stringify(line) : formatReady(daemon, line));
  stop.onReload(() => inBackground(() => daemon.reload()));
  await stop.requested;
  after(stopMs, () => {
    daemon.log.error("stopping took too long; what was under way is given up");
    process.exit(exitCodes.refused);
  }).unref();
}

interface StopRequest {
  readonly requested: Promise<void>;
  alsoWhenInputEnds(): void;
  /** Calls `reload` at each SIGHUP from now on. */
  onReload(reload: () => void): void;
}

/** Resolves at the first SIGTERM or SIGINT, and when the terminal closes. Later signals are ignored, because a terminal and a parent
 *  process both send them. Any other SIGHUP is a request to reload. */
function untilSignal(shell: Shell): StopRequest {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.on("SIGTERM", () => resolve());
  process.on("SIGINT", () => resolve());
  const hasTerminal = isatty(0);
  let reload = (): void => {};
  process.on("SIGHUP", () => (hasTerminal && !isatty(0) ? resolve() : reload()));
  // An open standard input would keep the process alive after everything has stopped.
  inBackground(() => promise.then(() => shell.input.destroy()));
  return {
    requested: promise,
    alsoWhenInputEnds() {
      shell.input.on("end", () => resolve());
      shell.input.on("error", () => resolve());
      shell.input.resume();
    },
    onReload(wanted) {
      reload = wanted;
    },
  };
}

function readCount(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError("It is no count.");
  return Number(text);
}
