/** Settings from a TOML file, the environment and `--set`. A later source replaces values of an earlier one.
 *
 *  All wrong settings are refused together (`WrongSettings`). Each problem names the setting and where it was set: the file with its
 *  line, the variable, or the option. */
import { existsSync } from "node:fs";
import { findContradictions } from "./contradictions.ts";
import { nearestName } from "./nearest-name.ts";
import { readToml, type TomlFile, WrongToml } from "./read-toml.ts";
import { isReadableByOthers } from "./readable-by-others.ts";
import {
  type SettingDescription,
  type Settings,
  settingDescriptions,
  settingsSchema,
  withBoundHosts,
} from "./schema.ts";
import { type SettingProblem, WrongSettings } from "./wrong-settings.ts";

export interface SettingSources {
  /** Path of the file. Absent: the path in `WAYPOST_CONFIG`, or else `waypost.toml` in the current folder, if it exists. */
  readonly file?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `smtp.port=2525`, from `--set`. */
  readonly set?: readonly string[];
}

/** Variables with the prefix `WAYPOST_` that are not settings. */
const otherVariables: readonly string[] = ["WAYPOST_CONFIG", "WAYPOST_TOKEN", "WAYPOST_URL"];
/** Kubernetes puts these into every container when a service is called waypost (`WAYPOST_PORT_2525_TCP_ADDR`). */
const serviceLink = /^WAYPOST_PORT$|_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT_\d{1,5}_TCP(?:_|$)/;

const byName = new Map(settingDescriptions.map((setting) => [setting.name, setting]));
const byEnvironmentName = new Map(settingDescriptions.map((setting) => [setting.environmentName, setting]));

interface Origin {
  /** The name of the place in an error. A function, because the line in a file is searched only for an error. */
  readonly place: () => string;
  readonly value: unknown;
  readonly isInFile: boolean;
}

export interface ReadSettings {
  readonly settings: Settings;
  /** Warnings for the operator about the settings. */
  readonly warnings: readonly string[];
  /** The place where a setting (`smtp.port`) was set, as text for people. */
  placeOf(name: string): string;
}

export function loadSettings(sources: SettingSources = {}): Settings {
  return readSettings(sources).settings;
}

export function readSettings(sources: SettingSources = {}): ReadSettings {
  const environment = sources.environment ?? {};
  const file =
    sources.file ?? environment.WAYPOST_CONFIG ?? (existsSync("waypost.toml") ? "waypost.toml" : undefined);
  const reading = new Reading();
  if (file !== undefined) reading.readFile(file);
  reading.readEnvironment(environment);
  for (const text of sources.set ?? []) reading.readOption(text);
  const settings = reading.settings();
  return {
    settings,
    warnings: file === undefined ? [] : reading.warningsAbout(file),
    placeOf: (name) => reading.placeOf(name),
  };
}

/** Collects the values, the places where they were set, and the problems. */
class Reading {
  readonly #origins = new Map<SettingDescription, Origin>();
  readonly #problems: SettingProblem[] = [];

  readFile(file: string): void {
    let toml: TomlFile;
    try {
      toml = readToml(file);
    } catch (error) {
      if (error instanceof WrongToml) this.#note(`${file} line ${error.line}`, error.message);
      else this.#problems.push({ text: `The settings cannot be read from ${file}.` });
      return;
    }
    const placeOf = (path: readonly string[]) => `${file} line ${toml.lineOf(path)}`;
    for (const [section, values] of Object.entries(toml.sections)) {
      const isTable = typeof values === "object" && values !== null && !Array.isArray(values);
      if (!isTable || !Object.hasOwn(settingsSchema.shape, section)) {
        this.#noteUnknown(placeOf([section]), section);
        continue;
      }
      for (const [key, value] of Object.entries(values)) {
        const place = () => placeOf([section, key]);
        const setting = byName.get(`${section}.${key}`);
        if (setting === undefined) this.#noteUnknown(place(), `${section}.${key}`);
        else this.#origins.set(setting, { place, value, isInFile: true });
      }
    }
  }

  readEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
    for (const [name, text] of Object.entries(environment)) {
      if (text === undefined || !name.startsWith("WAYPOST_") || otherVariables.includes(name)) continue;
      const setting = byEnvironmentName.get(name);
      if (setting !== undefined) this.#setText(setting, text, name);
      else if (!serviceLink.test(name)) this.#noteUnknown("environment", name);
    }
  }

  readOption(text: string): void {
    const split = text.indexOf("=");
    if (split < 0) {
      this.#note(`--set ${text}`, "write it as section.name=value.");
      return;
    }
    const name = text.slice(0, split).trim();
    const setting = byName.get(name);
    if (setting === undefined) this.#noteUnknown("--set", name);
    else this.#setText(setting, text.slice(split + 1), "--set");
  }

  /** Throws `WrongSettings` with everything that was found. */
  settings(): Settings {
    const input: Record<string, Record<string, unknown>> = {};
    for (const section of Object.keys(settingsSchema.shape)) input[section] = {};
    for (const [setting, { value }] of this.#origins) input[setting.section]![setting.key] = value;
    const result = settingsSchema.safeParse(input);
    const named = new Set<SettingDescription>();
    for (const { path, message } of result.error?.issues ?? []) {
      const setting = settingDescriptions.find(({ section, key }) => section === path[0] && key === path[1])!;
      if (!named.has(setting)) this.#noteWrong(setting, message);
      named.add(setting);
    }
    const settings = result.data && withBoundHosts(result.data);
    if (settings !== undefined)
      for (const { setting, text } of findContradictions(settings))
        this.#noteWrong(byName.get(setting)!, text);
    if (settings === undefined || this.#problems.length > 0) throw new WrongSettings(this.#problems);
    return settings;
  }

  /** A secret in a file that others on this computer can read. */
  warningsAbout(file: string): string[] {
    const secrets = [...this.#origins]
      .filter(([setting, { isInFile, value }]) => isInFile && setting.isSecret && value !== "")
      .map(([setting]) => setting.name);
    if (secrets.length === 0 || !isReadableByOthers(file)) return [];
    return [`${file} has ${secrets.join(", ")} in it and others can read it: chmod 600 ${file}`];
  }

  #setText(setting: SettingDescription, text: string, place: string): void {
    const value = valueOfText(setting, text);
    if (value === undefined) this.#problems.push(problemOf(setting, place, textProblem[setting.type]));
    else this.#origins.set(setting, { place: () => place, value, isInFile: false });
  }

  placeOf(name: string): string {
    return this.#origins.get(byName.get(name)!)?.place() ?? "default";
  }

  #noteWrong(setting: SettingDescription, problem: string): void {
    this.#problems.push(problemOf(setting, this.placeOf(setting.name), problem));
  }

  #noteUnknown(place: string, name: string): void {
    const near = nearestSetting(name.replace(/^WAYPOST_/, "").toLowerCase());
    const hint =
      near === undefined ? "config/waypost.example.toml has them all." : `Perhaps ${near} is meant.`;
    this.#problems.push({ place, text: `there is no setting ${name}.`, hint });
  }

  #note(place: string, text: string): void {
    this.#problems.push({ place, text });
  }
}

function problemOf(setting: SettingDescription, place: string, problem: string): SettingProblem {
  return { place, setting: setting.name, text: `${setting.name}: ${problem}`, hint: setting.meaning };
}

const textProblem = {
  number: "is not a number.",
  boolean: "is neither true nor false.",
  list: "is no list.",
  text: "is no text.",
} as const satisfies Record<SettingDescription["type"], string>;

/** Undefined for text that is not of the setting's type. */
function valueOfText(setting: SettingDescription, text: string): unknown {
  switch (setting.type) {
    case "number":
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : undefined;
    case "list":
      return text === "" ? [] : text.split(",").map((item) => item.trim());
    case "text":
      return text;
  }
}

function nearestSetting(written: string): string | undefined {
  return nearestName(
    written,
    settingDescriptions.map(({ name }) => name),
  );
}
