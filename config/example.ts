import { listenerSections, type Settings, sectionMeaning, settingDescriptions } from "./schema.ts";

/** The commented example of the settings file: every setting with its meaning and its default, ready to be edited. */
export function formatExample(): string {
  const lines = [
    "# Settings of Waypost. Every setting is here with its default, so an empty file means the same.",
    "# The environment wins over this file (WAYPOST_SMTP_PORT=25), --set over both (--set smtp.port=25).",
    `# Listeners: ${listenerSections.join(", ")}.`,
  ];
  let section: keyof Settings | undefined;
  for (const setting of settingDescriptions) {
    if (setting.section !== section) {
      section = setting.section;
      lines.push("", `# ${sectionMeaning(section)}`, `[${section}]`);
    }
    lines.push(`# ${setting.meaning}`);
    if (setting.choices !== undefined) lines.push(`# One of ${setting.choices.join(", ")}.`);
    lines.push(`${setting.name.slice(section.length + 1)} = ${JSON.stringify(setting.defaultValue)}`);
  }
  return `${lines.join("\n")}\n`;
}
