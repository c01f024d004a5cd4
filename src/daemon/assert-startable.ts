/** What this host and this program must have for the settings, checked before a port opens or anything is stored. */
import fs from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { isListening } from "#/config/contradictions.ts";
import { nearestName } from "#/config/nearest-name.ts";
import { listenerSections, type Settings } from "#/config/schema.ts";
import { type SettingProblem, WrongSettings } from "#/config/wrong-settings.ts";
import { bind } from "#/protocols/connection/bind-port.ts";
import { operations } from "#/protocols/json/registry.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { readOwnPair } from "./certificate.ts";

/** Throws `WrongSettings` with everything that was found; its problems have no place. */
export async function assertStartable(settings: Settings): Promise<void> {
  const problems = [
    ...(await addressProblems(settings)),
    ...logProblems(settings),
    ...operationProblems(settings),
    ...certificateProblems(settings),
  ];
  if (problems.length > 0) throw new WrongSettings(problems);
}

function problem(setting: string, text: string): SettingProblem {
  return { setting, text: `${setting}: ${text}` };
}

async function addressProblems(settings: Settings): Promise<SettingProblem[]> {
  const sections = listenerSections.filter((section) => isListening(settings, section));
  const wanted = new Map<string, string>();
  for (const section of sections) {
    const { host } = settings[section];
    const isBound = host === settings.server.bind;
    if (!wanted.has(host)) wanted.set(host, isBound ? "server.bind" : `${section}.host`);
  }
  for (const address of settings.outbound.sourceAddresses)
    if (!wanted.has(address)) wanted.set(address, "outbound.source_addresses");
  const found: SettingProblem[] = [];
  for (const [host, setting] of wanted)
    if (!(await isOfThisHost(host)))
      found.push(problem(setting, `this host has no address ${host}; :: means every address.`));
  return found;
}

async function isOfThisHost(host: string): Promise<boolean> {
  const probe = createServer();
  try {
    await bind(probe, { host, port: 0 });
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}

function logProblems({ log: { file } }: Settings): SettingProblem[] {
  if (file === "") return [];
  const folder = path.dirname(path.resolve(file));
  if (!fs.existsSync(folder))
    return [problem("log.file", `there is no folder ${folder}: make it, owned by the user of the server.`)];
  try {
    fs.accessSync(fs.existsSync(file) ? file : folder, fs.constants.W_OK);
    return [];
  } catch {
    return [problem("log.file", `${file} cannot be written by this user.`)];
  }
}

function operationProblems({ json: { unservedOperations } }: Settings): SettingProblem[] {
  const names = operations.map(({ name }) => name);
  return unservedOperations
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearestName(name, names);
      const hint = near === undefined ? "docs/reference.md has them all" : `perhaps ${near} is meant`;
      return problem("json.unserved_operations", `there is no operation ${name}; ${hint}.`);
    });
}

function certificateProblems(settings: Settings): SettingProblem[] {
  try {
    readOwnPair(settings);
    return [];
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    const setting = /^tls\.\w+/.exec(error.message)?.[0] ?? "tls.certificate_file";
    return [{ setting, text: error.message, ...(error.details.hint && { hint: error.details.hint }) }];
  }
}
