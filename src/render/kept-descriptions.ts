/** Messages and parts of them as they were read, so that who reads them again, or on in them, costs no second reading. The bytes of a
 *  message never change, its number is never given to another one, and the renderer is that of this process: what is kept stays
 *  true as long as the process lives. What the reader may see is asked before, each time. */

import { keptDescriptionCharactersMax, keptDescriptionsMax, keptShortFormsMax } from "#/src/model/limits.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { RecentValues } from "#/src/model/recent-values.ts";
import type { Description } from "./describe-message.ts";
import type { Render } from "./part-target.ts";
import type { ShortFacts } from "./short-form.ts";

export interface MessageName {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
}

/** A part of a message, and the render that was asked for; undefined: the part's own. */
export interface AskedPart extends MessageName {
  readonly part: string;
  readonly render: Render | undefined;
}

export interface KeptDescription {
  readonly render: Render;
  readonly description: Description;
}

export interface KeptDescriptions {
  recall(asked: AskedPart): KeptDescription | undefined;
  /** Octets are not kept, nor what went over a limit: of those some are of time, and another reading may end within it. */
  keep(asked: AskedPart, kept: KeptDescription): void;
  /** What a listing says of a message and never changes. */
  recallFacts(message: MessageName): ShortFacts | undefined;
  keepFacts(message: MessageName, facts: ShortFacts): void;
  /** For when nobody reads. */
  forgetAll(): void;
  readonly characters: number;
}

/** One message takes no more than this part of what is kept. */
const largestShare = 1 / 16;

interface Entry {
  readonly kept: KeptDescription;
  readonly characters: number;
}

export function createKeptDescriptions(): KeptDescriptions {
  /** What was asked for last is last. */
  const entries = new Map<string, Entry>();
  let characters = 0;
  let facts = new RecentValues<ShortFacts>(keptShortFormsMax / 2);

  function forget(name: string): void {
    const entry = entries.get(name);
    if (entry === undefined) return;
    entries.delete(name);
    characters -= entry.characters;
  }

  return {
    recall(asked) {
      const name = nameOf(asked);
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      entries.delete(name);
      entries.set(name, entry);
      return entry.kept;
    },
    keep(asked, kept) {
      const { octets, removed, text = "", content } = kept.description;
      if (octets !== undefined || removed.some(({ what }) => what === "over-limit")) return;
      const length = text.length + JSON.stringify([content, removed]).length;
      if (length > keptDescriptionCharactersMax * largestShare) return;
      const name = nameOf(asked);
      forget(name);
      entries.set(name, { kept, characters: length });
      characters += length;
      for (const [oldest] of entries) {
        if (entries.size <= keptDescriptionsMax && characters <= keptDescriptionCharactersMax) break;
        forget(oldest);
      }
    },
    recallFacts: ({ agent, message }) => facts.find(`${agent} ${message}`),
    keepFacts: ({ agent, message }, kept) => facts.keep(`${agent} ${message}`, kept),
    forgetAll() {
      entries.clear();
      facts = new RecentValues(keptShortFormsMax / 2);
      characters = 0;
    },
    get characters() {
      return characters;
    },
  };
}

function nameOf({ agent, message, part, render }: AskedPart): string {
  return `${agent} ${message} ${render ?? ""} ${part}`;
}
