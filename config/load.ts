/** Settings from a TOML file, the environment and `--set`, each winning over the one before.
 *
 *  What is wrong is refused as `invalid`, in words that name the setting and where it was set: the file with its line,
 *  the variable, or the option. */
import { existsSync, readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { WaypostError } from "#/src/model/errors.ts";
import {
  type SettingDescription,
  type Settings,
  settingDescriptions,
  settingsSchema,
  withBoundHosts,
} from "./schema.ts";

export interface SettingSources {
  /** Path of the file. Without one `WAYPOST_CONFIG` names it, else it is `waypost.toml` here, if there is one. */
  readonly file?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `smtp.port=2525`, from `--set`. */
  readonly set?: readonly string[];
}

/** Variables with our prefix that are no settings. */
const otherVariables: readonly string[] = ["WAYPOST_CONFIG", "WAYPOST_TOKEN", "WAYPOST_URL"];
/** Kubernetes puts these into every container when a service is called waypost (`WAYPOST_PORT_2525_TCP_ADDR`). */
const serviceLink =
  /^WAYPOST_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_TCP(?:_\w+)?)$|^WAYPOST_PORT$/;

const byName = new Map(settingDescriptions.map((setting) => [setting.name, setting]));
const byEnvironmentName = new Map(settingDescriptions.map((setting) => [setting.environmentName, setting]));

interface Origin {
  /** How the place is called in an error. */
  readonly place: string;
  readonly value: unknown;
}

export function loadSettings(sources: SettingSources = {}): Settings {
  const environment = sources.environment ?? {};
  const origins = new Map<SettingDescription, Origin>();
  const file =
    sources.file ?? environment.WAYPOST_CONFIG ?? (existsSync("waypost.toml") ? "waypost.toml" : undefined);
  if (file !== undefined) readFile(file, origins);
  readEnvironment(environment, origins);
  for (const text of sources.set ?? []) readOption(text, origins);
  return applyOrigins(origins);
}

function applyOrigins(origins: ReadonlyMap<SettingDescription, Origin>): Settings {
  const input: Record<string, Record<string, unknown>> = {};
  for (const section of Object.keys(settingsSchema.shape)) input[section] = {};
  for (const [setting, origin] of origins) input[setting.section]![setting.key] = origin.value;
  const result = settingsSchema.safeParse(input);
  if (!result.success) {
    const [section, key] = result.error.issues[0]!.path;
    const setting = settingDescriptions.find((known) => known.section === section && known.key === key)!;
    throw refusal(setting, origins.get(setting)?.place ?? "default", result.error.issues[0]!.message);
  }
  const { tls } = result.data;
  if ((tls.certificateFile === "") !== (tls.keyFile === ""))
    throw new WaypostError("invalid", "tls.certificate_file and tls.key_file are only of use together.");
  return withBoundHosts(result.data);
}

function refusal(setting: SettingDescription, place: string, problem: string): WaypostError {
  return new WaypostError("invalid", `${place}: ${setting.name}: ${problem}`, { hint: setting.meaning });
}

function readFile(file: string, origins: Map<SettingDescription, Origin>): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new WaypostError("invalid", `The settings cannot be read from ${file}.`, { cause });
  }
  for (const [section, values] of Object.entries(parseFile(file, text))) {
    const isTable = typeof values === "object" && values !== null && !Array.isArray(values);
    if (!isTable) throw unknownSetting(section, `${file} line ${lineOf(text, [section])}`);
    if (!Object.hasOwn(settingsSchema.shape, section))
      throw unknownSetting(section, `${file} line ${lineOf(text, [section])}`);
    for (const [key, value] of Object.entries(values)) {
      const place = `${file} line ${lineOf(text, [section, key])}`;
      const setting = byName.get(`${section}.${key}`);
      if (setting === undefined) throw unknownSetting(`${section}.${key}`, place);
      origins.set(setting, { place, value });
    }
  }
}

function parseFile(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const problem = cause.message.split("\n")[0]!;
    throw new WaypostError("invalid", `${file} line ${cause.line}: ${problem}`, { cause });
  }
}

/** Line, from 1, on which a key is complete: the shortest beginning of the file that already has it. */
function lineOf(text: string, path: readonly string[]): number {
  const lines = text.split("\n");
  for (let count = 1; count < lines.length; count++) {
    try {
      let value: unknown = parse(lines.slice(0, count).join("\n"));
      for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
      if (value !== undefined) return count;
    } catch (error) {
      // A beginning that stops inside a value of several lines.
      if (!(error instanceof TomlError)) throw error;
    }
  }
  return lines.length;
}

function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  origins: Map<SettingDescription, Origin>,
): void {
  for (const [name, text] of Object.entries(environment)) {
    if (text === undefined || !name.startsWith("WAYPOST_") || otherVariables.includes(name)) continue;
    const setting = byEnvironmentName.get(name);
    if (setting !== undefined) origins.set(setting, { place: name, value: valueOfText(setting, text, name) });
    else if (!serviceLink.test(name)) throw unknownSetting(name, "environment");
  }
}

function readOption(text: string, origins: Map<SettingDescription, Origin>): void {
  const split = text.indexOf("=");
  if (split < 0) throw new WaypostError("invalid", `--set ${text}: write it as section.name=value.`);
  const name = text.slice(0, split).trim();
  const setting = byName.get(name);
  if (setting === undefined) throw unknownSetting(name, "--set");
  origins.set(setting, { place: "--set", value: valueOfText(setting, text.slice(split + 1), "--set") });
}

function valueOfText(setting: SettingDescription, text: string, place: string): unknown {
  switch (setting.type) {
    case "number":
      if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw refusal(setting, place, "is not a number.");
      return Number(text);
    case "boolean":
      if (text !== "true" && text !== "false") throw refusal(setting, place, "is neither true nor false.");
      return text === "true";
    case "list":
      return text === "" ? [] : text.split(",").map((item) => item.trim());
    case "text":
      return text;
  }
}

function unknownSetting(name: string, place: string): WaypostError {
  const near = nearestName(name.replace(/^WAYPOST_/, "").toLowerCase());
  return new WaypostError("invalid", `${place}: there is no setting ${name}.`, {
    hint: near === undefined ? "config/waypost.example.toml has them all." : `Perhaps ${near} is meant.`,
  });
}

/** The setting whose name shares the most pairs of letters with what was written. */
function nearestName(written: string): string | undefined {
  const pairs = (text: string) => new Set([...text.slice(1)].map((_, at) => text.slice(at, at + 2)));
  const wanted = pairs(written.slice(0, 100).replaceAll(".", "_"));
  let best: string | undefined;
  let bestScore = 0.5;
  for (const { name } of settingDescriptions) {
    const own = pairs(name.replace(".", "_"));
    const score = (2 * wanted.intersection(own).size) / (wanted.size + own.size);
    if (score > bestScore) [best, bestScore] = [name, score];
  }
  return best;
}
