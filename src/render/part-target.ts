/** The part of a message that `part` names: an alias, or an IMAP section (RFC 9051 section 6.4.5.1). */
import { findPart, type MimePart, walkParts } from "#/src/formats/mime/structure.ts";
import { isAgentPart } from "#/src/mail/prepare-message.ts";
import { bodyForms } from "./body-text.ts";
import { isReadable } from "./part-reading.ts";

export const renders = [...bodyForms, "headers", "structure", "json", "raw", "source"] as const;
export type Render = (typeof renders)[number];

export type PartTarget =
  | { readonly kind: "message" | "body" | "structure" }
  /** `section` is HEADER, 1.HEADER or 1.MIME. */
  | { readonly kind: "headers"; readonly section: string }
  | { readonly kind: "agent_part"; readonly part: MimePart }
  | { readonly kind: "part"; readonly part: MimePart }
  /** The body of a message as octets. */
  | { readonly kind: "octets"; readonly section: string };

const sectionText = /^(?:[1-9]\d{0,8}(?:\.[1-9]\d{0,8})*\.)?(?:HEADER|TEXT|MIME)$/;

/** undefined when the message has no such part. */
export function findTarget(top: MimePart, part: string): PartTarget | undefined {
  switch (part) {
    case "":
      return { kind: "message" };
    case "body":
    case "structure":
      return { kind: part };
    case "headers":
      return { kind: "headers", section: "HEADER" };
    case "agent": {
      const agentPart = walkParts(top).find(isAgentPart);
      return agentPart && { kind: "agent_part", part: agentPart };
    }
  }
  const section = part.toUpperCase();
  if (sectionText.test(section)) return { kind: section.endsWith("TEXT") ? "octets" : "headers", section };
  const found = findPart(top, part);
  return found && { kind: "part", part: found };
}

/** Whether it can be a part at all, in any message. */
export function isPartName(part: string): boolean {
  return (
    ["body", "headers", "structure", "agent"].includes(part) ||
    sectionText.test(part.toUpperCase()) ||
    /^[1-9]\d{0,8}(?:\.[1-9]\d{0,8})*$/.test(part)
  );
}

const acceptedRenders = {
  message: [...bodyForms, "json", "headers", "structure", "raw", "source"],
  body: [...bodyForms, "json", "raw"],
  structure: ["structure", "text", "json"],
  headers: ["headers", "text", "json", "raw", "source"],
  agent_part: ["json", "text", "raw", "source", "headers"],
  octets: ["raw", "source"],
} as const satisfies Record<Exclude<PartTarget["kind"], "part">, readonly Render[]>;
const readablePart = [...bodyForms, "json", "headers", "structure", "raw", "source"] as const;
const binaryPart = ["json", "headers", "structure", "raw", "source"] as const;

/** The first one is what is done when nothing is asked for. */
export function rendersOf(target: PartTarget): readonly Render[] {
  if (target.kind !== "part") return acceptedRenders[target.kind];
  const { part } = target;
  return part.type === "multipart" || part.message !== undefined || isReadable(part)
    ? readablePart
    : binaryPart;
}

/** Whether the part lies in a message inside the message, or is one. */
export function isNestedPart(top: MimePart, part: MimePart): boolean {
  return walkParts(top).some(
    (one) => one.message !== undefined && part.bodyStart >= one.bodyStart && part.bodyEnd <= one.bodyEnd,
  );
}
