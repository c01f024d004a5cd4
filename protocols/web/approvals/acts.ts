/** What a person does with a mail: approve, decline, edit, undo. The rules are those of the holds; here is only what proves that the person
 *  decides, and that the decision is about the version that was shown. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { declineNoteMax, declineWords } from "#/src/model/holds.ts";
import { rewriteMail } from "#/src/outbound/holds/rewrite.ts";
import { editableText, frameOf, readWholeFile } from "#/src/render/shown-mail.ts";
import { proofProblem } from "../proof.ts";
import { type Answer, lineOf, pageAnswer, redirect, type SignedVisit } from "../visit.ts";
import { decidedPage } from "./decided-page.ts";
import { type HoldPageOptions, holdPage, shownOf } from "./hold-page.ts";
import { type Opened, openHold, versionOf } from "./waiting.ts";

const textMax = 500_000;

/** The page of a mail, as it is now. */
export async function showHold(visit: SignedVisit, options?: HoldPageOptions): Promise<Answer> {
  const opened = await openHold(visit, visit.names[0]!);
  const { message } = opened;
  if (opened.hold.state !== "waiting" || message === undefined)
    return pageAnswer(await decidedPage(visit, opened));
  const note = visit.query.has("edited") ? { note: "edited" as const } : {};
  return pageAnswer(await holdPage(visit, { ...opened, message }, { ...note, ...options }));
}

export async function decide(visit: SignedVisit): Promise<Answer> {
  const { form } = visit;
  const opened = await openHold(visit, visit.names[0]!);
  const isApproval = form.get("act") === "approve";
  if (opened.hold.state !== "waiting")
    return redirect(`/approvals/${opened.id}?late=${isApproval ? "approve" : "decline"}`);
  if (form.get("version") !== versionOf(opened.hold)) return showHold(visit, { problem: "changed" });
  if (isApproval) {
    const refusal = await proofProblem(visit, "decide", shownOf(opened), visit.words.hold);
    if (refusal !== undefined) return showHold(visit, { problem: { text: refusal } });
  }
  return unlessChanged(visit, async () => {
    await decideAs(visit, opened, isApproval ? "approve" : "decline");
    return redirect(`/approvals/${opened.id}`);
  });
}

export async function decideAs(
  { rooms, form }: SignedVisit,
  { hold, reached }: Opened,
  action: "approve" | "decline" | "undo",
): Promise<void> {
  const note = lineOf(form, "reason", declineNoteMax);
  const why = declineWords.find((word) => word === form.get("why"));
  await rooms.holds.decide({
    agent: hold.agent,
    hold: hold.hold,
    version: String(hold.modseq),
    action,
    actor: reached.actor,
    ...(action === "decline" ? { remark: { why, note: note === "" ? undefined : note } } : {}),
  });
}

export async function undo(visit: SignedVisit): Promise<Answer> {
  const opened = await openHold(visit, visit.names[0]!);
  if (opened.hold.state !== "approved") return redirect(`/approvals/${opened.id}?late=undo`);
  return unlessChanged(visit, async () => {
    await decideAs(visit, opened, "undo");
    return redirect(`/approvals/${opened.id}`);
  });
}

export async function edit(visit: SignedVisit): Promise<Answer> {
  const { rooms, form } = visit;
  const opened = await openHold(visit, visit.names[0]!);
  const { hold, message, reached } = opened;
  if (hold.state !== "waiting" || message === undefined) return redirect(`/approvals/${opened.id}`);
  const field = (name: string, max: number): string => (form.get(name) ?? "").slice(0, max);
  const written = {
    to: field("to", 20_000),
    cc: field("cc", 20_000),
    subject: field("subject", 1000),
    text: field("text", textMax).replace(/\r\n?/g, "\n"),
  };
  if (form.get("version") !== versionOf(hold)) return showHold(visit, { problem: "changed", written });
  try {
    const { quoted } = await editableText(rooms.mail, message);
    const text = quoted === "" ? written.text : `${written.text.trimEnd()}\n\n${quoted}`;
    const bytes = await rewriteMail(rooms.mail, hold, message, { ...written, text });
    return await unlessChanged(visit, async () => {
      await rooms.holds.edit({
        agent: hold.agent,
        hold: hold.hold,
        version: String(hold.modseq),
        bytes,
        actor: reached.actor,
      });
      return redirect(`/approvals/${opened.id}?edited`);
    });
  } catch (error) {
    if (!isWaypostError(error) || (error.code !== "invalid" && error.code !== "policy_refused")) throw error;
    return showHold(visit, { problem: { text: error.message }, written });
  }
}

/** Between the page and the write somebody else may have changed the mail, or decided. */
async function unlessChanged(visit: SignedVisit, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    const isLate =
      isWaypostError(error) &&
      (error.code === "precondition_failed" || error.details.reason === "hold_is_decided");
    if (!isLate) throw error;
    return showHold(visit, { problem: "changed" });
  }
}

const frameStyle =
  "html{color-scheme:light;background:#fff;color:#1b1b1a;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}body{margin:1.25rem 1.5rem;overflow-wrap:break-word}.wp-text{margin:0;font:inherit;white-space:pre-wrap}.wp-pic{display:inline-block;padding:.4rem .6rem;border:1px dashed #8a8a84;color:#55554f;font-size:.85rem}.wp-link{color:#55554f}";

/** Nothing of a mail runs, loads or leads anywhere, and no page but ours shows it. */
const framePolicy =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/** The mail as its recipient sees it. */
export async function frame(visit: SignedVisit): Promise<Answer> {
  const { message } = await openHold(visit, visit.names[0]!);
  if (message === undefined) throw new WaypostError("not_found", "The mail is gone.");
  const pieces = await frameOf(visit.rooms.mail, message);
  const head = `<!doctype html>\n<html><head><meta charset="utf-8"><title>Mail</title><meta name="viewport" content="width=device-width"><style>${frameStyle}</style></head>\n<body>\n`;
  return {
    kind: "octets",
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": framePolicy },
    body: [
      head,
      ...pieces.map((piece) => (typeof piece === "string" ? piece : piece.toString("base64"))),
      "\n</body></html>\n",
    ],
  };
}

/** A file of a mail, for the disk and never as a page of this origin. */
export async function file(visit: SignedVisit): Promise<Answer> {
  const { message } = await openHold(visit, visit.names[0]!);
  const found = message && (await readWholeFile(visit.rooms.mail, message, visit.names[1]!));
  if (found === undefined) throw new WaypostError("not_found", "There is no such file.");
  const name = encodeURIComponent(found.name || "file").replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return {
    kind: "octets",
    headers: {
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `attachment; filename*=UTF-8''${name}`,
      "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    },
    body: [found.octets],
  };
}
