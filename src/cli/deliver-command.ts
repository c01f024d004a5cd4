import { Command } from "commander";
import { WaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printResult } from "./output.ts";
import { reachableHost } from "./ready.ts";
import type { Shell } from "./shell.ts";
import { askStatus } from "./status-command.ts";

interface DeliverOptions extends CommonOptions {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
}

/** `waypost deliver`: delivers a mail as another server would, over the SMTP port of the running daemon. */
export function deliverCommand(shell: Shell): Command {
  const command = new Command("deliver")
    .description("Send a test mail to a mailbox here, by SMTP to the running daemon.")
    .requiredOption("--to <address>", "a mailbox of this server")
    .option("--from <address>", "who it claims to come from", "stranger@example.net")
    .option("--subject <text>", "the subject", "A test")
    .option("--text <text>", "the text", "This mail came by SMTP.");
  return withCommonOptions(command).action(async (options: DeliverOptions) => {
    const { host, port } = await findSmtp(settingsOf(shell, options).storage.folder);
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host: reachableHost(host),
      port,
      tls: { rejectUnauthorized: false },
    });
    const { to, from, subject, text } = options;
    try {
      const sent = await transport.sendMail({ to, from, subject, text });
      printResult(
        shell,
        { to, from, messageId: sent.messageId, reply: sent.response },
        options.json === true,
      );
    } catch (error) {
      const { response } = readThrown(error).further;
      if (typeof response !== "string") throw error;
      throw new WaypostError("policy_refused", `The server refused it: ${response}`, { cause: error });
    } finally {
      transport.close();
    }
  });
}

async function findSmtp(folder: string): Promise<{ readonly host: string; readonly port: number }> {
  const { listeners } = await askStatus(folder);
  if (listeners.smtp === undefined) throw new WaypostError("invalid", "The daemon does not serve SMTP.");
  return listeners.smtp;
}
