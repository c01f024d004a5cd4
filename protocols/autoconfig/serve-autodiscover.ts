/** The request that Outlook makes when a person has typed an address (Autodiscover of Exchange, [MS-OXDSCLI] sections 2.2.3 and 2.2.4): a
 *  POST to `/autodiscover/autodiscover.xml` of the domain, or of the host `autodiscover.` below it. The answer is the same for every
 *  address of the domain. */
import type { Settings } from "#/config/schema.ts";
import type { HttpRoute } from "#/protocols/http/app.ts";
import { parseAddress } from "#/src/accounts/address.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { escapeXml } from "./client-config.ts";
import { type AutoconfigRooms, isOwnDomain } from "./serve-autoconfig.ts";

const autodiscoverPath = "/autodiscover/autodiscover.xml";
/** A request has some hundred octets. */
const requestBytesMax = 16 * 1024;

const mailSchema = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";
const envelopeSchema = "http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006";

export function createAutodiscoverRoute({ settings, accounts }: AutoconfigRooms): HttpRoute {
  return {
    // Outlook varies the case of the letters.
    accepts: (path) => path.toLowerCase() === autodiscoverPath,
    async serve({ koa, readBody }) {
      if (koa.method !== "POST") {
        koa.status = 405;
        koa.set("Allow", "POST");
        return;
      }
      const body = await readBody(requestBytesMax, 1).catch((error: unknown) => {
        if (isWaypostError(error) && error.details.reason === "too_large") return undefined;
        throw error;
      });
      if (body === undefined) {
        koa.status = 413;
        return;
      }
      const asked = readRequest(body.toString("utf8"));
      const address = asked === undefined ? undefined : parseAddress(asked.address);
      koa.type = "text/xml; charset=utf-8";
      koa.set("Cache-Control", "private, no-store");
      if (asked === undefined || address === undefined) koa.body = formatError(600, "Invalid request");
      else if (!(await isOwnDomain(address.domain, accounts)))
        koa.body = formatError(500, "No mail is taken here for that domain.");
      else if (asked.schema !== mailSchema) koa.body = formatError(601, "Provider is not available");
      else koa.body = formatAutodiscover(asked.address, settings);
    },
  };
}

/** The two elements that matter. The rest of the request is not read. */
function readRequest(text: string): { readonly address: string; readonly schema: string } | undefined {
  const address = /<(?:\w{1,20}:)?EMailAddress>([^<]{1,500})</i.exec(text)?.[1];
  const schema = /<(?:\w{1,20}:)?AcceptableResponseSchema>([^<]{1,500})</i.exec(text)?.[1];
  if (address === undefined || schema === undefined) return undefined;
  return { address: address.trim(), schema: schema.trim() };
}

function formatAutodiscover(
  address: string,
  { server, imap, imaps, submission, submissions }: Settings,
): string {
  const doors = [
    ["IMAP", imaps, "SSL"],
    ["IMAP", imap, "TLS"],
    ["SMTP", submissions, "SSL"],
    ["SMTP", submission, "TLS"],
  ] as const;
  const usable = doors.filter(([, door]) => door.enabled && door.port > 0);
  // The first of each kind: Outlook takes only one.
  const chosen = usable.filter(([type], at) => usable.findIndex(([other]) => other === type) === at);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<Autodiscover xmlns="${envelopeSchema}">`,
    `  <Response xmlns="${mailSchema}">`,
    "    <Account>",
    "      <AccountType>email</AccountType>",
    "      <Action>settings</Action>",
    ...chosen.flatMap(([type, door, encryption]) => [
      "      <Protocol>",
      `        <Type>${type}</Type>`,
      `        <Server>${escapeXml(server.hostname)}</Server>`,
      `        <Port>${door.port}</Port>`,
      `        <LoginName>${escapeXml(address)}</LoginName>`,
      "        <DomainRequired>off</DomainRequired>",
      "        <SPA>off</SPA>",
      "        <SSL>on</SSL>",
      `        <Encryption>${encryption}</Encryption>`,
      "        <AuthRequired>on</AuthRequired>",
      "      </Protocol>",
    ]),
    "    </Account>",
    "  </Response>",
    "</Autodiscover>",
    "",
  ].join("\n");
}

function formatError(code: number, message: string): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<Autodiscover xmlns="${envelopeSchema}">`,
    `  <Response>`,
    `    <Error><ErrorCode>${code}</ErrorCode><Message>${message}</Message></Error>`,
    "  </Response>",
    "</Autodiscover>",
    "",
  ].join("\n");
}
