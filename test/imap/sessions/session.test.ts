import { test } from "vitest";
import { startImap } from "../server.ts";

test("greets, logs in, selects and logs out", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK [CAPABILITY IMAP4rev1 IMAP4rev2 LITERAL+ ID STARTTLS SASL-IR AUTH=SCRAM-SHA-256 AUTH=OAUTHBEARER AUTH=PLAIN] {{*}}
    C: a1 LOGIN {{=login}}
    S: a1 OK [CAPABILITY {{*}}] Logged in
    C: a2 SELECT INBOX
    S: * FLAGS (\\Seen \\Answered \\Flagged \\Deleted \\Draft)
    S: * OK [PERMANENTFLAGS (\\Seen \\Answered \\Flagged \\Deleted \\Draft \\*)] {{*}}
    S: * 0 EXISTS
    S: * 0 RECENT
    S: * OK [UIDVALIDITY {{uidvalidity:\\d+}}] {{*}}
    S: * OK [UIDNEXT 1] {{*}}
    S: * OK [HIGHESTMODSEQ {{modseq:\\d+}}] {{*}}
    S: * OK [MAILBOXID ({{id:folder_\\w+}})] {{*}}
    S: a2 OK [READ-WRITE] SELECT completed
    C: a3 LOGOUT
    S: * BYE {{*}}
    S: a3 OK {{*}}
    CLOSED
  `);
});
