/** LOGIN (RFC 9051 section 6.2.3).
 *  login = "LOGIN" SP userid SP password */
import { command } from "../command.ts";
import { no } from "../errors.ts";
import { decodeUtf8 } from "../wire/wire-reader.ts";

export const login = command({
  name: "LOGIN",
  states: ["unauthenticated"],
  forms: ["plain"],
  usesSequence: false,
  capabilities: (context) => (context.mayUsePlainText ? [] : ["LOGINDISABLED"]),
  source: "RFC 9051 6.2.3",
  parse(reader) {
    reader.space();
    const user = decodeUtf8(reader.astring());
    reader.space();
    return { user, password: decodeUtf8(reader.astring()) };
  },
  async run(session, { user, password }) {
    if (!session.mayUsePlainText) throw no("PRIVACYREQUIRED", "Use STARTTLS first");
    await session.logIn(() =>
      session.logins.authenticatePassword(user, password, session.connection.remoteAddress),
    );
    return {
      code: `CAPABILITY ${session.capabilities().join(" ")}`,
      text: "Logged in",
    };
  },
});
