import { describe, test } from "vitest";
import { startImap } from "../server.ts";

const loggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  C: i2 APPEND INBOX {12+}
  C: Subject: 1\\r\\n
  S: i2 OK {{*}}
  C: i3 SELECT INBOX
  S*: i3 OK {{*}}
`;

describe("spaces that are too many", () => {
  test("count as one between arguments, and as none at the ends of lists and commands", async () => {
    await using server = await startImap();
    const commands = [
      "NOOP ",
      "SELECT  INBOX",
      "SELECT INBOX  ( CONDSTORE )",
      "SELECT INBOX   ",
      'LIST  ""   "*"  ',
      'LIST "" ( INBOX  "Sent" ) RETURN ( SUBSCRIBED  STATUS ( MESSAGES  UNSEEN ) )',
      "STATUS INBOX  ( MESSAGES )",
      "FETCH 1  ( FLAGS  UID )",
      "FETCH 1 FLAGS ",
      "FETCH 1 (BODY.PEEK[HEADER.FIELDS ( Subject  From )] )",
      "STORE 1  +FLAGS  ( \\Seen  \\Flagged )",
      "STORE 1 FLAGS \\Seen  \\Flagged ",
      "SEARCH  SEEN   FLAGGED ",
      "SEARCH ( SEEN  ( OR  FLAGGED  DELETED ) )",
      "SEARCH RETURN  ( MIN  COUNT )  ALL",
      "SORT ( REVERSE  SUBJECT )  UTF-8  ALL",
      "COPY 1  Sent ",
      "APPEND  INBOX  ( \\Seen )  {3+}\\r\\na:b ",
      "ENABLE  CONDSTORE ",
      'SETMETADATA INBOX  ( /private/a  "x" )',
      "CREATE  New  (USE (\\Archive) )",
    ];
    const script = commands.map(
      (command, at) => `
    C: a${at} ${command.replace(/ +$/, (run) => "\\x20".repeat(run.length))}
    S*: a${at} OK {{*}}`,
    );
    await server.converse(`${loggedIn}${script.join("")}`);
  });

  test.each([
    ["before the command", "a1  NOOP"],
    ["behind UID", "a1 UID  FETCH 1 FLAGS"],
    ["before the tag", "\\x20a1 NOOP"],
    ["inside an item", "a1 FETCH 1 (BODY [TEXT])"],
    ["inside a sequence set", "a1 FETCH 1, 2 FLAGS"],
    ["for an argument", "a1 SELECT\\x20"],
    ["for a list", "a1 FETCH 1 ( )"],
  ])("are BAD %s", async (_where, line) => {
    await using server = await startImap();
    await server.converse(`${loggedIn}
      C: ${line}
      S: {{*}} BAD {{*}}
      C: a2 NOOP
      S: a2 OK {{*}}
    `);
  });

  test("stay in strings and literals", async () => {
    await using server = await startImap();
    await server.converse(`${loggedIn}
      C: a1 CREATE  "a  b "
      S: a1 OK {{*}}
      C: a2 LIST "" {4+}
      C: a  b
      S: a2 OK {{*}}
      C: a3 LIST "" {5+}
      C: a  b\\x20
      S: * LIST (\\HasNoChildren) "/" "a  b "
      S: a3 OK {{*}}
    `);
  });
});

test("takes a tag of 100 letters; a longer one is BAD, not repeated, and its command not run", async () => {
  await using server = await startImap();
  const longest = "t".repeat(100);
  await server.converse(`${loggedIn}
    C: ${longest} NOOP
    S: ${longest} OK {{*}}
    C: ${longest}x CREATE One
    S: * BAD {{*}}
    C: ${"t".repeat(255)} CREATE One
    S: * BAD {{*}}
    C: a1 STATUS One (MESSAGES)
    S: a1 NO [NONEXISTENT] {{*}}
    # A message is not waited for either.
    C: ${"t".repeat(255)} APPEND INBOX {100000}
    S: * BAD {{*}}
    C: a2 NOOP
    S: a2 OK {{*}}
  `);
});
