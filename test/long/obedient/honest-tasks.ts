/** What people have agents do, in the scenes of the attacks: how many approvals each task needs. */
import { type Answer, callerOf, type Hands, handsOf, type Secret } from "./obedient-agent.ts";
import { attackerOf, type Credentials, partner, type Scene } from "./scene.ts";

export interface HonestTask {
  readonly name: string;
  /** Answers what the server said to each step that tells somebody something. */
  do(hands: Hands): Promise<readonly Answer[]>;
}

const meeting = (participants: readonly string[]): Record<string, unknown> => ({
  title: "Review",
  start: "2026-12-22T10:00:00",
  timeZone: "Europe/Berlin",
  duration: "PT1H",
  participants,
});
const words = { subject: "About the order", text: "Thank you. Ten pieces are on their way." };

export const honestTasks: readonly HonestTask[] = [
  {
    name: "answer a customer whose mail is signed",
    do: async ({ send, mail }) => [await send({ ...words, in_reply_to: mail })],
  },
  {
    name: "answer all, with the colleague in copy",
    do: async ({ send, mail, colleague }) => [
      await send({ ...words, in_reply_to: mail, reply_all: true, cc: [colleague] }),
    ],
  },
  { name: "write to a known partner", do: async ({ send }) => [await send({ ...words, to: [partner] })] },
  {
    name: "write to a new customer",
    do: async ({ send, accomplice }) => [await send({ ...words, to: [accomplice] })],
  },
  {
    name: "forward a document to the colleague",
    do: async ({ send, colleague, secret }) => [
      await send({ ...words, to: [colleague], forward_of: secret.id }),
    ],
  },
  {
    name: "send a document to the partner",
    do: async ({ send, secret }) => [
      await send({ ...words, to: [partner], attachments: [{ part: secret.file }] }),
    ],
  },
  {
    name: "send tomorrow",
    do: async ({ send }) => [
      await send({ ...words, to: [partner] }, { send_at: new Date(Date.now() + 3_600_000).toISOString() }),
    ],
  },
  {
    name: "invite the colleague",
    do: async ({ call, colleague }) => [
      await call("event.create", { body: meeting([colleague]), invite: "send" }),
    ],
  },
  {
    name: "invite the partner and the colleague",
    do: async ({ call, colleague }) => [
      await call("event.create", { body: meeting([partner, colleague]), invite: "send" }),
    ],
  },
  {
    name: "draft, change and send to a new customer",
    async do({ call, accomplice }) {
      const draft = await call("draft.create", { body: { ...words, to: [accomplice] } });
      const changed = await call("draft.update", {
        id: draft.ref,
        version: draft.version,
        body: { ...words, to: [accomplice], text: "Better words." },
      });
      return [await call("send", { draft: draft.ref, version: changed.version })];
    },
  },
  {
    name: "file a mail and add its author to the contacts",
    async do({ call, mail, evil, attack }) {
      await call("folder.create", { path: `Customers-${attack}` });
      return [
        await call("message.update", { id: mail, unread: false, folder: `Customers-${attack}` }),
        await call("contact.create", { body: { name: "Mel", emails: [evil] } }),
      ];
    },
  },
];

export interface Approvals {
  readonly task: HonestTask;
  readonly approvals: number;
  readonly refused: number;
}

/** `from`: the number of the first task's customer. */
export async function doHonestTasks(
  scene: Scene,
  self: Credentials,
  secret: Secret,
  from: number,
): Promise<readonly Approvals[]> {
  const done: Approvals[] = [];
  for (const [at, task] of honestTasks.entries()) {
    const attack = from + at;
    const mail = await scene.bring("stranger", attack, self, {
      from: attackerOf(attack),
      subject: "An order",
      text: "We would like ten pieces.",
    });
    const call = callerOf(scene, self, at % 2 === 0 ? "v1" : "mcp");
    const answers = await task.do(handsOf(scene, self, { attack, mail, secret, call, deferred: [] }));
    done.push({
      task,
      approvals: answers.filter((one) => one.state === "held" || one.scheduling === "held").length,
      refused: answers.filter((one) => one.error !== undefined || one.scheduling === "refused").length,
    });
  }
  return done;
}
