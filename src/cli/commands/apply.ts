import { createReadStream } from "node:fs";
import type { Command } from "commander";
import { toKeyedHash } from "../../compose/build-source.ts";
import type { Core } from "../../compose/build-core.ts";
import { createFanOut } from "../../compose/fan-out.ts";
import { openCore, requireRedis } from "../../compose/open-core.ts";
import { pauseOf } from "../../compose/read-facts.ts";
import { createSecretValues } from "../../compose/secret-values.ts";
import { createTeardown } from "../../compose/teardown.ts";
import { RedriverError } from "../../ports/errors.ts";
import { applyPlan, type Applied } from "../../redrive/plan/apply.ts";
import { checkPlan, driftOf, type PlanCheck } from "../../redrive/plan/check-plan.ts";
import { readPlan, type PlanHead, type PlannedDrain } from "../../redrive/plan/plan-file.ts";
import { createSelection, type Selection } from "../../redrive/plan/selection.ts";
import type { DrainRuntime } from "../../redrive/runtime.ts";
import { createEventLog } from "../../telemetry/event-log.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { toApplyText, toQuestion, type ApplyLine } from "../apply-text.ts";
import { toExit, worseExit, type CommandContext, type Register } from "../command-context.ts";
import { hasConsent } from "../consent.ts";
import { currentUser } from "../current-user.ts";
import type { Io } from "../io.ts";
import { loadAll } from "../load.ts";
import { createProgressLine } from "../progress-line.ts";
import { createStop, type Stop } from "../stop.ts";

interface ApplyFlags {
  readonly reason?: string;
  readonly by?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const closeWithinMs = 5_000;
/** A plan of which more than this part has changed is not the plan that was read any more. */
const mostDrift = 0.05;

export const registerApply: Register = (program, context) => {
  program
    .command("apply")
    .description("act on exactly what a plan selected, also in plan mode; obeys pauses and limits")
    .argument("<plan>", "a file of `redriver plan --out`; - is stdin")
    .option("--reason <text>", "why, for the audit; required without a terminal")
    .option("--by <name>", "who, for the audit; required without a terminal, else the current user")
    .option("--yes", "do not ask")
    .option("--json", "print the summary as JSON")
    .action((file: string, flags: ApplyFlags, command: Command) => apply(file, flags, command, context));
};

/** A drain's part of a plan, and the drain as it is now. */
interface Part {
  readonly drain: DrainRuntime;
  readonly planned: PlannedDrain;
}

async function apply(
  file: string,
  flags: ApplyFlags,
  command: Command,
  { io, exitWith }: CommandContext,
): Promise<void> {
  if (!io.isTerminal && (isEmpty(flags.reason) || isEmpty(flags.by))) {
    throw new RedriverError("command-misused", "without a terminal --reason and --by are required");
  }
  const { settings, document } = loadAll(command, io);
  const selection = createSelection();
  const head = await read(file, selection);
  const teardown = createTeardown();
  const secrets = createSecretValues(settings);
  const level = settings.log.level === "info" ? "warn" : settings.log.level;
  const logger = createLogger({ level, secrets: secrets.all, destination: { write: io.err } });
  const stop = createStop(io);
  teardown.add("signals", stop.forget);
  try {
    const core = openCore({
      settings,
      document,
      env: io.env,
      teardown,
      by: flags.by ?? currentUser(),
      readsIndexes: true,
      onSecret: secrets.add,
      events: createFanOut([createEventLog(logger)]),
    });
    secrets.use(core);
    const parts = head.drains.map((planned) => toPart(core, planned));
    await requireRedis(core.redis);
    const checks = await check(parts, selection, stop, io);
    refuseDrifted(checks);
    const lines = parts.map(({ drain }, index) => ({
      drain: drain.config.name,
      host: hostOf(core, drain),
      check: checks[index] ?? nothing,
    }));
    if (!(await hasConsent(io, flags.yes, () => toQuestion(head.createdAt, lines)))) {
      exitWith(3);
      return;
    }
    const applied = await actOn(core, parts, checks, flags, stop, io);
    const results = lines.map((line, index): ApplyLine => ({ ...line, applied: applied[index] ?? null }));
    io.out(flags.json === true ? `${JSON.stringify(results.map(toJson), null, 2)}\n` : toApplyText(results));
    exitWith(results.reduce((code, result) => worseExit(code, tell(result, io)), 0));
  } finally {
    await teardown.run(closeWithinMs);
  }
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

async function read(file: string, selection: Selection): Promise<PlanHead> {
  const chunks: AsyncIterable<Buffer> = file === "-" ? process.stdin : createReadStream(file);
  try {
    const reading = await readPlan(chunks, selection.add);
    if (reading.ok) return reading.head;
    throw new RedriverError("plan-invalid", `${file === "-" ? "the plan" : file}: ${reading.problem}`);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new RedriverError("command-misused", `${file} cannot be read: ${String(cause.code)}`, { cause });
  }
}

/** A drain of today's document, on the source that the plan was made for. Other rules are no obstacle: each record is decided again. */
function toPart(core: Core, planned: PlannedDrain): Part {
  const drain = core.drains.get(planned.drain);
  if (drain === undefined) {
    throw new RedriverError(
      "plan-invalid",
      `the plan is for drain ${planned.drain}, which the document has not`,
    );
  }
  const { id } = drain.source.config;
  if (id !== planned.source) {
    throw new RedriverError(
      "plan-invalid",
      `the plan is for drain ${planned.drain} of source ${planned.source}, which is of ${id} now`,
    );
  }
  if (toKeyedHash("url", core.sources.get(id)?.baseUrl ?? "") !== planned.address) {
    throw new RedriverError(
      "plan-invalid",
      `the plan was made for another address of source ${id} than ${hostOf(core, drain)}`,
    );
  }
  return { drain, planned };
}

async function check(
  parts: readonly Part[],
  selection: Selection,
  stop: Stop,
  io: Io,
): Promise<readonly PlanCheck[]> {
  const progress = createProgressLine(io);
  const checks: PlanCheck[] = [];
  try {
    for (const { drain, planned } of parts) {
      const orders = selection.of(planned.drain);
      await drain.source.bind();
      const onPage = (checked: number): void =>
        progress.show(`${planned.drain}: ${checked} of ${orders.size} found and decided again`);
      checks.push(await checkPlan(drain, planned, orders, stop, onPage));
    }
  } catch (error) {
    if (!stop.stopping.aborted) throw error;
    throw new RedriverError("stopped", "stopped before anything was done", { cause: error });
  } finally {
    progress.end();
  }
  return checks;
}

function refuseDrifted(checks: readonly PlanCheck[]): void {
  const { drift, planned } = driftOf(checks);
  if (drift <= planned * mostDrift) return;
  const sum = (count: (check: PlanCheck) => number): number =>
    checks.reduce((total, one) => total + count(one), 0);
  throw new RedriverError(
    "plan-drifted",
    `${drift} of ${planned} are not as planned (${sum(({ gone }) => gone)} gone, ${sum(({ changed }) => changed)} changed, ${sum(({ otherwise }) => otherwise)} decided otherwise now), more than ${mostDrift * 100} %: nothing was done; make a new plan`,
  );
}

async function actOn(
  core: Core,
  parts: readonly Part[],
  checks: readonly PlanCheck[],
  flags: ApplyFlags,
  stop: Stop,
  io: Io,
): Promise<readonly Applied[]> {
  const progress = createProgressLine(io);
  const applied: Applied[] = [];
  try {
    for (const [index, { drain, planned }] of parts.entries()) {
      const found = checks[index];
      if (found === undefined) continue;
      const total = found.open.size;
      const one = await applyPlan({
        drain,
        range: planned,
        open: found.open,
        order: flags.reason === undefined ? {} : { why: flags.reason },
        signals: stop,
        pausedBy: () => pausedBy(core, drain),
        onPage: (left) => progress.show(`${planned.drain}: ${total - left} of ${total} done`),
      });
      progress.end();
      applied.push(one);
    }
  } finally {
    progress.end();
  }
  return applied;
}

async function pausedBy(core: Core, { config, source }: DrainRuntime): Promise<string | null> {
  const pause = pauseOf((await core.sources.get(source.config.id)?.pauses.all()) ?? [], config.name);
  return pause === undefined ? null : `by ${pause.by}: ${pause.reason} (redriver resume)`;
}

function hostOf(core: Core, { source }: DrainRuntime): string {
  return new URL(core.sources.get(source.config.id)?.baseUrl ?? "").host;
}

/** Says on stderr why something was left, and answers the exit code of this drain's part. */
function tell({ drain, applied }: ApplyLine, io: Io): number {
  if (applied === null) return 3;
  const { stop, left, leftReasons } = applied;
  const reasons = Object.entries(leftReasons).map(([reason, count]) => `${reason} ${count}`);
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  const rest = `${left} left${why}; apply the plan again to go on`;
  if (stop === null) {
    if (left > 0) io.err(`${drain}: ${rest}\n`);
    return left > 0 ? 3 : 0;
  }
  switch (stop.kind) {
    case "told":
      io.err(`${drain}: stopped; ${rest}\n`);
      return 3;
    case "paused":
      io.err(`${drain}: paused ${stop.why}; ${rest}\n`);
      return 3;
    case "failed": {
      const { exitCode, message } = toExit(stop.error);
      io.err(`${drain}: ${message}; ${rest}\n`);
      return exitCode;
    }
  }
}

function toJson({ check: { open: _open, ...checked }, applied, ...line }: ApplyLine): object {
  if (applied === null) return { ...line, ...checked, applied };
  const { stop, ...done } = applied;
  return { ...line, check: checked, applied: { ...done, stoppedBy: stop?.kind ?? null } };
}

const nothing: PlanCheck = {
  planned: 0,
  open: new Map(),
  notNow: 0,
  done: 0,
  gone: 0,
  changed: 0,
  otherwise: 0,
};
