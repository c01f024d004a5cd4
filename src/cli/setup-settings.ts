/** The settings file that `waypost setup` writes. */

export interface SetupAnswers {
  readonly domain: string;
  readonly hostname: string;
  /** The address to which the certificate authority writes. */
  readonly email: string;
  /** An absolute path. */
  readonly data: string;
  /** Certificates come from Let's Encrypt. */
  readonly isAcme: boolean;
}

export function formatSettings({ domain, hostname, email, data, isAcme }: SetupAnswers): string {
  const certificates = isAcme
    ? `# Certificates come from Let's Encrypt and are renewed; it asks on port 80.
[acme]
enabled = true
email = ${quoted(email)}
`
    : `# A self-signed certificate is made. With another one:
# [tls]
# certificate_file = "/path/to/fullchain.pem"
# key_file = "/path/to/privkey.pem"
`;
  return `# Written by waypost setup. Every setting with its meaning is in config/waypost.example.toml.

[server]
hostname = ${quoted(hostname)}  # as in the DNS and the certificate
domain = ${quoted(domain)}
bind = "::"  # every address of this host; with one of them, mail leaves from it too

[storage]
folder = ${quoted(data)}

${certificates}
# The ports of the world. Below 1024 the user needs CAP_NET_BIND_SERVICE, which the systemd unit has.
[smtp]
port = 25

[submission]
port = 587

[submissions]
port = 465

[imap]
port = 143

[imaps]
port = 993

[https]
port = 443

# Without TLS, so for this host alone.
[http]
host = "127.0.0.1"
`;
}

/** A basic string of TOML; JSON's escapes are among its own. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
