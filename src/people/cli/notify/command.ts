import { buildSendNotices } from "../../notices/build-notices.ts";
import { systemClock } from "../../../system-world.ts";
import { readSecret } from "../../../config/read-secret.ts";
import { unknownName } from "../../../config/problem.ts";
import type { DrainsDocument, NotifyTarget } from "../../../job/contracts/drains-document.ts";
import { RedriverError, misused } from "../../../job/contracts/errors.ts";
import type { Notice, NoticeAnswer } from "../../../job/contracts/notices.ts";
import type { Register } from "../io.ts";
import { loadAll } from "../load-config.ts";
import { printResult } from "../output/print.ts";

export const registerNotify: Register = (program, { io, exitWith }) => {
  program
    .command("notify")
    .description("word to people: the targets under notify")
    .command("test")
    .description("send a test message to a target and print its answer; needs no Redis")
    .argument("<name>", "a target of the document")
    .option("--json", "print as JSON")
    .action(async (name: string, options: { json?: boolean }, command) => {
      const { settings, document } = loadAll(command, io);
      const target = chooseTarget(document, name);
      const send = buildSendNotices(
        target,
        (ref) => readSecret(ref, { env: io.env, settings }),
        systemClock,
        settings,
      );
      const answer = await send([toTestNotice(document)], new AbortController().signal);
      const isTaken = answer.status >= 200 && answer.status <= 299;
      const { through: _, ...shown } = answer;
      printResult(io, options.json, { target: name, taken: isTaken, ...shown }, () =>
        toText(name, answer, isTaken),
      );
      exitWith(isTaken ? 0 : 1);
    });
};

function chooseTarget({ notify }: DrainsDocument, name: string): NotifyTarget {
  const target = notify.find((one) => one.name === name);
  if (target !== undefined) return target;
  if (notify.length === 0) {
    throw misused("the drains document notifies nobody: it has no notify");
  }
  const known = notify.map((one) => one.name);
  throw misused(unknownName("target", name, known));
}

function toTestNotice({ sources }: DrainsDocument): Notice {
  const at = systemClock.now();
  const [source] = sources;
  if (source === undefined) throw new RedriverError("invariant-broken", "a document has a source");
  const item = { drain: null, destination: null, cause: null, failure: null, count: 1 };
  return { id: `${at}-test`, event: "test", at, source: source.id, items: [item], more: 0 };
}

function toText(name: string, { status, body, through }: NoticeAnswer, isTaken: boolean): string {
  const said = body.trim() === "" ? "" : `: ${body.trim()}`;
  const by = isTaken ? "took a test message" : `refused a test message${through}`;
  return `${name} ${by}, ${status}${said}\n`;
}
