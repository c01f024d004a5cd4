/** Every form of somebody who is signed in, with what it needs beside the session. `proof`: a passkey, or an app password where there is
 *  no passkey. `decision`: the same, unless the person has lowered it. A form without either only ends or narrows something, or shows. */
export const forms: Readonly<Record<string, "proof" | "decision" | "session">> = {
  "/approvals/test-mail": "session",
  "/approvals/select": "session",
  "/approvals/decide": "decision",
  "/approvals/HOLD/decide": "decision",
  "/approvals/HOLD/undo": "session",
  "/approvals/HOLD/edit": "session",
  "/mine/sessions/NUMBER/end": "session",
  "/mine/sessions/end": "session",
  "/mine/passkeys/new": "proof",
  "/mine/passkeys": "proof",
  "/mine/passkeys/NUMBER/remove": "proof",
  "/mine/programs": "proof",
  "/mine/programs/options": "session",
  "/mine/programs/NUMBER/revoke": "session",
  "/mine/shares/NUMBER/end": "session",
  "/mine/archive": "proof",
  "/mine/notices": "session",
  "/mine/notices/end": "session",
  "/mine/zone": "session",
  "/mine/approving": "proof",
  "/agents": "proof",
  "/agents/options": "session",
  "/agents/AGENT/policy": "proof",
  "/agents/AGENT/policy/options": "session",
  "/agents/AGENT/pause": "session",
  "/agents/AGENT/resume": "session",
  "/sign-out": "session",
};

/** The same of an operator. `write`: what it asks for needs that scope, so an operator who may only read changes nothing with it. */
export const operatorForms: Readonly<Record<string, "proof" | "write" | "session">> = {
  "/operator/domains": "write",
  "/operator/domains/DOMAIN/check": "session",
  "/operator/queue": "write",
  "/operator/act": "write",
  "/operator/export": "proof",
  "/operator/ask": "session",
  "/operator/me/passkeys/NUMBER/remove": "proof",
  "/operator/me/sessions/NUMBER/end": "session",
  "/operator/me/sessions/end": "session",
  "/operator/sign-out": "session",
};

/** What the two forms that do many things ask for, by what they do. `proof`: a passkey that signs it, since it can't be undone. */
export const operatorActs: Readonly<Record<string, "proof" | "session">> = {
  "person.pause": "session",
  "person.resume": "session",
  "agent.pause": "session",
  "agent.resume": "session",
  "person.delete": "proof",
  "agent.delete": "proof",
  "account.suspend": "session",
  "account.resume": "session",
  "domain.rotate-keys": "session",
  "domain.delete": "proof",
  "token.revoke": "proof",
  "password.revoke": "proof",
  "grant.revoke": "proof",
  "webhook.test": "session",
  "webhook.resume": "session",
  "webhook.resend": "session",
  "job.cancel": "session",
  "queue.retry": "session",
  "queue.cancel": "proof",
};

export const withProof = Object.keys(forms).filter((path) => forms[path] === "proof");

/** Fields that any of them takes. */
export const wanted = { name: "Phone", local: "phone", policy: "always", with: "session", device: "Phone" };

export function pathOf(form: string, agent: string): string {
  return form
    .replace("HOLD", `hold_${"0".repeat(26)}`)
    .replace("AGENT", agent)
    .replace("DOMAIN", "waypost.test")
    .replace("NUMBER", "1");
}
