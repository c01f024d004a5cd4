/** A name server for the given zone files, on port 53 of the loopback interface: node test/long/zone-server.ts <file…> */
import fs from "node:fs";
import { startDnsServer } from "../support/servers/dns-server.ts";
import type { ZoneRecord } from "../support/servers/dns-zone.ts";

const zone: Record<string, ZoneRecord[]> = {};
for (const file of process.argv.slice(2))
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    const [, name, type, content] = /^(\S+)\. \d+ IN ([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === undefined || type === undefined || content === undefined) continue;
    zone[name.toLowerCase()] ??= [];
    zone[name.toLowerCase()]!.push([type, readData(type, content)]);
  }
await startDnsServer(zone, { port: 53 });
console.log(`${Object.keys(zone).length} names`);

function readData(type: string, data: string): unknown {
  if (type === "TXT")
    return [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text!.replaceAll(/\\(.)/g, "$1"));
  const fields = data
    .split(" ")
    .map((field) => (/^\d+$/.test(field) ? Number(field) : field.replace(/\.$/, "")));
  return fields.length === 1 ? fields[0] : fields;
}
