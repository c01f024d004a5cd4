/** COMPRESS (RFC 4978): both sides compress what follows the answer.
 *  compress = "COMPRESS" SP "DEFLATE" */
import { afterLogin, command } from "../command.ts";
import { bad } from "../errors.ts";

export const compress = command({
  name: "COMPRESS",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  capabilities: (context) => (context.isCompressed ? [] : ["COMPRESS=DEFLATE"]),
  source: "RFC 4978",
  parse(reader) {
    reader.space();
    if (reader.word() !== "DEFLATE") throw bad("DEFLATE is the only mechanism");
    return undefined;
  },
  async run(session) {
    if (session.connection.isCompressed) throw bad("DEFLATE is active already", "COMPRESSIONACTIVE");
    return { text: "DEFLATE active" };
  },
  async afterAnswer(session) {
    session.connection.startCompression();
  },
});
