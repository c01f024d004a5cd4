/** Reports as others send them, and the mails that they come in. */

export const dmarcXml = `<?xml version="1.0"?>
<feedback xmlns="http://dmarc.org/dmarc-xml/0.1">
  <report_metadata><org_name>Far Inc.</org_name><email>x@far.example</email><report_id>7</report_id>
    <date_range><begin>1767225600</begin><end>1767311999</end></date_range></report_metadata>
  <policy_published><domain>Ours.org</domain><p>none</p></policy_published>
  <record><row><source_ip>192.0.2.1</source_ip><count>3</count>
      <policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated></row>
    <identifiers><header_from>ours.org</header_from></identifiers></record>
  <record><row><source_ip>192.0.2.2</source_ip><count>2</count>
      <policy_evaluated><disposition>quarantine</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated></row>
    <identifiers><header_from>ours.org</header_from></identifiers></record>
</feedback>`;

export const tlsJson = JSON.stringify({
  "organization-name": "Far Inc.",
  "date-range": { "start-datetime": "2026-01-01T00:00:00Z", "end-datetime": "2026-01-01T23:59:59Z" },
  "report-id": "8",
  policies: [
    {
      policy: { "policy-type": "sts", "policy-domain": "ours.org" },
      summary: { "total-successful-session-count": 5, "total-failure-session-count": 1 },
      "failure-details": [
        {
          "result-type": "certificate-expired",
          "sending-mta-ip": "192.0.2.1",
          "receiving-mx-hostname": "mx.ours.org",
          "failed-session-count": 1,
        },
      ],
    },
  ],
});

export function mailWith(type: string, name: string, content: Buffer): Buffer {
  return Buffer.from(
    [
      "Content-Type: multipart/report; boundary=b",
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "A report.",
      "--b",
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      "Content-Transfer-Encoding: base64",
      "",
      content.toString("base64"),
      "--b--",
      "",
    ].join("\r\n"),
  );
}
