import { type Command, Option } from "commander";
import { type ReadSettings, readSettings } from "#/config/load.ts";
import type { Settings } from "#/config/schema.ts";
import type { Shell } from "./shell.ts";

/** The options of every command that say where the settings are. */
export interface SettingsOptions {
  readonly config?: string;
  readonly data?: string;
  readonly set?: readonly string[];
}

export interface CommonOptions extends SettingsOptions {
  readonly json?: boolean;
}

export function withCommonOptions(command: Command): Command {
  return withSettingsOptions(command).option("--json", "print JSON");
}

export function withSettingsOptions(command: Command): Command {
  return command
    .option("--config <file>", "settings file (default: waypost.toml here, if there is one)")
    .option("--data <folder>", "data folder, short for --set storage.folder=<folder>")
    .addOption(
      new Option("--set <name=value>", "one setting, as smtp.port=25; can be repeated").argParser(
        (value: string, before: readonly string[] = []) => [...before, value],
      ),
    );
}

/** The settings that result from the options. */
export function settingsOf(shell: Shell, options: SettingsOptions): Settings {
  return readSettingsOf(shell, options).settings;
}

/** The same with warnings about the files of the settings. A value of `--set` replaces one of `first`. */
export function readSettingsOf(
  { environment }: Shell,
  options: SettingsOptions,
  first: readonly string[] = [],
): ReadSettings {
  const data = options.data === undefined ? [] : [`storage.folder=${options.data}`];
  return readSettings({
    file: options.config,
    environment,
    set: [...first, ...(options.set ?? []), ...data],
  });
}
