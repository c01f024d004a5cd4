/** The reference page: inputs and outputs of `/v1`, and the operator's operations, as Markdown made only from the declarations. */
import { z } from "zod";
import { argumentOf, optionOf } from "#/src/accounts/administration/command-words.ts";
import { administrationOperations } from "#/src/accounts/administration/operations.ts";
import { scopeOf } from "#/src/accounts/operator-scopes.ts";
import { eventTypes } from "#/src/model/changes.ts";
import { errorCodes } from "#/src/model/errors.ts";
import { idPrefix, objectKinds } from "#/src/model/ids.ts";
import { statusOfCode } from "../errors.ts";
import { isTool, toolName } from "../mcp/tool.ts";
import { commonErrors, type Operation, verbs } from "../operation.ts";
import { errorSchema } from "../schemas.ts";
import { type JsonSchema, typeText } from "./typescript.ts";

const introduction = `# Reference

Written from the declarations by \`npm run derive\`. \`GET /openapi.json\` says the same to programs, and \`POST /v1/catalog.describe\`
what a deployment serves and its limits.

Every operation is \`POST /v1/<operation>\` with a JSON object and \`Authorization: Bearer <token>\`. A field that is not listed is
refused. A tool of the Model Context Protocol (\`POST /mcp\`, or \`waypost mcp\` over standard input and output) takes and answers the
same; its name is given where it differs. \`waypost call <operation> --json '{…}'\` calls one from the command line.`;

const webhooks = `## Webhooks

\`waypost webhook add\` has the events of a mailbox sent to a program: \`POST\` with
\`{"type": "mail.events", "timestamp", "data": {"cursor", "events": [Event]}}\`, signed as Standard Webhooks has it
(\`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`; the secret is shown once). The events are those of \`watch\`, in order, at
least once; \`wait\` and \`watch\` take the cursor. 2xx is taken, 410 wants no more, anything else is tried again for three days.`;

export function referenceText(operations: readonly Operation[]): string {
  const shapes = new Map<string, JsonSchema>();
  const sections = verbs.flatMap((verb) => {
    const ofVerb = operations.filter((one) => one.verb === verb);
    return ofVerb.length === 0
      ? []
      : [
          `## ${verb}`,
          ...ofVerb.map((one) => operationText(one, (schema, io) => schemaOf(schema, io, shapes))),
        ];
  });
  schemaOf(errorSchema, "output", shapes);
  return `${[
    introduction,
    ...sections,
    shapesText(shapes),
    errorsText(),
    wordsText(),
    commandsText(),
    webhooks,
  ].join("\n\n")}\n`;
}

/** The JSON Schema of a declaration; its named parts are added to `shapes`. */
function schemaOf(schema: z.ZodType, io: "input" | "output", shapes: Map<string, JsonSchema>): JsonSchema {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as JsonSchema;
  for (const [name, inner] of Object.entries(($defs as Record<string, JsonSchema> | undefined) ?? {}))
    shapes.set(name, inner);
  if (typeof rest.id === "string") {
    const { id, ...shape } = rest;
    shapes.set(id as string, shape);
    return { $ref: `#/$defs/${id}` };
  }
  return rest;
}

function operationText(
  operation: Operation,
  read: (schema: z.ZodType, io: "input" | "output") => JsonSchema,
): string {
  const { name, summary, scope, effect, version = "none", input, output, errors } = operation;
  const facts = [
    `scope: ${scope === "any" ? "any credential" : scope === "kind" ? "that of the kind of object" : `\`${scope}\``}`,
    effect,
    ...(version === "none" ? [] : [`version: ${version}`]),
    ...(isTool(operation) && toolName(name) !== name ? [`tool: \`${toolName(name)}\``] : []),
    ...(errors.length === 0 ? [] : [`refuses: ${errors.map((code) => `\`${code}\``).join(" ")}`]),
  ];
  const answer = effect === "streams" ? "Each `batch` holds" : "Answers";
  return [
    `### ${name}`,
    summary,
    `${facts.join(" · ")}`,
    ...fieldsText("Takes", read(input, "input")),
    ...fieldsText(answer, read(output, "output")),
  ].join("\n\n");
}

function fieldsText(lead: string, schema: JsonSchema): string[] {
  const members = Object.entries((schema.properties as Record<string, JsonSchema> | undefined) ?? {});
  if (members.length === 0) {
    const type = schema.type === "object" ? "nothing" : cell(typeOf(schema));
    return [`${lead}: ${type}.`];
  }
  return [`${lead}:`, tableText(members, new Set((schema.required as readonly string[]) ?? []))];
}

function tableText(
  members: readonly (readonly [string, JsonSchema])[],
  required: ReadonlySet<string>,
): string {
  const lines = members.map(([name, member]) => {
    const meaning = typeof member.description === "string" ? cell(member.description) : "";
    return `| \`${name}\` | ${cell(typeOf(member))} | ${required.has(name) ? "yes" : ""} | ${meaning} |`;
  });
  return ["| field | type | always | meaning |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

function typeOf(schema: JsonSchema): string {
  return typeText(schema, (name) => `[${name}](#${name.toLowerCase()})`)
    .replaceAll(/readonly /g, "")
    .replaceAll(/\/\*\*(?:(?!\/\*\*|\*\/).)*\*\/\s*/g, "")
    .replaceAll(/\s+/g, " ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");
}

function shapesText(shapes: ReadonlyMap<string, JsonSchema>): string {
  const sorted = [...shapes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    "## Shapes",
    ...sorted.map(([name, shape]) => [`### ${name}`, ...fieldsText("Holds", shape)].join("\n\n")),
  ].join("\n\n");
}

function errorsText(): string {
  const rows = errorCodes.map(
    (code) =>
      `| \`${code}\` | ${statusOfCode[code]} | ${(commonErrors as readonly string[]).includes(code) ? "yes" : ""} |`,
  );
  return [
    "## Errors",
    'A refusal is `{ "error": Error }` at the status of its code.',
    ["| code | status | of every operation |", "| --- | --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

function wordsText(): string {
  return [
    "## Words",
    `Identifiers: ${objectKinds.map((kind) => `\`${idPrefix(kind)}…\` (${kind})`).join(", ")}.`,
    `Events: ${eventTypes.map((type) => `\`${type}\``).join(", ")}.`,
    "`mailbox.restored`: a backup was put back. Events that were not told before are lost; read what is unread with `search`. A webhook gets it whatever types it asked for; a cursor from before is `400 invalid` (`expired_cursor`).",
  ].join("\n\n");
}

function commandsText(): string {
  const commands = administrationOperations.map(
    ({ name, summary, input, positional, isDestructive, isLocal, command, ...need }) => {
      const scope = isLocal ? "" : `\`${scopeOf(need)}\``;
      if (command !== undefined) return `| \`waypost ${command}\` | ${cell(summary)} |  | ${scope} |`;
      const options = Object.entries(input.shape)
        .filter(([field]) => !positional.includes(field))
        .map(([field]) => `\`--${optionOf(field)}\``);
      const places = positional
        .map((field) => ` ${argumentOf(field, input.shape[field] as z.ZodType)}`)
        .join("");
      const line = `\`waypost ${name.replace(".", " ")}${places}\``;
      return `| ${line} | ${cell(summary)} | ${[...options, ...(isDestructive ? ["`--yes`"] : [])].join(" ")} | ${scope} |`;
    },
  );
  return [
    "## Commands of the operator",
    "`waypost <command> --help` explains the options.",
    ["| command | what | options | scope of a program |", "| --- | --- | --- | --- |", ...commands].join(
      "\n",
    ),
  ].join("\n\n");
}
