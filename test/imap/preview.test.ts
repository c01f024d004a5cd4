import { test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { startImap } from "./server.ts";

test("shows the beginning of a message's text", async () => {
  await using server = await startImap();
  const messages = [
    'Subject: 1\r\n\r\nHello \r\n\r\n  there, "you"',
    "Content-Type: text/html; charset=utf-8\r\n\r\n<style>p{}</style><p>Grüße</p><script>x</script><p>aus Köln",
    "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b--",
    `Subject: 4\r\n\r\n${"word ".repeat(100)}`,
  ];
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const inbox = (await server.mail.findMailbox(agent, "INBOX"))!;
  for (const message of messages)
    await server.mail.appendMessages(
      nobody,
      agent,
      inbox.number,
      [{ bytes: Buffer.from(message), flags: 0, keywords: [] }],
      { source: "imap" },
    );
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK [CAPABILITY {{*}} PREVIEW {{*}}
    C: i2 SELECT INBOX
    S*: i2 OK {{*}}
    C: a1 FETCH 1 PREVIEW
    S: * 1 FETCH (PREVIEW "Hello there, \\"you\\"")
    S: a1 OK {{*}}
    C: a2 FETCH 2 (PREVIEW (LAZY) FLAGS)
    S: * 2 FETCH (PREVIEW {17}
    S: Grüße aus Köln FLAGS (\\Recent))
    S: a2 OK {{*}}
    C: a3 UID FETCH 3:4 (FLAGS PREVIEW)
    S: * 3 FETCH (UID 3 FLAGS (\\Recent) PREVIEW "")
    S: * 4 FETCH (UID 4 FLAGS (\\Recent) PREVIEW "${"word ".repeat(40).trim()}")
    S: a3 OK {{*}}
    C: a4 FETCH 1 PREVIEW (CHANGEDSINCE 99999)
    S*: a4 OK {{*}}
    C: a5 FETCH 1 PREVIEW (LAZY) (CHANGEDSINCE 99999)
    S*: a5 OK {{*}}
    C: a6 FETCH 1 (PREVIEW (EAGER))
    S: a6 BAD {{*}}
  `);
});
