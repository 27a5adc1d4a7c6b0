/** What a daemon has dropped is published from the archive, by two who apply one plan and are killed again and again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { builtProgram } from "../../rig/program.ts";
import type { Play } from "./trial.ts";

const killsEach = 6;
const why = ["--by", "trial", "--reason", "the trial"];

export async function takeBack(play: Play): Promise<void> {
  const { stack, books, isOver, say } = play;
  const letters = (): readonly { deleted: unknown; acceptances: readonly unknown[] }[] => [
    ...books.judge.letters.values(),
  ];
  while (!isOver() && letters().some(({ deleted }) => deleted === null)) await delay(200);
  const file = join(stack.archiveDir, "..", "plan.ndjson");
  const plan = (): Promise<string> => stack.ask("plan", "everything", "--from-archive", "--out", file);
  await plan();
  say(`dropped all ${letters().length}, and planned them`);
  await Promise.all([applyAgainAndAgain(play, file), applyAgainAndAgain(play, file)]);
  const before = (await stack.emulator.journal("accepted")).length;
  await plan();
  await stack.ask("apply", file, "--yes", ...why);
  const more = (await stack.emulator.journal("accepted")).length - before;
  if (more > 0) books.judge.broken("doubled", `a second plan published ${more} once more`);
}

/** Killed some times while something is published, then left to its end; again, until all is accepted. */
async function applyAgainAndAgain({ stack, books, dice, isOver, say }: Play, file: string): Promise<void> {
  const isDone = (): boolean => books.left().toPublish === 0;
  for (let kills = 0; !isOver() && !isDone();) {
    const child = spawn(process.execPath, [builtProgram, "apply", file, "--yes", ...why], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...stack.env },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    if (kills < killsEach) {
      const before = books.left().toPublish;
      while (child.exitCode === null && books.left().toPublish === before && !isOver()) await delay(50);
      await Promise.race([delay(dice.whole(0, 1_500)), ended]);
      if (child.exitCode === null && child.kill("SIGKILL")) kills += 1;
    }
    while (child.exitCode === null && child.signalCode === null && !isOver())
      await Promise.race([ended, delay(200)]);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  }
  say(`one who applied has ended, ${books.left().toPublish} to publish`);
}
