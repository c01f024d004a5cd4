/** `dry_run: true` of a write: the answer that the call would give, and nothing is written. The store undoes what the operation writes
 *  (`forDryRun`), so an operation has no code for it. A dry run neither uses nor finds an idempotency key. */
import { z } from "zod";

type Members = Readonly<Record<string, unknown>>;

/** Members with ids of objects that a write makes. */
const madeMembers = ["hold", "message"] as const;
/** Members that name the object itself: they are told if it exists already. */
const ownMembers = ["ref", "uid"] as const;

export const dryRunField = z.boolean().optional().describe("true: only says what it would do.");

export interface AskedWrite {
  readonly isDryRun: boolean;
  /** For the operation. */
  readonly input: unknown;
}

/** `input`: after it was checked. */
export function readDryRun({ effect }: { readonly effect: string }, input: unknown): AskedWrite {
  if (effect !== "writes") return { isDryRun: false, input };
  const { dry_run: isDryRun = false, ...request } = input as Members & { readonly dry_run?: boolean };
  if (!isDryRun) return { isDryRun, input: request };
  const { idempotency_key: _, ...unkeyed } = request;
  return { isDryRun, input: unkeyed };
}

/** The answer without ids and versions of what would be made. A version of the request is the one that the object has. */
export function dryAnswer(result: unknown, input: unknown): unknown {
  const { version } = input as Members;
  const { results } = result as { readonly results?: readonly Members[] };
  if (results !== undefined) return { results: results.map((one) => told(one, version)), dry_run: true };
  return { ...told(result as Members, version), dry_run: true };
}

function told(result: Members, version: unknown): Members {
  const untold: readonly string[] = [
    "version",
    ...madeMembers,
    ...(result.created === true ? ownMembers : []),
  ];
  const kept = Object.entries(result)
    .filter(([name]) => !untold.includes(name))
    .map(([name, value]) => [
      name,
      name === "recipients" ? (value as readonly Members[]).map(withoutHold) : value,
    ]);
  return { ...Object.fromEntries(kept), ...(version === undefined ? {} : { version }) };
}

function withoutHold({ hold: _, ...recipient }: Members): Members {
  return recipient;
}

/** The shape of such an answer. */
export function dryOutput(output: z.ZodType): z.ZodType {
  if (output instanceof z.ZodUnion) return z.union(output.options.map((one) => dryOutput(one as z.ZodType)));
  if (!(output instanceof z.ZodObject)) return output;
  const untold = ["version", ...madeMembers, ...ownMembers].filter((name) => name in output.shape);
  const members = Object.entries(output.shape as Readonly<Record<string, z.ZodType>>);
  return z.strictObject({
    ...Object.fromEntries(
      members.map(([name, member]) => [name, untold.includes(name) ? member.optional() : member]),
    ),
    dry_run: z.literal(true),
  });
}
