/** ID (RFC 2971). The client's fields are parsed within their limits and not kept.
 *  id-params = "(" *(string SP nstring) ")" / nil */
import { command, everywhere } from "../command.ts";
import { bad } from "../errors.ts";

/** RFC 2971 section 3.3 allows 30 pairs. */
const fieldsMax = 30;

export const id = command({
  name: "ID",
  states: everywhere,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["ID"],
  source: "RFC 2971",
  parse(reader) {
    reader.space();
    if (reader.tryWord("NIL")) return undefined;
    let isName = true;
    const words = reader.list(
      () => {
        const word = isName ? reader.string() : reader.nstring();
        isName = !isName;
        return word;
      },
      { max: 2 * fieldsMax, allowEmpty: true },
    );
    if (words.length % 2 !== 0) throw bad("ID takes pairs of a name and a value");
    return undefined;
  },
  async run(_session, _args, out) {
    out.line('* ID ("name" "Waypost")');
    return undefined;
  },
});
