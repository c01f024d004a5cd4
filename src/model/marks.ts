/** Marks: what of each message `/v1` shows as true or false, and sets with `message.update`. A mark is a flag or a keyword of IMAP, so all
 *  protocols show it, and it goes wherever these go: into copies, to other owners, into new versions of drafts, archives and files of mail.
 *  One more is one more line, for example `pinned: { flag: "$Pinned" }`. A keyword is a label too. */
import { type SystemFlag, systemFlagNamed, systemFlags } from "./flags.ts";

interface Mark {
  /** Of which it is the presence. */
  readonly flag: SystemFlag | `$${string}`;
  /** It is the absence instead. */
  readonly isInverted?: true;
}

export const marks = {
  unread: { flag: "\\Seen", isInverted: true },
  flagged: { flag: "\\Flagged" },
} as const satisfies Readonly<Record<string, Mark>>;

export type MarkName = keyof typeof marks;
export type Marks = Readonly<Record<MarkName, boolean>>;
/** Marks that are not there stay as they are. */
export type MarksChange = { readonly [Name in MarkName]?: boolean | undefined };

const markNames = Object.keys(marks) as readonly MarkName[];

/** A value for each mark. */
export function forEachMark<Value>(make: (name: MarkName, flag: string) => Value): Record<MarkName, Value> {
  const values = markNames.map((name) => [name, make(name, marks[name].flag)]);
  return Object.fromEntries(values) as Record<MarkName, Value>;
}

/** `keywords`: by their names. */
export function marksOf(mask: number, keywords: readonly string[]): Marks {
  return forEachMark((name, flag) => {
    const system = systemFlagNamed(flag);
    const isSet =
      system === undefined
        ? keywords.some((one) => one.toLowerCase() === flag.toLowerCase())
        : (mask & systemFlags[system]) !== 0;
    return isSet !== isInverted(name);
  });
}

interface MarkedFlags {
  readonly mask: number;
  readonly keywords: readonly string[];
}

/** The flags that a change adds, and those that it removes. */
export function flagsOfMarks(change: MarksChange): {
  readonly added: MarkedFlags;
  readonly removed: MarkedFlags;
} {
  const flagsWhere = (isAdded: boolean): MarkedFlags => {
    let mask = 0;
    const keywords: string[] = [];
    for (const name of markNames) {
      const value = change[name];
      if (value === undefined || (value !== isInverted(name)) !== isAdded) continue;
      const system = systemFlagNamed(marks[name].flag);
      if (system === undefined) keywords.push(marks[name].flag);
      else mask |= systemFlags[system];
    }
    return { mask, keywords };
  };
  return { added: flagsWhere(true), removed: flagsWhere(false) };
}

function isInverted(name: MarkName): boolean {
  const mark: Mark = marks[name];
  return mark.isInverted === true;
}
