/** CANCELUPDATE (RFC 5267 section 4.3.4): results of these searches are no longer kept up to date.
 *  cancel-update = "CANCELUPDATE" 1*(SP quoted) */
import { command, whenSelected } from "../command.ts";
import { bad } from "../errors.ts";
import { searchContextsMax } from "../limits.ts";

export const cancelUpdate = command({
  name: "CANCELUPDATE",
  states: whenSelected,
  forms: ["plain"],
  usesSequence: false,
  source: "RFC 5267 4.3.4",
  parse(reader): readonly string[] {
    const tags: string[] = [];
    reader.space();
    do {
      if (tags.length === searchContextsMax) throw bad("Too many tags", "LIMIT");
      tags.push(reader.string());
    } while (reader.trySpace());
    return tags;
  },
  async run(session, tags) {
    const { contexts } = session.selected;
    // Cancels all of the searches or none.
    if (!tags.every((tag) => contexts.has(tag))) throw bad("No search of that tag is kept up to date");
    for (const tag of tags) contexts.cancel(tag);
    return undefined;
  },
});
