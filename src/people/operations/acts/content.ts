import { z } from "zod";
import { chooseSource } from "../choose-drains.ts";
import { defineOperation } from "../define.ts";
import { letterId, sourceId } from "../fields.ts";
import { messageRow, readContent } from "../records/read-message.ts";

/** The audit has who asks and why before anything is read. */
export const content = defineOperation({
  words: "content",
  path: "/content",
  title: "Show content",
  role: "admin",
  reasonOf: "showing content",
  about: "show one dead letter with its body and header values; the audit has who saw it, and why",
  needs: "rules",
  example: { dlqId: "1700000000000-0", reason: "a customer asks" },
  input: z.strictObject({ dlqId: letterId, source: sourceId }),
  row: messageRow,
  isReading: true,
  async *run({ core, input: { dlqId, source }, by, reason, signal }) {
    const message = await readContent(
      core,
      { source: chooseSource(core, source), dlqId, by, reason },
      signal,
    );
    const { record } = message;
    const isRefused = typeof record === "string";
    yield { said: isRefused ? `${dlqId}: ${record}` : `content of ${dlqId}`, row: message, isRefused };
  },
});
