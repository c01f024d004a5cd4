/** A cache of messages and parts as they were rendered, so that reading one again does not render it again. The bytes of a message
 *  never change, its number is never used again, and the process has one renderer, so an entry stays correct for the life of the
 *  process. The rights of the reader are checked before, for each request. */

import {
  keptDescriptionOctetsMax,
  keptDescriptionsMax,
  keptShortFormOctetsMax,
  keptShortFormsMax,
} from "#/src/model/limits.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Description } from "./describe-message.ts";
import { KeptJson } from "./kept-json.ts";
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
  /** Of all that is kept. */
  readonly octets: number;
}

export function createKeptDescriptions(): KeptDescriptions {
  const descriptions = new KeptJson<KeptDescription>(keptDescriptionsMax, keptDescriptionOctetsMax);
  const facts = new KeptJson<ShortFacts>(keptShortFormsMax, keptShortFormOctetsMax);
  return {
    recall: (asked) => descriptions.find(nameOfPart(asked)),
    keep(asked, kept) {
      const { octets, removed } = kept.description;
      if (octets !== undefined || removed.some(({ what }) => what === "over-limit")) return;
      descriptions.keep(nameOfPart(asked), kept);
    },
    recallFacts: (message) => facts.find(nameOf(message)),
    keepFacts: (message, known) => facts.keep(nameOf(message), known),
    forgetAll() {
      descriptions.clear();
      facts.clear();
    },
    get octets() {
      return descriptions.octets + facts.octets;
    },
  };
}

function nameOf({ agent, message }: MessageName): string {
  return `${agent} ${message}`;
}

function nameOfPart({ part, render, ...message }: AskedPart): string {
  return `${nameOf(message)} ${render ?? ""} ${part}`;
}
