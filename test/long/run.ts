/** Runs every long suite, one after the other: `npm run test:long`. Fails when one of them fails. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const suites = [
  ["kill-store.ts", "20"],
  ["power-loss-store.ts"],
  ["full-disk-store.ts"],
  ["damaged-store.ts"],
  ["poisoned-index.ts"],
  ["kill-daemon.ts"],
  ["kill-queue.ts"],
  ["kill-delivery.ts", "15"],
  ["kill-daemons.ts", "6", "3"],
  ["kill-shared-store.ts", "4", "2"],
  ["imaptest-shared.ts", "20", "20"],
  ["move-under-load.ts", "2000", "4"],
  ["power-loss.ts"],
  ["import-killed.ts", "--count", "2000"],
  ["disk-full.ts"],
  ["pipelining-attack.ts"],
  ["abuse/run.ts", "--quick"],
  ["search-load.ts", "30"],
  ["fuzz-imap.ts", "--minutes", "2"],
  ["fuzz-html-forms.ts", "--minutes", "1", "--seed", "1"],
  // The seed makes it judge the same documents each time. Without a seed it begins at a random one.
  ["fuzz-html.ts", "--documents", "400", "--minutes", "5", "--seed", "1"],
  ["expensive-mail.ts"],
  ["heap-filling.ts"],
  ["split-imap.ts", "--runs", "2"],
  ["soak.ts", "5"],
];

const failed: string[] = [];
for (const [suite, ...args] of suites) {
  console.log(`\n-- ${[suite, ...args].join(" ")}`);
  const file = fileURLToPath(new URL(suite!, import.meta.url));
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, [file, ...args], { stdio: "inherit" });
  console.log(`-- ${suite}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  if (status !== 0) failed.push(suite!);
}
console.log(`\n${suites.length - failed.length} of ${suites.length} long suites passed`);
if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
