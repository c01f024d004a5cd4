/** ENABLE (RFC 9051 section 6.3.1, RFC 5161): answers which of the named extensions it enabled; unknown ones are ignored. */
import { afterLogin, command } from "../command.ts";
import { bad } from "../errors.ts";
import { NotifyWatch } from "../notify/watch.ts";
import { extensions } from "../session/session.ts";

export const enable = command({
  name: "ENABLE",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  // INPROGRESS belongs to no command; it is an untagged response.
  capabilities: ["ENABLE", "UIDONLY", "UTF8=ACCEPT", "INPROGRESS"],
  source: "RFC 9051 6.3.1, RFC 5161, RFC 5464 4.1, RFC 9586",
  parse(reader) {
    const names: string[] = [];
    while (reader.trySpace()) {
      if (names.length >= 50) throw bad("Too many extensions");
      names.push(reader.word());
    }
    if (names.length === 0) throw bad("ENABLE names extensions");
    return names;
  },
  async run(session, names, out) {
    const enabled = extensions.filter((extension) => names.includes(extension));
    const watchesAnnotations = enabled.includes("METADATA") && !session.isEnabled("METADATA");
    for (const extension of enabled) session.enable(extension);
    if (watchesAnnotations)
      if (session.watch === undefined) session.watch = await NotifyWatch.open(session, undefined);
      else await session.watch.addAnnotations();
    out.line(["* ENABLED", ...enabled.map((name) => (name === "IMAP4REV2" ? "IMAP4rev2" : name))].join(" "));
    return undefined;
  },
});
