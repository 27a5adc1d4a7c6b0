import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createEmulatorClient } from "../emulator-client.ts";
import { runStory, type StoryEnd, type StoryOptions, type StoryRun } from "../run-story.ts";
import { createDeadline, waitUntil } from "../waits.ts";
import { startIncidentReceiver } from "./incident-receiver.ts";
import {
  canaries,
  downFile,
  planIncident,
  refusedMessages,
  toHosts,
  toIncidentDocument,
} from "./incident-scenario.ts";

/** `messages`: to the host that is down first. */
interface IncidentOptions extends StoryOptions {
  readonly receiverPort: number;
  /** Writes the text of a message to the pager. */
  readonly toPage: (text: string) => string;
}

/** Of the documents, and of the file that keeps the receiver down; from the folder that it is started in. */
const folder = ".cache/incident";

const maxMessages = 5_000;
const deadlineMs = 120_000;
const pollMs = 250;
const perBatch = 100;
/** 12 s before a retry; nothing here has one. */
const retryScale = 0.01;

/**
 * An outage that waits for a person: messages have failed, a lane is halted, some are parked, and the pager
 * has been called. It runs until SIGINT or SIGTERM. Exit codes as in run-story.ts, and 2 for a wrong number
 * or a port that is taken.
 */
export async function runIncident(options: IncidentOptions): Promise<number> {
  const { io, messages, receiverPort, toPage } = options;
  if (!Number.isInteger(messages) || messages < 20 || messages > maxMessages) {
    io.err(`redriver: --messages: expected a whole number from 20 to ${maxMessages} with --incident\n`);
    return 2;
  }
  const file = path.resolve(folder, downFile);
  const pages: string[] = [];
  let receiver: Awaited<ReturnType<typeof startIncidentReceiver>>;
  try {
    receiver = await startIncidentReceiver({
      port: receiverPort,
      downFile: file,
      onPage: (text) => {
        pages.push(text);
        io.err(`\n${toPage(text)}`);
      },
    });
  } catch (error) {
    io.err(`redriver: --receiver-port ${receiverPort}: ${String(error)}\n`);
    return 2;
  }
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "Remove this file, and the receiver works again.\n");
    return await runStory(
      {
        ...options,
        stage: {
          retryScale,
          drains: toIncidentDocument(receiver.port, path.resolve(folder, "archive")),
          folder,
        },
        deadlineMs,
        lateText: "the incident had not begun",
        toPlaces: ({ daemon }) => [
          "It waits for you until Ctrl-C. In another terminal, in this folder:",
          `  export REDRIVER_CONFIG_FILE=${path.join(folder, "settings.json")}`,
          `The console is at ${daemon.consoleUrl() ?? "no address: it is off"}`,
        ],
      },
      (run) => beginIncident(run, { messages, port: receiver.port, pages }),
    );
  } finally {
    await receiver.close();
    await rm(file, { force: true });
    // Somebody may have put something there.
    await rmdir(path.dirname(file)).catch(() => undefined);
  }
}

async function beginIncident(
  run: StoryRun,
  incident: { readonly messages: number; readonly port: number; readonly pages: readonly string[] },
): Promise<StoryEnd> {
  const { daemon, emulator } = run.stack;
  using deadline = createDeadline(deadlineMs, run.signal);
  const { signal } = deadline;
  const api = createEmulatorClient(emulator, signal);
  const polling = { everyMs: pollMs, signal };
  await waitUntil(async () => ((await daemon.isReady()) ? true : null), polling);

  const items = planIncident(incident.messages, toHosts(incident.port));
  for (let from = 0; from < items.length; from += perBatch) {
    await api.service("POST", "/v2/batch", items.slice(from, from + perBatch));
  }
  run.say(`${items.length} messages are published, and their receiver is down`);
  await waitUntil(async () => {
    if (!daemon.moves.some(({ to }) => to === "halted") || incident.pages.length === 0) return null;
    const metrics = await daemon.metrics();
    const isParked = metrics.sum("redriver_records", { state: "parked" }) === refusedMessages;
    const areBack = metrics.sum("redriver_come_backs_total") === canaries;
    // On a slow machine the pager may ring before the last ones have failed, or are listed.
    const areCounted =
      metrics.sum("redriver_destination_waiting") === items.length - refusedMessages &&
      (metrics.sum("redriver_failure_arrivals_total") ?? 0) >= items.length + canaries;
    return isParked && areBack && areCounted && (await api.state()).pending === 0 ? true : null;
  }, polling);
  return {
    settled: true,
    summary: { differences: [] },
    rows: [["published", items.length]],
    promise: "None of them is delivered. docs/incident.md leads you through the rest.",
  };
}
